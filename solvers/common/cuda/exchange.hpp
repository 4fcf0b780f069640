// SPDX-License-Identifier: MIT
// Exchanges between GPUs of several ranks, in stream order: borders with neighbours, and small maxima over
// all ranks. NCCL sends from device memory to device memory. With REPRISE_EXCHANGE=host in the environment,
// and in emulation, the data is copied to the host, sent by MPI and copied back, and the host waits for it.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/ranks/communicator.hpp"

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

class exchange {
 public:
  virtual ~exchange() = default;
  // The parcels' addresses are device memory. It must not be changed before the
  // stream has executed the exchange.
  virtual void enqueue(std::span<const ranks::parcel> parcels, cudaStream_t on) = 0;
  // Replaces each of the `count` numbers in device memory by its maximum over all ranks.
  virtual void enqueue_largest(unsigned long long* values, std::size_t count, cudaStream_t on) = 0;
  // Whether the whole exchange happens on the device, so that a CUDA graph can contain it.
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

  // Compares 64-bit numbers in two halves, because a double holds 32 bits exactly but not 64.
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

// The exchange of a single rank, which has no neighbours.
class no_exchange final : public exchange {
 public:
  void enqueue(std::span<const ranks::parcel>, cudaStream_t) override {}
  void enqueue_largest(unsigned long long*, std::size_t, cudaStream_t) override {}
  bool is_on_device() const override { return true; }
};

#ifndef REPRISE_CUDA_EMULATED
// An exchange by NCCL for the current device. All ranks must call it. Throws unavailable on all of them if
// NCCL was not built in, is not found, or fails to start on any rank.
std::unique_ptr<exchange> exchange_by_nccl(ranks::communicator& all);
#endif

// The exchange for the number of ranks and the environment. All ranks must call it;
// throws like exchange_by_nccl().
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
