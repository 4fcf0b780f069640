// SPDX-License-Identifier: MIT
// The memory that roofs take: how much there is to take, and that they keep within it whatever cache the
// machine reports; and what a case keeps where they cannot be measured.
#include <new>

#include "benchmarks/harness/roofs/roofs.hpp"
#include "benchmarks/harness/roofs/rows.hpp"
#include "solvers/common/base/host_memory.hpp"
#include "verification/tests/support/made_up_cache.hpp"
#include "verification/tests/support/made_up_case.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;
using Catch::Matchers::EndsWith;
using testing::made_up_cache;
using testing::row_of;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = kib * kib;

// A machine's /proc and /sys, as far as they tell its memory.
class made_up_system {
 public:
  explicit made_up_system(std::size_t available_kib) {
    write("proc/meminfo",
          "MemTotal: 99999999 kB\nMemAvailable:   " + std::to_string(available_kib) + " kB\n");
    write("proc/self/statm", "0 0 0");
  }
  void write(const fs::path& file, const std::string& text) {
    fs::create_directories((folder_.path() / file).parent_path());
    testing::put(folder_.path() / file, text);
  }
  std::size_t available() const { return available_host_bytes(folder_.path()); }
  std::size_t available_with(const fs::path& file, const std::string& text) {
    write(file, text);
    return available();
  }

 private:
  temporary_folder folder_;
};

std::function<void()> trouble;  // of a probe

struct troubled_probe final : roof_probe {
  double copy_bytes_per_second(std::size_t) override { return fail(); }
  double flops_per_second(precision) override { return fail(); }
  static double fail() {
    trouble();
    return 1;
  }
};

measured_case measure_on(const device& d) {
  return testing::measured(testing::made_up_plan({true, true}), testing::made_up_target(d));
}

}  // namespace

TEST_CASE("sizes in bytes are read as the system writes them") {
  CHECK(parse_bytes("1024") == 1024);
  CHECK(parse_bytes("491520K") == 480 * mib);
  CHECK(parse_bytes("480M") == 480 * mib);
  CHECK(parse_bytes("4G") == 4096 * mib);
  for (const char* const bad :
       {"", "M", "-1", "1.5M", "4T", "4MB", "x", "99999999999999999999", "99999999999G"})
    CHECK_THROWS_AS(parse_bytes(bad), bad_input);
  CHECK(bytes_text(480 * mib) == "480 MiB");
  CHECK(bytes_text(65 * kib) == "65 KiB");
  CHECK(bytes_text(12) == "12 bytes");
}

TEST_CASE("a cache that is told wrongly, or that no machine has, is refused by the variable's name") {
  for (const auto& [size, said] :
       {std::pair{"large", "'large'"}, {"1025G", "'1025G' is more than any cache"}}) {
    const made_up_cache cache(size);
    CHECK_THROWS_WITH(host_cache_bytes(), ContainsSubstring("REPRISE_HOST_CACHE") && ContainsSubstring(said));
  }
}

