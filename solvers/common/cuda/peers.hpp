// SPDX-License-Identifier: MIT
// Device memory of each rank into which kernels of the other ranks write: the memory of one GPU is opened by the
// processes of the others (CUDA IPC), and their stores travel over NVLink, or over the bus. In emulation the
// processes share pages of memory. All ranks must be on one host, each with a GPU of its own.
#pragma once

#include <string>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/ranks/agreed.hpp"
#include "solvers/common/ranks/communicator.hpp"

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

// As many values on each rank as that rank asks for, all bytes zero. Its constructor and its destructor are
// collective: memory must not be freed before the other ranks have closed it, nor written before it is cleared.
template <class T>
class peer_buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // Throws unavailable on all ranks if some of them do not reach each other's memory.
  peer_buffer(ranks::communicator& all, std::size_t count) : all_(all) {
    try {
      ranks::agreed(all_, [&] { allocate(bytes_of(count, sizeof(T))); });
      if (all_.size() > 1) open_all();
    } catch (...) {
      release();
      throw;
    }
  }
  peer_buffer(const peer_buffer&) = delete;
  peer_buffer& operator=(const peer_buffer&) = delete;
  ~peer_buffer() { release(); }

  T* data() { return static_cast<T*>(own_); }
  // Another rank's memory, for this rank's kernels.
  T* of(int rank) { return static_cast<T*>(opened_.at(static_cast<std::size_t>(rank))); }

 private:
  void allocate(std::size_t bytes) {
    if (all_.rank_on_host() != all_.rank())
      throw unavailable(
          "GPUs of several hosts do not reach each other's memory: start all ranks on one host");
#ifdef REPRISE_CUDA_EMULATED
    REPRISE_CUDA(cuda_emulated::allocate_for_others(&own_, bytes));
#else
    REPRISE_CUDA(cudaMalloc(&own_, bytes));
#endif
    REPRISE_CUDA(cudaMemset(own_, 0, bytes));
    REPRISE_CUDA(cudaDeviceSynchronize());
  }

  void open_all() {
    std::vector<cudaIpcMemHandle_t> handles(static_cast<std::size_t>(all_.size()));
    const auto mine = static_cast<std::size_t>(all_.rank());
    ranks::agreed(all_, [&] { REPRISE_CUDA(cudaIpcGetMemHandle(&handles[mine], own_)); });
    std::vector<ranks::parcel> parcels;
    for (int rank = 0; rank < all_.size(); ++rank)
      if (rank != all_.rank())
        parcels.push_back({rank, &handles[mine], sizeof handles[mine],
                           &handles[static_cast<std::size_t>(rank)], sizeof handles[mine]});
    all_.exchange(parcels);
    opened_.resize(handles.size(), nullptr);
    ranks::agreed(all_, [&] {
      for (const ranks::parcel& p : parcels) open(p.rank, handles[static_cast<std::size_t>(p.rank)]);
    });
  }

  void open(int rank, const cudaIpcMemHandle_t& handle) {
    void*& memory = opened_[static_cast<std::size_t>(rank)];
    const cudaError_t code = cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess);
    if (code == cudaSuccess) return;
    memory = nullptr;
    static_cast<void>(cudaGetLastError());
    throw unavailable("the GPU does not reach the memory of rank " + std::to_string(rank) + "'s (" +
                      cudaGetErrorName(code) + ": " + cudaGetErrorString(code) + ")");
  }

  void release() {
    for (void* memory : opened_)
      if (memory != nullptr) static_cast<void>(cudaIpcCloseMemHandle(memory));
    if (!opened_.empty()) all_.wait_for_all();
    static_cast<void>(cudaFree(own_));
  }

  ranks::communicator& all_;
  void* own_{};
  std::vector<void*> opened_;  // by rank; null for this one
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
