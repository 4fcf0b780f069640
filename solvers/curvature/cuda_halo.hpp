// SPDX-License-Identifier: MIT
// Exchanges of a rank's rows with its neighbours: edge rows are sent, received rows become the halo of the
// new surface, and the largest error becomes the maximum over all ranks.
#pragma once

#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/cuda/exchange.hpp"
#include "solvers/common/ranks/ranks.hpp"
#include "solvers/curvature/cuda_attempt.hpp"
#include "solvers/curvature/row_blocks.hpp"

namespace reprise::curvature {
inline namespace REPRISE_CUDA_FLAVOUR {

// Up to two batches of rows, selected by blockIdx.y. Only the device knows which surface is the new one, so
// rows travel through buffers at a fixed address.
struct batches {
  int first_lower, first_upper;  // first row of each batch
  int rows;                      // number of rows of either batch

  __device__ int first() const { return blockIdx.y == 0 ? first_lower : first_upper; }
};

template <class Real>
__device__ Real* new_surface(const fields<Real>& f, int parity) {
  return f.decided[parity].current == 0 ? f.u[1] : f.u[0];
}

template <class Real>
__global__ void pack_rows(fields<Real> f, int parity, batches of, Real* packed) {
  const int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int batch = of.rows * f.pitch;
  if (n < batch)
    packed[static_cast<int>(blockIdx.y) * batch + n] = new_surface(f, parity)[f.place(n, of.first())];
}

template <class Real>
__global__ void unpack_rows(fields<Real> f, int parity, batches of, const Real* packed) {
  const int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int batch = of.rows * f.pitch;
  if (n < batch)
    new_surface(f, parity)[f.place(n, of.first())] = packed[static_cast<int>(blockIdx.y) * batch + n];
}

template <class Real>
class halo {
 public:
  halo(const fields<Real>& f, const row_block& b, int rows, const ranks::communicator& all,
       cuda::exchange& between)
      : fields_(f), between_(between), rows_(rows) {
    if (all.rank() > 0) add_neighbour(all.rank() - 1, b.own.first, b.held.first);
    if (all.rank() + 1 < all.size()) add_neighbour(all.rank() + 1, b.own.last - rows, b.own.last);
    const std::size_t batch = static_cast<std::size_t>(rows) * static_cast<std::size_t>(f.pitch);
    out_ = cuda::buffer<Real>(neighbours_.size() * batch);
    in_ = cuda::buffer<Real>(neighbours_.size() * batch);
    for (std::size_t n = 0; n < neighbours_.size(); ++n)
      parcels_.push_back({neighbours_[n].rank, out_.data() + n * batch, batch * sizeof(Real),
                          in_.data() + n * batch, batch * sizeof(Real)});
  }

  void leave_out(bool is_left_out) { is_left_out_ = is_left_out; }

  // Exchanges rows of the surface that the attempt of this parity has computed.
  void exchange(int parity, cudaStream_t on) {
    if (parcels_.empty() || is_left_out_) return;
    copy(pack_rows<Real>, parity, &neighbour::edge, out_, on);
    between_.enqueue(parcels_, on);
    copy(unpack_rows<Real>, parity, &neighbour::halo, in_, on);
  }

  void reduce_error(int parity, cudaStream_t on) {
    if (!parcels_.empty() && !is_left_out_)
      between_.enqueue_largest(&fields_.decided[parity].largest_error, 1, on);
  }

 private:
  struct neighbour {
    int rank;
    int edge;  // first row of those sent to it
    int halo;  // first row of those received from it
  };

  void add_neighbour(int rank, int edge, int halo) { neighbours_.push_back({rank, edge, halo}); }

  template <class Packed>
  void copy(void (*kernel)(fields<Real>, int, batches, Packed*), int parity, int neighbour::*first,
            cuda::buffer<Real>& packed, cudaStream_t on) {
    constexpr int threads = 256;
    const batches of{neighbours_.front().*first, neighbours_.back().*first, rows_};
    const auto blocks = static_cast<unsigned>((rows_ * fields_.pitch + threads - 1) / threads);
    cuda::launch(kernel, dim3(blocks, static_cast<unsigned>(neighbours_.size())), threads, 0, on, fields_,
                 parity, of, packed.data());
  }

  fields<Real> fields_;
  cuda::exchange& between_;
  int rows_;
  std::vector<neighbour> neighbours_;
  cuda::buffer<Real> out_, in_;
  std::vector<ranks::parcel> parcels_;
  bool is_left_out_{};
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::curvature