TEST_CASE("what is available is the least that the system, a control group and those above it leave") {
  made_up_system system(8 * mib);  // KiB
  constexpr std::size_t gib = kib * mib;
  CHECK(system.available() == 8 * gib);

  SECTION("version 2, in the process's own group") {
    system.write("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n");
    system.write("proc/self/cgroup", "0::/user/job\n");
    system.write("sys/fs/cgroup/user/job/memory.max", "4294967296\n");
    CHECK(system.available_with("sys/fs/cgroup/user/job/memory.current", "3221225472\n") == 1 * gib);
    CHECK(system.available_with("sys/fs/cgroup/user/job/memory.stat",
                                "anon 5\ninactive_file 1073741824\nactive_file 7\n") == 2 * gib);
    system.write("sys/fs/cgroup/user/memory.max", "1073741824\n");
    CHECK(system.available_with("sys/fs/cgroup/user/memory.current", "536870912\n") == 512 * mib);
    system.write("sys/fs/cgroup/user/memory.max", "max\n");
    CHECK(system.available_with("sys/fs/cgroup/user/job/memory.max", "1\n") == 0);
  }
  SECTION("version 2, in a container that sees its own group as the top") {
    system.write("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
    system.write("proc/self/cgroup", "0::/\n");
    system.write("sys/fs/cgroup/memory.max", "2147483648\n");
    CHECK(system.available_with("sys/fs/cgroup/memory.current", "0\n") == 2 * gib);
  }
  SECTION("version 1, whose limit is a huge number where there is none") {
    system.write("proc/self/mountinfo",
                 "34 31 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
                 "35 31 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    system.write("proc/self/cgroup", "5:cpu:/fast\n4:memory:/user/job\n0::/\n");
    system.write("sys/fs/cgroup/memory/user/job/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK(system.available_with("sys/fs/cgroup/memory/user/job/memory.usage_in_bytes", "1000\n") == 8 * gib);
    system.write("sys/fs/cgroup/memory/user/memory.limit_in_bytes", "3221225472\n");
    system.write("sys/fs/cgroup/memory/user/memory.usage_in_bytes", "2147483648\n");
    CHECK(system.available_with("sys/fs/cgroup/memory/user/memory.stat",
                                "inactive_file 7\ntotal_inactive_file 1073741824\n") == 2 * gib);
  }
  SECTION("version 1, in a container that is shown only its own group") {
    system.write("proc/self/mountinfo",
                 "35 31 0:29 /docker/12ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
    for (const char* const own : {"4:memory:/docker/12ab\n", "4:memory:/\n"}) {
      system.write("proc/self/cgroup", own);
      system.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
      system.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "0\n");
      CHECK(system.available() == 1 * gib);
    }
  }
}

TEST_CASE("roofs in the host's memory keep within the preset's limit whatever cache is reported") {
  const std::map<preset, std::size_t> most{{preset::smoke, 256 * mib}, {preset::quick, 512 * mib}};
  for (const char* const size : {"16M", "480M", "4G"}) {
    const made_up_cache cache(size);
    // The host, and PoCL and llvmpipe where they are.
    for (const device& d : all_devices()) {
      if (!d.in_host_memory || d.kind == backend::emulated) continue;
      INFO(d.id << " with " << size);
      for (const auto& [level, bytes] : most) {
        CHECK(roof_limit(d, level) <= bytes);
        CHECK(memory_roof_bytes(d, level) <= roof_limit(d, level));
      }
      CHECK(roof_limit(d, preset::paper) <= available_host_bytes() / 2);
      for (const roof& r : {copy_roof(d, memory_roof_bytes(d, preset::smoke)),
                            read_roof(d, memory_roof_bytes(d, preset::smoke))}) {
        CHECK(r.cost.bytes > 0);
        CHECK(r.cost.bytes <= 256 * mib + 64 * kib);  // the host's read writes a cache line a thread besides
        CHECK(r.cost.passes > 0);
        CHECK(r.cost.passes <= 64);
      }
    }
  }
}

TEST_CASE("a memory roof that the reported cache may have served has no value") {
  const device cpu = devices_of(backend::cpu).devices.front();
  const auto rows_with = [&](const char* size) {
    const made_up_cache cache(size);
    return record_roofs(cpu, preset::smoke, roof_label("run", cpu), "");
  };
  for (const char* const metric : {"copy_roof", "read_roof"}) {
    const auto sound = rows_with("16M");
    CHECK(row_of(sound.rows, metric).status == "ok");
    CHECK_THAT(row_of(sound.rows, metric).reason, EndsWith(" passes"));
    const auto flawed = rows_with("480M");
    CHECK(row_of(flawed.rows, metric).status == "skipped");
    CHECK_THAT(row_of(flawed.rows, metric).reason, ContainsSubstring("may be served by the cache"));
    CHECK(row_of(flawed.rows, "flops_roof").status == "ok");
    for (const auto& one : flawed.described) CHECK(one["roof"] == "flops_roof");
    CHECK_FALSE(flawed.has_failures);
  }
}

TEST_CASE("a share is taken of a roof at the case's own footprint, or of one beyond the caches") {
  const device cpu = devices_of(backend::cpu).devices.front();
  {
    const made_up_cache cache("480M");
    CHECK(governing_copy_roof(cpu, 1 * mib, preset::smoke) > 0);
    CHECK_THROWS_WITH(governing_copy_roof(cpu, 1024 * mib, preset::smoke),
                      ContainsSubstring("may be served by the cache"));
    CHECK(governing_limit(cpu, 1024 * mib, 0, preset::smoke).most > 0);
  }
  const made_up_cache cache("16M");
  CHECK(governing_copy_roof(cpu, 1024 * mib, preset::smoke) > 0);
}

TEST_CASE("a cache that is not known, or reported too small, fails no right answer") {
  const device cpu = devices_of(backend::cpu).devices.front();
  for (const char* const size : {"0", "1"}) {
    const made_up_cache cache(size);
    const double in_cache = copy_roof(cpu, 64 * kib).value;
    CHECK(governing_limit(cpu, 64 * kib, .5 * in_cache, preset::smoke).most >= .5 * in_cache);
  }
  const made_up_cache cache("0");
  const auto found = record_roofs(cpu, preset::smoke, roof_label("run", cpu), "");
  CHECK_THAT(row_of(found.rows, "copy_roof").reason, ContainsSubstring("may be served by the cache"));
}

TEST_CASE("caches that the limit cannot flush cost the cold row alone") {
  const device cpu = devices_of(backend::cpu).devices.front();
  {
    const made_up_cache cache("480M");
    CHECK_THROWS_WITH(cache_flush(cpu, preset::smoke), ContainsSubstring("takes 1920 MiB, and the limit is"));
    const measured_case m = measure_on(cpu);
    CHECK(m.rows.front().status == "ok");
    CHECK(row_of(m.rows, "time_1_wait_cold").status == "skipped");
    CHECK(row_of(m.rows, "share_of_copy_roof").status == "ok");
  }
  const made_up_cache cache("16M");
  CHECK(row_of(measure_on(cpu).rows, "time_1_wait_cold").status == "ok");
}

TEST_CASE("a roof that cannot be measured costs the shares of it, and no case that was verified") {
  const roof_registration troubled(backend::emulated, [](const device&) -> std::unique_ptr<roof_probe> {
    return std::make_unique<troubled_probe>();
  });
  int number = 0;
  for (const auto& [thrown, reason] : std::initializer_list<std::pair<std::function<void()>, const char*>>{
           {[] { throw unavailable("no room for arrays"); }, "no room for arrays"},
           {[] { throw std::bad_alloc(); }, "do not fit"},
           {[] { throw error("the probe is broken"); }, "the probe is broken"}}) {
    trouble = thrown;
    device d;
    d.kind = backend::emulated;
    d.id = "troubled:" + std::to_string(number++);
    d.name = "troubled";
    d.pci = d.id;
    const measured_case m = measure_on(d);
    CHECK(m.rows.front().status == "ok");
    CHECK(m.rows.front().value > 0);
    for (const char* const metric : {"share_of_copy_roof", "share_of_flops_roof", "time_1_wait_cold"}) {
      CHECK(row_of(m.rows, metric).status == "skipped");
      CHECK_THAT(row_of(m.rows, metric).reason, ContainsSubstring(reason) || ContainsSubstring("bad_alloc"));
    }
  }
}
