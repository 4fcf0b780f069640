// SPDX-License-Identifier: MIT
// A parameter study on the host: the scheme's own driver runs each member with cpu_structured, one core per
// member. Place: section 6; the baseline for cuda_study.
#include <omp.h>

#include "solvers/angiogenesis/imex.hpp"
#include "solvers/angiogenesis/study.hpp"

namespace reprise::angiogenesis {
namespace {

// Called at run time, when the registry is complete.
std::unique_ptr<solver> structured_solver(const device& on) {
  for (const auto& v : variants())
    if (v->id == "angiogenesis/cpu_structured") return dynamic_cast<const variant_of<solver>&>(*v).make(on);
  throw unavailable("needs angiogenesis/cpu_structured");
}

class cpu_study final : public study_runner {
 public:
  explicit cpu_study(const device& d) {
    for (int k = 0; k < omp_get_max_threads(); ++k) solvers_.push_back(structured_solver(d));
  }

  void load(const study& s) override {
    require_sense(s);
    study_ = s;
    answer_ = {std::vector<double>(s.members.size() * s.unknowns()), std::vector<int>(s.members.size())};
  }

  void run() override {
    std::string refusal;
    const int members = static_cast<int>(study_.members.size());
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < members; ++k) {
      try {
        run_member(static_cast<std::size_t>(k), *solvers_[static_cast<std::size_t>(omp_get_thread_num())]);
      } catch (const std::exception& failure) {
#pragma omp critical
        refusal = "member " + std::to_string(k) + " of the study: " + failure.what();
      }
    }
    if (!refusal.empty()) throw unavailable(refusal);
  }

  study_answer answer() override {
    return answer_;
  }
  stopwatch& clock() override {
    return clock_;
  }
  work per_unit() const override {
    return study_work();
  }

 private:
  void run_member(std::size_t member, solver& with) {
    imex run(member_of(study_, member), with, factoring::once);
    run.advance(study_.steps);
    answer_.steps[member] = static_cast<int>(run.so_far().steps);
    std::copy(run.state().begin(), run.state().end(),
              answer_.states.begin() + static_cast<std::ptrdiff_t>(member * study_.unknowns()));
  }

  study study_;
  study_answer answer_;
  std::vector<std::unique_ptr<solver>> solvers_;
  steady_stopwatch clock_;
};

REPRISE_VARIANT(study_runner, cpu_study,
                {.summary = "a study of parameters, a core for each member",
                 .place = "section 6",
                 .precisions = {precision::double_},
                 .per_unit = study_work()});

}  // namespace
}  // namespace reprise::angiogenesis
