// SPDX-License-Identifier: MIT
// Tests that the emulation runs correct kernels and reports faulty ones.
#include "verification/tests/support/emulation.hpp"

#include "solvers/common/cuda/wait.hpp"
#include "verification/tests/support/tests.hpp"

namespace {

using namespace reprise;
using testing::says;

constexpr int block_size = 64;
constexpr unsigned full_warp = 0xffffffffU;

template <class T>
std::vector<T> values_of(const cuda::buffer<T>& memory) {
  std::vector<T> values(memory.size());
  memory.download(values.data(), values.size());
  return values;
}

template <class T>
cuda::buffer<T> made_of(const std::vector<T>& values) {
  cuda::buffer<T> memory(values.size());
  memory.upload(values.data(), values.size());
  return memory;
}

template <class T>
std::vector<T> counted(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T{1});
  return values;
}

// What a kernel writes to an array of this size, its last argument.
template <class T, class Kernel, class... Args>
std::vector<T> output_of(std::size_t size, Kernel kernel, dim3 blocks, dim3 threads, Args... args) {
  cuda::buffer<T> out(size);
  cuda::launch(kernel, blocks, threads, 0, nullptr, args..., out.data());
  return values_of(out);
}

__device__ unsigned global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

template <bool with_barrier>
__global__ void reverse(const float* in, float* out) {
  REPRISE_SHARED_ARRAY(float, tile, [block_size]);
  tile[threadIdx.x] = in[global_index()];
  if (with_barrier) __syncthreads();
  out[global_index()] = tile[block_size - 1 - threadIdx.x];
}

std::vector<float> reversed_by(void (*kernel)(const float*, float*), unsigned blocks) {
  const auto in = made_of(counted<float>(std::size_t{blocks} * block_size));
  return output_of<float>(in.size(), kernel, blocks, block_size, in.data());
}

std::vector<float> reversed_blocks(unsigned blocks) {
  auto values = counted<float>(std::size_t{blocks} * block_size);
  for (auto at = values.begin(); at != values.end(); at += block_size) std::reverse(at, at + block_size);
  return values;
}

TEST_CASE("a block reverses its values through shared memory", "[emulation]") {
  CHECK(reversed_by(reverse<true>, 7) == reversed_blocks(7));
}

TEST_CASE("without its barrier the same kernel reads shared memory that nobody wrote", "[emulation]") {
  const auto values = reversed_by(reverse<false>, 7);

  CHECK(std::ranges::any_of(values, [](float v) { return std::isnan(v); }));
}

__global__ void rotate_twice(const float* in, int with_second_barrier, float* out) {
  REPRISE_SHARED_ARRAY(float, tile, [block_size]);
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const float next = tile[(threadIdx.x + 1) % block_size];
  if (with_second_barrier != 0) __syncthreads();
  tile[threadIdx.x] = next;
  __syncthreads();
  out[threadIdx.x] = tile[(threadIdx.x + 1) % block_size];
}

TEST_CASE("a missing barrier between reading and writing again shows", "[emulation]") {
  const auto in = made_of(counted<float>(block_size));
  const auto rotated = [&](int with_second_barrier) {
    return output_of<float>(block_size, rotate_twice, 1, block_size, in.data(), with_second_barrier);
  };
  auto expected = counted<float>(block_size);
  std::ranges::rotate(expected, expected.begin() + 2);

  CHECK(rotated(1) == expected);
  CHECK(rotated(0) != expected);
}

__global__ void copy_uninitialised(const double* global, double* out) {
  REPRISE_SHARED_ARRAY(double, tile, [2][block_size]);
  double* dynamic = cuda::dynamic_shared<double>();
  out[global_index() * 3] = global[global_index()];
  out[global_index() * 3 + 1] = tile[1][threadIdx.x];
  out[global_index() * 3 + 2] = dynamic[threadIdx.x];
  tile[1][threadIdx.x] = 1;  // must not reach the next block
  dynamic[threadIdx.x] = 1;
}

