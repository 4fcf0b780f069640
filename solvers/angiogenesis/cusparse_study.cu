// SPDX-License-Identifier: MIT
// A parameter study with cuSPARSE's gtsv2StridedBatch for the tridiagonal systems of all members at once.
// Place: beyond the paper; what one would write for cuda_study without a kernel that solves.
// Formula: the step of imex.hpp. A kernel computes the right-hand sides, a call solves C of all members and another I,
// a kernel subtracts P's coupling, a call solves P, and a kernel clips and checks.
// The call keeps no factors, so each step factorises again.
#include <memory>

#include "solvers/angiogenesis/cuda_study_member.hpp"
#include "solvers/angiogenesis/study.hpp"
#include "solvers/common/cuda/cusparse.hpp"

namespace reprise::angiogenesis {
namespace {

constexpr unsigned block_threads = 128;

// All arrays are [member][field][node]; those of the systems have no use for F.
struct study_arrays {
  study_data study;
  double* tables;
  double *lower, *diagonal, *upper;
  double* next;

  __device__ member_terms member() const {
    return {study, static_cast<int>(blockIdx.x), tables + offset(), study.nodes};
  }
  __device__ long long offset() const { return static_cast<long long>(blockIdx.x) * fields * study.nodes; }
};

// In each kernel a block has a member.
__global__ void begin(study_arrays s) {
  const member_terms m = s.member();
  m.make_tables();
  double* const u = s.study.states + s.offset();
  for (int f = 0; f < fields; ++f)
    m.for_nodes(s.study.nodes, [&](int k) {
      const long long at = s.offset() + f * s.study.nodes + k;
      u[f * s.study.nodes + k] = s.study.u0[f * s.study.nodes + k];
      if (f >= study_systems) return;
      const row_of_three row = m.row(f, k);
      s.lower[at] = row.lower;
      s.diagonal[at] = row.diagonal;
      s.upper[at] = row.upper;
    });
  if (threadIdx.x == 0) s.study.steps_done[blockIdx.x] = 0;
}

__global__ void make_right_sides(study_arrays s) {
  const member_terms m = s.member();
  m.for_nodes(s.study.nodes,
              [&](int k) { make_right_side(m, k, s.study.states + s.offset(), s.next + s.offset()); });
}

__global__ void subtract_coupling(study_arrays s) {
  const member_terms m = s.member();
  double* const u = s.next + s.offset();
  m.for_nodes(s.study.nodes, [&](int k) { u[s.study.nodes + k] -= m.coupling(k) * u[k]; });
}

// Accepts a step unless it gives a value that is not finite. A member whose step was refused takes no other.
__global__ void accept(study_arrays s, int step) {
  __shared__ int is_refused;
  const member_terms m = s.member();
  if (threadIdx.x == 0) is_refused = s.study.steps_done[blockIdx.x] != step;
  __syncthreads();
  double* const next = s.next + s.offset();
  bool are_finite = true;
  m.for_nodes(fields * s.study.nodes, [&](int k) { are_finite = clip(next[k]) && are_finite; });
  if (!are_finite) is_refused = 1;
  __syncthreads();
  if (is_refused != 0) return;
  double* const u = s.study.states + s.offset();
  m.for_nodes(fields * s.study.nodes, [&](int k) { u[k] = next[k]; });
  if (threadIdx.x == 0) s.study.steps_done[blockIdx.x] = step + 1;
}

class cusparse_study final : public study_runner {
 public:
  explicit cusparse_study(const device& d) {
    cuda::use_device(d);
    library_ = std::make_unique<cusparse::library>();
  }

  void load(const study& s) override {
    require_sense(s);
    study_ = s;
    const std::size_t values = s.members.size() * s.unknowns();
    for (auto* memory : all_arrays()) *memory = {};
    for (auto* memory : all_arrays()) *memory = cuda::buffer<double>(values);
    members_ = cuda::uploaded(s.members);
    u0_ = cuda::uploaded(s.u0);
    steps_done_ = cuda::buffer<int>(s.members.size());
    std::size_t bytes = 0;
    REPRISE_CUSPARSE(cusparseDgtsv2StridedBatch_bufferSizeExt, library_->get(), s.nodes, lower_.data(),
                     diagonal_.data(), upper_.data(), next_.data(), count(), stride(), &bytes);
    workspace_ = cuda::buffer<char>(std::max<std::size_t>(bytes, 1));
  }

  void run() override {
    launch(begin);
    for (int step = 0; step < study_.steps; ++step) {
      launch(make_right_sides);
      solve(0);
      solve(2);
      launch(subtract_coupling);
      solve(1);
      launch(accept, step);
    }
  }

  study_answer answer() override { return downloaded(states_, steps_done_); }

  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return study_work(); }

 private:
  std::array<cuda::buffer<double>*, 6> all_arrays() {
    return {&states_, &next_, &tables_, &lower_, &diagonal_, &upper_};
  }
  int count() const { return static_cast<int>(study_.members.size()); }
  int stride() const { return static_cast<int>(study_.unknowns()); }

  study_arrays arrays() {
    return {{.nodes = study_.nodes,
             .steps = study_.steps,
             .members = count(),
             .reading = study_.reading,
             .dt = study_.dt,
             .with = members_.data(),
             .u0 = u0_.data(),
             .states = states_.data(),
             .steps_done = steps_done_.data(),
             .next_member = nullptr},
            tables_.data(),
            lower_.data(),
            diagonal_.data(),
            upper_.data(),
            next_.data()};
  }

  template <class... Parameters>
  void launch(void (*kernel)(study_arrays, Parameters...), std::type_identity_t<Parameters>... rest) {
    cuda::launch(kernel, static_cast<unsigned>(count()), block_threads, 0, nullptr, arrays(), rest...);
  }

  void solve(int system) {
    const long long at = static_cast<long long>(system) * study_.nodes;
    REPRISE_CUSPARSE(cusparseDgtsv2StridedBatch, library_->get(), study_.nodes, lower_.data() + at,
                     diagonal_.data() + at, upper_.data() + at, next_.data() + at, count(), stride(),
                     workspace_.data());
  }

  std::unique_ptr<cusparse::library> library_;
  study study_;
  cuda::buffer<parameters> members_;
  cuda::buffer<double> u0_, states_, next_, tables_, lower_, diagonal_, upper_;
  cuda::buffer<int> steps_done_;
  cuda::buffer<char> workspace_;
  cuda::event_stopwatch clock_;
};

REPRISE_VARIANT(study_runner, cusparse_study,
                {.summary = "a study of parameters by cuSPARSE's gtsv2StridedBatch",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = study_work(),
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::angiogenesis
