// SPDX-License-Identifier: MIT
// Tests how many threads run on the host's processors, and where.
#include "solvers/common/base/host_processors.hpp"

#include <omp.h>

#include <semaphore>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "verification/tests/support/temporary_folder.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;

namespace {

int usable_with(const std::string& mounts, const std::string& own, const std::string& file,
                const std::string& text) {
  const testing::temporary_folder root;
  for (const auto& [name, content] :
       {std::pair{std::string("proc/self/mountinfo"), mounts}, {"proc/self/cgroup", own}, {file, text}}) {
    const auto path = root.path() / name;
    std::filesystem::create_directories(path.parent_path());
    testing::put(path, content);
  }
  return usable_processors(root.path());
}

}  // namespace

TEST_CASE("the processors to be used are those allowed, and no more than a quota has time for") {
  const auto allowed = static_cast<int>(allowed_processors().size());
  REQUIRE(allowed > 0);
  const std::string mounts = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  const std::string file = "sys/fs/cgroup/job/cpu.max";
  CHECK(usable_with(mounts, "0::/job\n", file, "max 100000\n") == allowed);
  CHECK(usable_with(mounts, "0::/job\n", file, "100000 100000\n") == 1);
  CHECK(usable_with(mounts, "0::/job\n", file, "50000 100000\n") == 1);
  CHECK(usable_with(mounts, "0::/job/inner\n", file, "100000 100000\n") == 1);  // of the group above
  CHECK(usable_with(mounts, "0::/job\n", file, "no number\n") == allowed);
  CHECK(usable_with("34 31 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
                    "5:cpu,cpuacct:/job\n", "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n") == allowed);
}

TEST_CASE("more threads than processors are refused with the number to give") {
  const int usual = omp_get_max_threads();
  omp_set_num_threads(usable_processors() + 1);
  CHECK_THROWS_WITH(require_processors_for_threads(),
                    ContainsSubstring("give at most " + std::to_string(usable_processors())));
  omp_set_num_threads(usable_processors());
  CHECK_NOTHROW(require_processors_for_threads());
  omp_set_num_threads(usual);
}

TEST_CASE("bound threads but the first stay on one processor each and are free afterwards") {
  const auto before = allowed_processors();
  std::set<int> taken;
  {
    const bound_threads bound;
#pragma omp parallel num_threads(static_cast <int>(before.size()))
    {
      const auto own = allowed_processors();
#pragma omp critical
      if (own.size() == 1) taken.insert(own.front());
    }
  }
  if (!is_told_where_threads_go() && omp_get_max_threads() >= static_cast<int>(before.size()))
    CHECK(taken.size() == before.size() - 1);
  CHECK(allowed_processors() == before);
}

TEST_CASE("a bound first thread stays on the first processor, apart from the bound threads of its team") {
  const auto before = allowed_processors();
  if (before.size() < 2 || is_told_where_threads_go())
    SKIP("one processor, or the environment says where threads go");
  std::multiset<int> taken;
  {
    const bound_threads bound;
    const bound_first_thread first;
#pragma omp parallel num_threads(2)
    {
      const auto own = allowed_processors();
#pragma omp critical
      taken.insert(own.begin(), own.end());
    }
  }
  CHECK(taken == std::multiset<int>{before[0], before[1]});
  CHECK(allowed_processors() == before);
}

TEST_CASE("free threads leave the processor of a bound first thread to it, and have it again afterwards") {
  const auto before = allowed_processors();
  if (before.size() < 2 || is_told_where_threads_go())
    SKIP("one processor, or the environment says where threads go");
  std::binary_semaphore asked(0), told(0);
  std::vector<int> own;
  std::jthread free_thread([&](const std::stop_token& end) {
    for (asked.acquire(); !end.stop_requested(); asked.acquire()) {
      own = allowed_processors();
      told.release();
    }
  });
  const auto processors_of_it = [&] {
    asked.release();
    told.acquire();
    return own;
  };
  CHECK(processors_of_it() == before);
  {
    const bound_first_thread first;
    CHECK(processors_of_it() == std::vector<int>(before.begin() + 1, before.end()));
  }
  CHECK(processors_of_it() == before);
  free_thread.request_stop();
  asked.release();
}

TEST_CASE(
    "a thread that starts beside bound threads is not confined to the processor of the one that started it") {
  const auto before = allowed_processors();
  if (before.size() < 2) SKIP("one processor");
  const bound_threads bound;
  std::vector<int> started;
  std::thread([&] { started = allowed_processors(); }).join();
  CHECK(started == before);
}