TEST_CASE("unwritten memory is not a number, and shared memory is new for each block", "[emulation]") {
  constexpr std::size_t blocks = 3;
  const cuda::buffer<double> fresh(blocks * block_size);
  cuda::buffer<double> out(3 * fresh.size());

  cuda::launch(copy_uninitialised, blocks, block_size, block_size * sizeof(double), nullptr, fresh.data(),
               out.data());

  CHECK(std::ranges::all_of(values_of(out), [](double v) { return std::isnan(v); }));
}

__global__ void barrier_for_some(int how_many, int others_elsewhere) {
  if (static_cast<int>(threadIdx.x) < how_many) {
    __syncthreads();
  } else if (others_elsewhere != 0) {
    __syncthreads();
  }
}

TEST_CASE("a barrier that some threads never reach is reported", "[emulation]") {
  const auto run = [](int how_many, int others_elsewhere) {
    cuda::launch(barrier_for_some, 2, block_size, 0, nullptr, how_many, others_elsewhere);
  };

  CHECK_NOTHROW(run(block_size, 0));
  CHECK_THROWS_MATCHES(run(5, 0), error,
                       says("barrier not reached by all threads of block (") && says("5 of 64 wait") &&
                           says("emulation_test.cpp"));
  CHECK_THROWS_MATCHES(run(5, 1), error, says("wait at different barriers"));
  CHECK(reversed_by(reverse<true>, 2) == reversed_blocks(2));
}

__global__ void warp_sums(const double* in, double* out) {
  double sum = in[global_index()];
  for (unsigned distance = warpSize / 2; distance != 0; distance /= 2)
    sum += __shfl_down_sync(full_warp, sum, distance);
  if (threadIdx.x % warpSize == 0) out[global_index() / warpSize] = sum;
}

TEST_CASE("a warp adds up by shuffles", "[emulation]") {
  const auto in = made_of(counted<double>(2 * block_size));

  CHECK(output_of<double>(in.size() / warpSize, warp_sums, 2, block_size, in.data()) ==
        std::vector<double>{528, 1552, 2576, 3600});
}

__global__ void exchange(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  int* mine = out + 8 * lane;
  mine[0] = __shfl_sync(full_warp, lane, 9);
  mine[1] = __shfl_sync(full_warp, lane, 11, 8);
  mine[2] = __shfl_up_sync(full_warp, lane, 2, 8);
  mine[3] = __shfl_down_sync(full_warp, lane, 3, 16);
  mine[4] = __shfl_xor_sync(full_warp, lane, 12, 8);
  mine[5] = static_cast<int>(__ballot_sync(full_warp, lane % 5 == 0));
  mine[6] = __any_sync(full_warp, lane == 31) + 2 * __any_sync(full_warp, lane == 32) +
            4 * __all_sync(full_warp, lane < 32) + 8 * __all_sync(full_warp, lane < 31);
  mine[7] = lane % 2 == 0 ? __shfl_xor_sync(0x55555555U, lane, 2) : __shfl_xor_sync(0xaaaaaaaaU, -lane, 2);
}

TEST_CASE("each warp operation gives each lane what CUDA defines", "[emulation]") {
  const auto values = output_of<int>(8 * warpSize, exchange, 1, warpSize);
  for (int lane = 0; lane < warpSize; ++lane) {
    const int* mine = values.data() + 8 * lane;
    CAPTURE(lane);
    CHECK(mine[0] == 9);
    CHECK(mine[1] == lane / 8 * 8 + 3);
    CHECK(mine[2] == (lane % 8 < 2 ? lane : lane - 2));
    CHECK(mine[3] == (lane % 16 > 12 ? lane : lane + 3));
    CHECK(mine[4] == ((lane ^ 12) / 8 > lane / 8 ? lane : lane ^ 12));
    CHECK(mine[5] == 0x42108421);
    CHECK(mine[6] == 5);
    CHECK(mine[7] == (lane % 2 == 0 ? lane ^ 2 : -(lane ^ 2)));
  }
}

__global__ void shuffle_for_some(int* out, unsigned lanes, unsigned mask_of_lane_0) {
  if (threadIdx.x < lanes)
    out[threadIdx.x] = __shfl_xor_sync(threadIdx.x == 0 ? mask_of_lane_0 : full_warp, 1, 1);
}

