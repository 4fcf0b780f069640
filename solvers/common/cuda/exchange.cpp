// SPDX-License-Identifier: MIT
// Exchange by NCCL. The library is loaded at run time when it is first needed, so a program built
// with NCCL's header still runs without the library and reports that it is missing. Built only if
// the CUDA Toolkit is present.
#include "solvers/common/cuda/exchange.hpp"

#include <array>

#ifdef REPRISE_HAS_NCCL
#include <nccl.h>

#include "solvers/common/base/late_library.hpp"
#include "solvers/common/ranks/agreed.hpp"
#endif

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

#ifdef REPRISE_HAS_NCCL
namespace {

const late_library& functions() {
  static const late_library loaded(
      {"libnccl.so.2"},
      "install NVIDIA's libnccl2, name its folder in LD_LIBRARY_PATH, or set "
      "REPRISE_EXCHANGE=host to exchange through the hosts' memory, which is slower");
  return loaded;
}

#define REPRISE_NCCL_FUNCTION(NAME) static const auto NAME##_found = functions().find<decltype(::NAME)>(#NAME)

void require(ncclResult_t code, const char* call) {
  if (code == ncclSuccess) return;
  REPRISE_NCCL_FUNCTION(ncclGetErrorString);
  REPRISE_NCCL_FUNCTION(ncclGetLastError);
  std::string last = ncclGetLastError_found(nullptr);
  last.resize(std::min(last.size(), last.find('\n')));
  throw error(std::string(call) + " failed: " + ncclGetErrorString_found(code) +
              (last.empty() ? "" : " (" + last + ")"));
}

#define REPRISE_NCCL(NAME, ...)                \
  do {                                         \
    REPRISE_NCCL_FUNCTION(NAME);               \
    require(NAME##_found(__VA_ARGS__), #NAME); \
  } while (false)

class nccl_exchange final : public exchange {
 public:
  nccl_exchange(const ncclUniqueId& id, int rank, int size) {
    REPRISE_NCCL(ncclCommInitRank, &all_, size, id, rank);
  }
  nccl_exchange(const nccl_exchange&) = delete;
  nccl_exchange& operator=(const nccl_exchange&) = delete;
  ~nccl_exchange() override {
    REPRISE_NCCL_FUNCTION(ncclCommDestroy);
    static_cast<void>(ncclCommDestroy_found(all_));
  }

  void enqueue(std::span<const ranks::parcel> parcels, cudaStream_t on) override {
    REPRISE_NCCL(ncclGroupStart);
    for (const ranks::parcel& p : parcels) {
      if (p.from_bytes > 0) REPRISE_NCCL(ncclSend, p.from, p.from_bytes, ncclInt8, p.rank, all_, on);
      if (p.to_bytes > 0) REPRISE_NCCL(ncclRecv, p.to, p.to_bytes, ncclInt8, p.rank, all_, on);
    }
    REPRISE_NCCL(ncclGroupEnd);
  }

  void enqueue_largest(unsigned long long* values, std::size_t count, cudaStream_t on) override {
    REPRISE_NCCL(ncclAllReduce, values, values, count, ncclUint64, ncclMax, all_, on);
  }

  bool is_on_device() const override { return true; }

 private:
  ncclComm_t all_{};
};

}  // namespace

std::unique_ptr<exchange> exchange_by_nccl(ranks::communicator& all) {
  // All ranks must agree that the library is there before the first call in which they wait for each other.
  ncclUniqueId id{};
  ranks::agreed(all, [&] {
    functions();
    if (all.rank() == 0) REPRISE_NCCL(ncclGetUniqueId, &id);
  });
  if (all.rank() == 0) {
    ranks::message m;
    m.put(id);
    for (int r = 1; r < all.size(); ++r) all.send(r, m);
  } else {
    id = all.receive(0).get<ncclUniqueId>();
  }
  std::unique_ptr<exchange> made;
  ranks::agreed(all, [&] { made = std::make_unique<nccl_exchange>(id, all.rank(), all.size()); });
  return made;
}

#else

std::unique_ptr<exchange> exchange_by_nccl(ranks::communicator&) {
  throw unavailable("GPUs of several ranks cannot exchange: built without NCCL, " REPRISE_NCCL_REASON
                    "; REPRISE_EXCHANGE=host in the environment exchanges through the hosts' memory, which "
                    "is slower");
}

#endif

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
