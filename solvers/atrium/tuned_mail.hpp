// SPDX-License-Identifier: MIT
// How voltages travel between the blocks on chip: within one GPU, and for parts of a sphere also to other GPUs. A cell
// of the margin has its box in the memory of the GPU that reads it. So a block looks into its own GPU's memory only, and
// a letter to another GPU crosses the link once.
#pragma once

#include "solvers/atrium/tuned_block.hpp"
#include "solvers/common/cuda/mail.hpp"

namespace reprise::atrium {
inline namespace REPRISE_CUDA_FLAVOUR {

// Between the blocks of one GPU.
struct near_mail {
  // The boxes in which mail of this tag lies, one for each cell.
  __device__ static unsigned long long* boxes(const tuned_data& d, unsigned tag) {
    return d.boxes + (tag & 1U) * static_cast<unsigned>(d.s.cells);
  }
  __device__ static void post(unsigned long long* box, unsigned, unsigned tag, float v) {
    cuda::post(box, tag, v);
  }
  __device__ static void collect(const tuned_data& d, const unsigned long long* boxes, int k, unsigned tag,
                                 float& v) {
    cuda::collect(boxes + k, tag, v, d.patience);
  }
  // A launch finds the margin's voltages in its initial state.
  template <int cells_of_thread>
  __device__ static void exchange_first(const thread_cells<cells_of_thread>&, const tuned_data&,
                                        const shared_layout&, const patch_place&, unsigned) {}
};

// Where a cell's voltage goes on another GPU.
struct letter_abroad {
  unsigned long long* box;  // for even tags
  int boxes_of_set;         // there
  unsigned next;            // 1 + the number of the cell's next letter; 0 after the last
};

// Between the blocks of all GPUs of a host.
struct far_mail {
  const letter_abroad* letters;
  int boxes_of_set;  // one for each cell of this GPU, and of its halo
  bool is_left_out;  // letters are not sent, and the halo keeps the voltages that came last

  __device__ unsigned long long* boxes(const tuned_data& d, unsigned tag) const {
    return d.boxes + (tag & 1U) * static_cast<unsigned>(boxes_of_set);
  }

  __device__ void post(unsigned long long* box, unsigned wanted, unsigned tag, float v) const {
    if ((wanted & 1U) != 0) cuda::post(box, tag, v);
    post_abroad(wanted, tag, v);
  }

  __device__ void post_abroad(unsigned wanted, unsigned tag, float v) const {
    if (is_left_out) return;
#pragma unroll 1
    for (unsigned n = wanted >> 1U; n != 0; n = letters[n - 1].next) {
      const letter_abroad to = letters[n - 1];
      cuda::post<cuda::reach::host>(to.box + (tag & 1U) * static_cast<unsigned>(to.boxes_of_set), tag, v);
    }
  }

  __device__ static bool is_abroad(const tuned_data& d, int k) {
    return k >= d.s.cells;
  }

  __device__ void collect(const tuned_data& d, const unsigned long long* boxes, int k, unsigned tag,
                          float& v) const {
    if (is_left_out && is_abroad(d, k)) {
      cuda::letter<float, cuda::reach::host> last;
      last.look(boxes + k);
      v = last.value();
    } else {
      cuda::collect<cuda::reach::host>(boxes + k, tag, v, d.patience);
    }
  }

  // Sends and receives the voltages at the border with which a launch begins.
  template <int cells_of_thread>
  __device__ void exchange_first(const thread_cells<cells_of_thread>& mine, const tuned_data& d,
                                 const shared_layout& l, const patch_place& at, unsigned tag) const {
#pragma unroll
    for (int c = 0; c < cells_of_thread; ++c)
      post_abroad(l.rings[at.of_cell(c)].wanted, tag, mine.y[c][at_v]);
    for (auto m = static_cast<int>(threadIdx.x); m < l.margin_count; m += static_cast<int>(blockDim.x))
      if (is_abroad(d, l.margin_cells[m]))
        collect(d, boxes(d, tag), l.margin_cells[m], tag, l.voltage[0][d.patch_cells + m]);
    __syncthreads();
  }
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