TEST_CASE("a warp operation that a named lane never reaches is reported", "[emulation]") {
  cuda::buffer<int> out(warpSize);
  const auto run = [&out](unsigned lanes, unsigned mask_of_lane_0) {
    cuda::launch(shuffle_for_some, 1, warpSize, 0, nullptr, out.data(), lanes, mask_of_lane_0);
  };

  CHECK_NOTHROW(run(warpSize, full_warp));
  CHECK_THROWS_MATCHES(run(16, full_warp), error, says("not reached by all lanes"));
  CHECK_THROWS_MATCHES(run(warpSize, 3), error, says("not reached by all lanes"));
  CHECK_THROWS_MATCHES(run(warpSize, 2), error, says("does not name the lane"));
}

__global__ void pass_along_the_warp(int with_syncwarp, int* out) {
  REPRISE_SHARED_ARRAY(int, tile, [warpSize]);
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (with_syncwarp != 0) __syncwarp();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

TEST_CASE("lanes do not march in step unless they are told to", "[emulation]") {
  const auto passed = [](int with_syncwarp) {
    return std::ranges::count(output_of<int>(warpSize, pass_along_the_warp, 1, warpSize, with_syncwarp), -1);
  };

  CHECK(passed(1) == 0);
  CHECK(passed(0) > 0);
}

template <class T>
__global__ void atomics(T* cells) {
  const T mine = static_cast<T>(global_index() + 1);
  atomicAdd(&cells[0], mine);
  if constexpr (!std::is_floating_point_v<T>) {
    atomicMax(&cells[1], mine);
    atomicMin(&cells[2], mine);
    if (atomicCAS(&cells[3], 0, mine) == 0) atomicExch(&cells[4], mine);
  }
}

template <class T>
std::vector<T> after_atomics() {
  auto cells = made_of(std::vector<T>{0, 0, 1000, 0, 0});
  cuda::launch(atomics<T>, 2, block_size, 0, nullptr, cells.data());
  return values_of(cells);
}

template <class T>
void check_integer_atomics() {
  const auto cells = after_atomics<T>();
  CHECK(cells[0] == 8256);
  CHECK(cells[1] == 128);
  CHECK(cells[2] == 1);
  CHECK(cells[3] != 0);
  CHECK(cells[4] == cells[3]);
}

TEST_CASE("atomics of all threads add up", "[emulation]") {
  check_integer_atomics<int>();
  check_integer_atomics<unsigned>();
  check_integer_atomics<unsigned long long>();
  CHECK(after_atomics<float>()[0] == 8256);
  CHECK(after_atomics<double>()[0] == 8256);
}

__global__ void fetch(cudaTextureObject_t object, float2* out) {
  const int i = static_cast<int>(threadIdx.x);
  out[i] = tex1Dfetch<float2>(object, i - 1);
}

TEST_CASE("a texture reads its buffer, and zero outside", "[emulation]") {
  const auto in = made_of(std::vector<float2>{{1, 2}, {3, 4}});
  const cuda::texture<float2> texture(in);

  const auto values = output_of<float2>(4, fetch, 1, 4, texture.get());

  const std::vector<float2> expected{{0, 0}, {1, 2}, {3, 4}, {0, 0}};
  CHECK(std::ranges::equal(values, expected, [](float2 a, float2 b) { return a.x == b.x && a.y == b.y; }));
}

TEST_CASE("pitched rows take and give a rectangle", "[emulation]") {
  cuda::pitched<float> rows(130, 4);
  REQUIRE(rows.pitch() == 256);
  rows.fill_bytes(0);
  const auto in = counted<float>(6);

  rows.upload(in.data(), 3, 2, 127, 1);

  std::vector<float> window(5 * 4);
  rows.download(window.data(), 5, 4, 126, 0);
  CHECK(window == std::vector<float>{0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 0, 0, 0, 0, 0, 0});
  CHECK_THROWS_AS(rows.upload(in.data(), 3, 2, 127, 3), error);
  CHECK_THROWS_AS(rows.upload(in.data(), 3, 2, 255, 0), error);
}

__global__ void ping_pong(unsigned* flags, unsigned* trace, unsigned turns, cuda::patience most) {
  const unsigned me = blockIdx.x;
  for (unsigned turn = 0; turn < turns; ++turn) {
    if (threadIdx.x == 0) {
      for (cuda::wait<> w(most); cuda::load_acquire(&flags[me]) != turn;) w.pause();
      trace[turn * gridDim.x + me] = atomicAdd(&flags[gridDim.x], 1U);
      __threadfence();
      const bool last = me + 1 == gridDim.x;
      cuda::store_release(&flags[last ? 0 : me + 1], last ? turn + 1 : turn);
    }
    __syncthreads();
  }
}

TEST_CASE("blocks of a resident launch take turns", "[emulation]") {
  constexpr unsigned blocks = 24;
  constexpr unsigned turns = 20;
  std::vector<unsigned> start(blocks + 1, 0);
  for (unsigned b = 1; b < blocks; ++b) start[b] = ~0U;
  auto flags = made_of(start);
  cuda::buffer<unsigned> trace(std::size_t{blocks} * turns);

  cuda::launch_resident(ping_pong, blocks, 512, 0, nullptr, flags.data(), trace.data(), turns,
                        cuda::usual_patience());

  std::vector<unsigned> expected(trace.size());
  std::iota(expected.begin(), expected.end(), 0U);
  CHECK(values_of(trace) == expected);
}

__global__ void wait_for_ever(const unsigned* flag, cuda::patience most) {
  if (threadIdx.x == 0)
    for (cuda::wait<> w(most); cuda::load_acquire(flag) != 1;) w.pause();
  __syncthreads();
}

TEST_CASE("a launch that waits for itself is reported as a deadlock", "[emulation]") {
  const auto flag = made_of(std::vector<unsigned>{0});

  CHECK_THROWS_MATCHES(
      cuda::launch_resident(wait_for_ever, 4, block_size, 0, nullptr, flag.data(), cuda::usual_patience()),
      error, says("deadlock") && says("4 threads spin"));
  CHECK_THROWS_MATCHES(
      cuda::launch(wait_for_ever, 4, block_size, 0, nullptr, flag.data(), cuda::usual_patience()), error,
      says("deadlock") && says("need launch_resident"));
}

__global__ void nothing() {}

__global__ void fill(float* out, float value) {
  out[global_index()] = value;
}

TEST_CASE("what the device cannot hold is unavailable, with its numbers", "[emulation]") {
  CHECK_THROWS_MATCHES(cuda::buffer<float>(std::size_t{1} << 40), unavailable,
                       says("does not fit: 4398046511104 bytes"));
  CHECK_THROWS_AS(cuda::buffer<double>(~std::size_t{0}), unavailable);
  CHECK_THROWS_AS(cuda::pitched<double>(~std::size_t{0} / 8, 8), unavailable);
  CHECK_THROWS_MATCHES(cuda::launch_resident(nothing, 17, 1024, 0, nullptr), unavailable,
                       says("17 blocks of 1024 threads") && says("holds 16"));
  CHECK_THROWS_MATCHES(cuda::launch(nothing, 1, 32, 300'000, nullptr), unavailable,
                       says("300000 bytes of shared memory"));
  CHECK_NOTHROW(cuda::launch_resident(nothing, 16, 1024, 200'000, nullptr));
}

TEST_CASE("a failed launch throws, names itself and leaves the memory alone", "[emulation]") {
  auto out = made_of(std::vector<float>(block_size, 1));
  const auto run = [&](unsigned threads) { cuda::launch(fill, 1, threads, 16, nullptr, out.data(), 2.0F); };

  cuda::plant({.call = "launch", .code = "cudaErrorLaunchFailure"});

  CHECK_THROWS_MATCHES(run(block_size), error,
                       says("launch of 1x1x1 blocks of 64x1x1 threads with 16 bytes") &&
                           says("cudaErrorLaunchFailure (unspecified launch failure)") &&
                           says("emulation_test.cpp:"));
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(values_of(out) == std::vector<float>(block_size, 1));
  CHECK_THROWS_MATCHES(run(2048), error, says("cudaErrorInvalidConfiguration"));
  CHECK_THROWS_AS(cuda::plant({.call = "launch", .code = "cudaErrorOfMyOwn"}), error);
  run(block_size);
  CHECK(values_of(out) == std::vector<float>(block_size, 2));
}

TEST_CASE("a call that fails names itself, its code and its place", "[emulation]") {
  device second;
  second.index = 1;

  CHECK_THROWS_MATCHES(cuda::use_device(second), error,
                       says("cudaSetDevice(d.index) failed: cudaErrorInvalidDevice") && says("call.hpp:"));
}

TEST_CASE("host memory is refused where a device would need its own", "[emulation]") {
  std::vector<float> host(block_size);
  cuda::buffer<float> memory(block_size);

  CHECK_THROWS_MATCHES(cuda::launch(fill, 1, block_size, 0, nullptr, host.data(), 1.0F), error,
                       says("argument 1 of a kernel"));
  CHECK_THROWS_AS(memory.upload(host.data(), block_size, 1), error);
  CHECK_THROWS_AS(REPRISE_CUDA(cudaMemcpy(host.data(), host.data(), 4, cudaMemcpyDeviceToHost)), error);
}

__global__ void order_of_arrival(unsigned* counters, unsigned* order) {
  for (unsigned phase = 0; phase < 3; ++phase) {
    order[phase * blockDim.x + threadIdx.x] = atomicAdd(&counters[phase], 1U);
    __syncthreads();
  }
}

TEST_CASE("the order of threads differs between barriers, and repeats in the next launch", "[emulation]") {
  const auto orders = [] {
    auto counters = made_of(std::vector<unsigned>(3, 0));
    return output_of<unsigned>(3 * block_size, order_of_arrival, 1, block_size, counters.data());
  };

  const auto first = orders();

  const auto phase = [&first](int p) {
    return std::vector(first.begin() + p * block_size, first.begin() + (p + 1) * block_size);
  };
  CHECK_FALSE(std::ranges::is_sorted(phase(0)));
  CHECK(phase(0) != phase(1));
  CHECK(phase(1) != phase(2));
  CHECK(orders() == first);
}

__global__ void throw_from_one(int which) {
  __syncthreads();
  if (static_cast<int>(threadIdx.x) == which) throw unavailable("thrown by a thread");
  __syncthreads();
}

TEST_CASE("what a thread throws reaches the launch, and the next launch is whole", "[emulation]") {
  CHECK_THROWS_AS(cuda::launch(throw_from_one, 3, block_size, 0, nullptr, 17), unavailable);
  CHECK(reversed_by(reverse<true>, 3) == reversed_blocks(3));
}

__global__ void index_of(uint3* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] =
      make_uint3(threadIdx.x + 10 * blockIdx.x, threadIdx.y + 10 * blockIdx.y, threadIdx.z + 10 * blockIdx.z);
}

TEST_CASE("grids and blocks have three dimensions", "[emulation]") {
  const dim3 grid(2, 3, 4);
  const dim3 block(5, 2, 3);

  const auto values = output_of<uint3>(cuda::volume(grid) * cuda::volume(block), index_of, grid, block);

  const uint3 last = values.back();
  CHECK((last.x == 14 && last.y == 21 && last.z == 32));
  const uint3 second_row = values[5];
  CHECK((second_row.x == 0 && second_row.y == 1 && second_row.z == 0));
}

TEST_CASE("of a number and a NaN, min and max give the number", "[emulation]") {
  CHECK(max(NAN, 1.0F) == 1);
  CHECK(min(1.0, std::nan("")) == 1);
  CHECK(max(-1, 2U) == ~0U);  // as in CUDA, the common type is unsigned
}

TEST_CASE("the stopwatch of a stream runs forward", "[emulation]") {
  cuda::stream work;
  cuda::event_stopwatch clock(work.get());
  cuda::buffer<float> out(block_size);

  clock.start();
  cuda::launch(fill, 1, block_size, 0, work, out.data(), 1.0F);
  work.synchronize();

  CHECK(clock.stop() > 0);
}

TEST_CASE("the emulated device is always found", "[emulation]") {
  const discovery& found = devices_of(backend::emulated);

  REQUIRE(found.devices.size() == 1);
  CHECK(found.devices.front().id == "emulated");
  CHECK(found.devices.front().name == "CUDA emulation on the CPU");
  CHECK_NOTHROW(cuda::use_device(found.devices.front()));
}

}  // namespace
