// SPDX-License-Identifier: MIT
// Tests clusters in emulation: messages between blocks, barriers of some threads, and the matrix unit.
#include "verification/tests/support/emulation.hpp"

#include "solvers/common/cuda/barrier.hpp"
#include "solvers/common/cuda/cluster.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using testing::says;

namespace {

constexpr unsigned block_threads = 64;
constexpr unsigned bytes_of_pair = sizeof(double2);

template <class T>
std::vector<T> values_of(const cuda::buffer<T>& memory) {
  std::vector<T> values(memory.size());
  memory.download(values.data(), values.size());
  return values;
}

struct ring_desk {
  static constexpr unsigned steps = 4;

  double2 arrived[steps];
  cuda::mailbox boxes[steps];
};

// How a kernel of a ring departs from a correct one.
enum class flaw {
  none,
  read_before_received,
  unopened,
  expected_twice,
  too_few_bytes,
  ended_early,
  global_target
};

// Each block passes a number to the next block of its cluster, which adds its own rank; around the cluster, and
// several times, so that the mailboxes have several phases.
__global__ void pass_around(double* out, flaw what, cuda::patience most) {
  auto* const d = cuda::dynamic_shared<ring_desk>();
  const unsigned rank = cuda::rank_in_cluster(), blocks = gridDim.x / 2;
  if (threadIdx.x == 0 && what != flaw::unopened)
    for (cuda::mailbox& box : d->boxes) cuda::open_mailbox(&box);
  double value = 0;
  const unsigned rounds = what == flaw::none ? 3 : 1;
  for (unsigned round = 0; round < rounds; ++round) {
    cuda::synchronize_cluster();
    value = rank;
    for (unsigned step = 0; step + 1 < blocks; ++step) {
      if (threadIdx.x == 0) {
        cuda::expect(&d->boxes[step], bytes_of_pair);
        if (what == flaw::expected_twice) cuda::expect(&d->boxes[step], bytes_of_pair);
        double2* const to = what == flaw::global_target ? reinterpret_cast<double2*>(out) : &d->arrived[step];
        cuda::send_if(what != flaw::too_few_bytes, (rank + 1) % blocks, cuda::address_of(to), {value, 0},
                      cuda::address_of(&d->boxes[step]));
      }
      if (what == flaw::ended_early && rank == 0) return;
      if (what != flaw::read_before_received) cuda::receive(&d->boxes[step], round % 2, most);
      value = d->arrived[step].x + rank;
      if (what == flaw::read_before_received) cuda::receive(&d->boxes[step], round % 2, most);
    }
  }
  cuda::synchronize_cluster();
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

std::vector<double> passed_around(unsigned cluster, flaw what, cuda::scheduling kind) {
  cuda::buffer<double> out(std::size_t{2} * cluster);
  cuda::start({kind, cluster}, pass_around, 2 * cluster, block_threads, sizeof(ring_desk), nullptr,
              out.data(), what, cuda::patience_of(.2));
  return values_of(out);
}

// Two halves of a block meet at barriers of their own; the first half also with the whole.
__global__ void meet_in_halves(int* out, int missing) {
  REPRISE_SHARED_ARRAY(int, desk, [2][32]);
  const unsigned half = threadIdx.x / 32, lane = threadIdx.x % 32;
  desk[half][lane] = static_cast<int>(threadIdx.x);
  if (half == 0 && static_cast<int>(threadIdx.x) != missing) {
    cuda::meet<1, 32>();
  } else if (half == 1) {
    cuda::meet<2, 32>();
  }
  out[threadIdx.x] = desk[half][31 - lane];
}

__global__ void count_differently(int* out) {
  if (threadIdx.x < 32) {
    cuda::meet<1, 32>();
  } else {
    cuda::meet<1, 64>();
  }
  out[threadIdx.x] = 1;
}

// The second half writes and goes on, then both halves meet. The first half reads what the second has written.
__global__ void hand_over(int* out, unsigned missing, unsigned count) {
  REPRISE_SHARED_ARRAY(int, desk, [32]);
  const unsigned half = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (half == 0) {
    cuda::meet<1>(64);
    out[lane] = desk[lane];
  } else if (lane != missing) {
    desk[lane] = static_cast<int>(lane);
    cuda::arrive<1>(count);
  }
}

__global__ void multiply(const double* a, const double* b, double2* c) {
  const unsigned lane = threadIdx.x;
  cuda::multiply_add_8x8x4(c[lane], a[lane], b[lane]);
  cuda::multiply_add_8x8x4(c[lane], a[lane], b[lane]);
}

}  // namespace

TEST_CASE("messages go around a cluster, whether its grid is resident or not", "[emulation]") {
  for (const cuda::scheduling kind : {cuda::scheduling::any, cuda::scheduling::cooperative})
    for (const unsigned cluster : {2U, 5U}) {
      std::vector<double> expected;
      const double sum = cluster * (cluster - 1) / 2.0;
      expected.assign(std::size_t{2} * cluster, sum);
      CHECK(passed_around(cluster, flaw::none, kind) == expected);
    }
}

TEST_CASE("a message that is read before it is received is not there yet", "[emulation]") {
  const auto values = passed_around(4, flaw::read_before_received, cuda::scheduling::any);

  CHECK(std::ranges::any_of(values, [](double v) { return std::isnan(v); }));
}

TEST_CASE("wrong use of a mailbox is reported", "[emulation]") {
  const auto run = [](flaw what) { passed_around(3, what, cuda::scheduling::any); };
  CHECK_THROWS_MATCHES(run(flaw::unopened), error, says("a mailbox is used that nobody has opened"));
  CHECK_THROWS_MATCHES(run(flaw::expected_twice), error, says("told twice in one phase"));
  CHECK_THROWS_MATCHES(run(flaw::too_few_bytes), error, says("in vain") || says("deadlock"));
  CHECK_THROWS_MATCHES(run(flaw::ended_early), error,
                       says("a message arrives in block (") && says("whose threads have all ended"));
  CHECK_THROWS_MATCHES(run(flaw::global_target), error, says("only dynamic shared memory"));
}

TEST_CASE("a cluster that no device has is refused", "[emulation]") {
  cuda::buffer<double> out(64);
  const auto run = [&](unsigned blocks, unsigned cluster) {
    cuda::start({cuda::scheduling::any, cluster}, pass_around, blocks, block_threads, sizeof(ring_desk),
                nullptr, out.data(), flaw::none, cuda::patience_of(.2));
  };
  CHECK_THROWS_MATCHES(run(34, 17), error, says("cudaErrorInvalidClusterSize"));
  CHECK_THROWS_MATCHES(run(5, 2), error, says("cudaErrorInvalidClusterSize"));
  CHECK(cuda::clusters_together(pass_around, block_threads, sizeof(ring_desk), 16) > 0);
}

TEST_CASE("some of a block's threads meet at a barrier of their own", "[emulation]") {
  cuda::buffer<int> out(64);
  std::vector<int> expected(64);
  for (int k = 0; k < 64; ++k) expected[static_cast<std::size_t>(k)] = k / 32 * 32 + 31 - k % 32;

  cuda::launch(meet_in_halves, 1, 64, 0, nullptr, out.data(), -1);

  CHECK(values_of(out) == expected);
  CHECK_THROWS_MATCHES(cuda::launch(meet_in_halves, 1, 64, 0, nullptr, out.data(), 7), error,
                       says("a named barrier is not reached by all"));
  CHECK_THROWS_MATCHES(cuda::launch(count_differently, 1, 64, 0, nullptr, out.data()), error,
                       says("expect") && says("named barrier 1"));
}

TEST_CASE("some of a block's threads arrive at a barrier where others wait", "[emulation]") {
  cuda::buffer<int> out(32);
  std::vector<int> expected(32);
  for (int k = 0; k < 32; ++k) expected[static_cast<std::size_t>(k)] = k;
  constexpr unsigned nobody = 32;
  const auto handed_over = [&](unsigned missing, unsigned count) {
    cuda::launch(hand_over, 1, 64, 0, nullptr, out.data(), missing, count);
    return values_of(out);
  };

  CHECK(handed_over(nobody, 64) == expected);
  CHECK_THROWS_MATCHES(handed_over(7, 64), error, says("a named barrier is not reached by all"));
  CHECK_THROWS_MATCHES(handed_over(nobody, 32), error, says("expect") && says("named barrier 1"));
}

TEST_CASE("the matrix unit multiplies 8 x 4 by 4 x 8 values", "[emulation]") {
  std::vector<double> a(32), b(32);
  for (std::size_t k = 0; k < 32; ++k) {
    a[k] = static_cast<double>(k % 7) - 3;
    b[k] = static_cast<double>(k % 5) - 1;
  }
  std::vector<double2> c(32, double2{.5, -.25});
  const auto a_there = cuda::uploaded(a), b_there = cuda::uploaded(b);
  auto c_there = cuda::uploaded(c);

  cuda::launch(multiply, 1, 32, 0, nullptr, a_there.data(), b_there.data(), c_there.data());

  const auto found = values_of(c_there);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    double2 expected{.5, -.25};
    for (std::size_t k = 0; k < 4; ++k) {
      const double left = 2 * a[lane / 4 * 4 + k];
      expected.x += left * b[2 * (lane % 4) * 4 + k];
      expected.y += left * b[(2 * (lane % 4) + 1) * 4 + k];
    }
    CHECK(found[lane].x == expected.x);
    CHECK(found[lane].y == expected.y);
  }
}

TEST_CASE("a kernel reads and writes memory of the host that is mapped", "[emulation]") {
  const cuda::mapped<double> a(32), b(32);
  cuda::mapped<double2> c(32);
  std::fill_n(a.data(), 32, 1.0);
  std::fill_n(b.data(), 32, 2.0);
  std::fill_n(c.data(), 32, double2{});

  cuda::launch(multiply, 1, 32, 0, nullptr, a.on_device(), b.on_device(), c.on_device());

  CHECK(std::all_of(c.data(), c.data() + 32, [](double2 v) { return v.x == 16 && v.y == 16; }));
}
