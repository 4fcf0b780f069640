// SPDX-License-Identifier: MIT
// What GPUs of several ranks exchange, in the order of a stream: borders with neighbours, small maxima with
// all. NCCL sends from device memory to device memory. Where REPRISE_EXCHANGE=host is in the environment, and
// in emulation, MPI sends what is copied to the host and back, and the host waits for it.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "solvers/common/communicator.hpp"
#include "solvers/common/cuda.hpp"

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

// A stream whose blocks start before all others as soon as there is room for them.
class urgent_stream {
 public:
  urgent_stream() {
    int least = 0;
    int greatest = 0;
    REPRISE_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    REPRISE_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamDefault, greatest));
  }
  urgent_stream(const urgent_stream&) = delete;
  urgent_stream& operator=(const urgent_stream&) = delete;
  ~urgent_stream() { static_cast<void>(cudaStreamDestroy(stream_)); }

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_{};
};

// Lets one stream wait for another, without the host.
class signal {
 public:
  signal() { REPRISE_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  signal(const signal&) = delete;
  signal& operator=(const signal&) = delete;
  ~signal() { static_cast<void>(cudaEventDestroy(event_)); }

  void give(cudaStream_t from) { REPRISE_CUDA(cudaEventRecord(event_, from)); }
  void await(cudaStream_t on) { REPRISE_CUDA(cudaStreamWaitEvent(on, event_, 0)); }

 private:
  cudaEvent_t event_{};
};

class exchange {
 public:
  virtual ~exchange() = default;
  // The parcels' addresses are device memory, which must be left alone until the stream has come so far.
  virtual void enqueue(std::span<const ranks::parcel> parcels, cudaStream_t on) = 0;
  // Each of the numbers in device memory becomes the largest that any rank has.
  virtual void enqueue_largest(unsigned long long* values, std::size_t count, cudaStream_t on) = 0;
  // Whether all of it happens on the device, so that a graph can hold it.
  virtual bool is_on_device() const = 0;
};

class exchange_through_host final : public exchange {
 public:
  explicit exchange_through_host(ranks::communicator& all) : all_(all) {}

  void enqueue(std::span<const ranks::parcel> parcels, cudaStream_t on) override {
    std::vector<ranks::parcel> here(parcels.begin(), parcels.end());
    std::size_t bytes = 0;
    for (const ranks::parcel& p : parcels) bytes += p.from_bytes + p.to_bytes;
    if (memory_.size() < bytes) memory_.resize(bytes);
    std::byte* next = memory_.data();
    for (ranks::parcel& p : here) {
      if (p.from_bytes > 0)
        REPRISE_CUDA(cudaMemcpyAsync(next, p.from, p.from_bytes, cudaMemcpyDeviceToHost, on));
      p.from = next;
      p.to = next + p.from_bytes;
      next += p.from_bytes + p.to_bytes;
    }
    REPRISE_CUDA(cudaStreamSynchronize(on));
    all_.exchange(here);
    for (std::size_t n = 0; n < here.size(); ++n)
      if (here[n].to_bytes > 0)
        REPRISE_CUDA(
            cudaMemcpyAsync(parcels[n].to, here[n].to, here[n].to_bytes, cudaMemcpyHostToDevice, on));
  }

  // Of 64 bits in two halves, which numbers in double precision hold.
  void enqueue_largest(unsigned long long* values, std::size_t count, cudaStream_t on) override {
    std::vector<unsigned long long> mine(count);
    REPRISE_CUDA(cudaMemcpyAsync(mine.data(), values, count * sizeof(*values), cudaMemcpyDeviceToHost, on));
    REPRISE_CUDA(cudaStreamSynchronize(on));
    for (unsigned long long& value : mine) {
      const auto high = static_cast<unsigned long long>(all_.largest(static_cast<double>(value >> 32U)));
      const auto low = value >> 32U == high ? value & 0xffffffffU : 0;
      value = high << 32U | static_cast<unsigned long long>(all_.largest(static_cast<double>(low)));
    }
    REPRISE_CUDA(cudaMemcpyAsync(values, mine.data(), count * sizeof(*values), cudaMemcpyHostToDevice, on));
    REPRISE_CUDA(cudaStreamSynchronize(on));
  }

  bool is_on_device() const override { return false; }

 private:
  ranks::communicator& all_;
  std::vector<std::byte> memory_;
};

// Of one rank, which has nobody to exchange with.
class no_exchange final : public exchange {
 public:
  void enqueue(std::span<const ranks::parcel>, cudaStream_t) override {}
  void enqueue_largest(unsigned long long*, std::size_t, cudaStream_t) override {}
  bool is_on_device() const override { return true; }
};

#ifndef REPRISE_CUDA_EMULATED
// For the device in use. All ranks must call it; throws unavailable on all of them where NCCL was not built
// in, is not found, or does not start on one.
std::unique_ptr<exchange> exchange_by_nccl(ranks::communicator& all);
#endif

// As above.
inline std::unique_ptr<exchange> make_exchange(ranks::communicator& all) {
  if (all.size() == 1) return std::make_unique<no_exchange>();
#ifndef REPRISE_CUDA_EMULATED
  const char* const wanted = std::getenv("REPRISE_EXCHANGE");
  if (wanted == nullptr || std::strcmp(wanted, "host") != 0) return exchange_by_nccl(all);
#endif
  return std::make_unique<exchange_through_host>(all);
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
