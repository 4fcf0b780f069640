// SPDX-License-Identifier: MIT
// hypre's GMRES with algebraic multigrid (BoomerAMG) as its preconditioner, on one core.
// Place: section 5.6, Table 6, where AmgX does this with aggregation, Jacobi smoothing and a
// tolerance whose digits are lost.
// Formula: min |b - A x| over Krylov spaces of 30, until it is below 1e-14 |b|.
// Where we differ: one cycle of BoomerAMG as hypre sets it up by default (HMIS coarsening, extended
// interpolation, l1-scaled Gauss-Seidel), which converges faster than aggregation.
#define OMPI_SKIP_MPICXX  // hypre includes mpi.h, whose C++ part is a library of its own
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_ls.h>

#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "solvers/angiogenesis/multigrid_gmres.hpp"
#include "solvers/common/ranks/communicator.hpp"

static_assert(std::is_same_v<HYPRE_BigInt, int> && std::is_same_v<HYPRE_Complex, double>);

namespace reprise::angiogenesis {
namespace {

// Throws error with hypre's own words. hypre keeps its error until it is cleared.
void check(HYPRE_Int code, const char* call) {
  if (code == 0) return;
  char text[256]{};
  HYPRE_DescribeError(code, text);
  HYPRE_ClearAllErrors();
  throw error(std::string(call) + ": " + text);
}
#define REPRISE_HYPRE(CALL) check((CALL), #CALL)

template <auto Destroy>
struct hypre_destroy {
  template <class T>
  void operator()(T* handle) const {
    Destroy(handle);
  }
};

// Owns one of hypre's objects.
template <class Handle, auto Destroy>
using hypre_handle = std::unique_ptr<std::remove_pointer_t<Handle>, hypre_destroy<Destroy>>;

// A vector of the whole problem; hypre's matrices and vectors are distributed, here over one rank.
class hypre_vector {
 public:
  void create(int order) {
    HYPRE_IJVector made = nullptr;
    REPRISE_HYPRE(HYPRE_IJVectorCreate(MPI_COMM_SELF, 0, order - 1, &made));
    vector_.reset(made);
    REPRISE_HYPRE(HYPRE_IJVectorSetObjectType(made, HYPRE_PARCSR));
    REPRISE_HYPRE(HYPRE_IJVectorInitialize(made));
    rows_.resize(static_cast<std::size_t>(order));
    std::iota(rows_.begin(), rows_.end(), 0);
  }

  void set(std::span<const double> values) {
    REPRISE_HYPRE(HYPRE_IJVectorSetValues(vector_.get(), count(), rows_.data(), values.data()));
    REPRISE_HYPRE(HYPRE_IJVectorAssemble(vector_.get()));
  }
  void get(std::span<double> values) {
    REPRISE_HYPRE(HYPRE_IJVectorGetValues(vector_.get(), count(), rows_.data(), values.data()));
  }
  HYPRE_ParVector view() const {
    void* view = nullptr;
    REPRISE_HYPRE(HYPRE_IJVectorGetObject(vector_.get(), &view));
    return static_cast<HYPRE_ParVector>(view);
  }

 private:
  HYPRE_Int count() const { return static_cast<HYPRE_Int>(rows_.size()); }

  hypre_handle<HYPRE_IJVector, HYPRE_IJVectorDestroy> vector_;
  std::vector<HYPRE_BigInt> rows_;
};

class hypre_gmres final : public multigrid_gmres {
 public:
  explicit hypre_gmres(const device&) {
    ranks::communicator::start_for_library();
    REPRISE_HYPRE(HYPRE_Init());
  }

 protected:
  void prepare() override {
    require_dominance();
    gmres_.reset();  // refers to the old problem
    multigrid_.reset();
    create_matrix();
    right_.create(a().order);
    answer_.create(a().order);
    scaled_.resize(a().size());
  }

  void factorise() override {
    HYPRE_Solver made = nullptr;
    REPRISE_HYPRE(HYPRE_BoomerAMGCreate(&made));
    multigrid_.reset(made);
    REPRISE_HYPRE(HYPRE_BoomerAMGSetTol(multigrid_.get(), 0));
    REPRISE_HYPRE(HYPRE_BoomerAMGSetMaxIter(multigrid_.get(), 1));
    REPRISE_HYPRE(HYPRE_ParCSRGMRESCreate(MPI_COMM_SELF, &made));
    gmres_.reset(made);
    // hypre stops by Euclidean norms; the tolerance is about largest values, and small systems have no slack.
    REPRISE_HYPRE(HYPRE_ParCSRGMRESSetTol(gmres_.get(), stop_at / 10));
    REPRISE_HYPRE(HYPRE_ParCSRGMRESSetMaxIter(gmres_.get(), most_iterations));
    REPRISE_HYPRE(HYPRE_ParCSRGMRESSetKDim(gmres_.get(), krylov_vectors));
    REPRISE_HYPRE(HYPRE_ParCSRGMRESSetPrecond(gmres_.get(), HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup,
                                              multigrid_.get()));
    REPRISE_HYPRE(HYPRE_ParCSRGMRESSetup(gmres_.get(), matrix_view(), right_.view(), answer_.view()));
    charge(effort_.seconds.factorise);
  }

  void substitute(std::span<const double> b, std::span<double> x) override {
    const double scale = scale_of(b);
    for (std::size_t k = 0; k < b.size(); ++k) scaled_[k] = b[k] / scale;
    right_.set(scaled_);
    std::fill(scaled_.begin(), scaled_.end(), 0.0);
    answer_.set(scaled_);
    iterate();
    answer_.get(scaled_);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = scaled_[k] * scale;
    charge(effort_.seconds.forward);
  }

 private:
  void create_matrix() {
    HYPRE_IJMatrix made = nullptr;
    const int last = a().order - 1;
    REPRISE_HYPRE(HYPRE_IJMatrixCreate(MPI_COMM_SELF, 0, last, 0, last, &made));
    matrix_.reset(made);
    REPRISE_HYPRE(HYPRE_IJMatrixSetObjectType(made, HYPRE_PARCSR));
    REPRISE_HYPRE(HYPRE_IJMatrixInitialize(made));
    std::vector<HYPRE_Int> lengths(a().size());
    for (std::size_t row = 0; row < a().size(); ++row)
      lengths[row] = static_cast<HYPRE_Int>(a().end(row) - a().begin(row));
    std::vector<HYPRE_BigInt> rows(a().size());
    std::iota(rows.begin(), rows.end(), 0);
    REPRISE_HYPRE(HYPRE_IJMatrixSetValues(made, a().order, lengths.data(), rows.data(), a().column.data(),
                                          a().value.data()));
    REPRISE_HYPRE(HYPRE_IJMatrixAssemble(made));
  }

  HYPRE_ParCSRMatrix matrix_view() const {
    void* view = nullptr;
    REPRISE_HYPRE(HYPRE_IJMatrixGetObject(matrix_.get(), &view));
    return static_cast<HYPRE_ParCSRMatrix>(view);
  }

  void iterate() {
    const HYPRE_Int code = HYPRE_ParCSRGMRESSolve(gmres_.get(), matrix_view(), right_.view(), answer_.view());
    HYPRE_Int rounds = 0;
    double residual = 0;
    REPRISE_HYPRE(HYPRE_ParCSRGMRESGetNumIterations(gmres_.get(), &rounds));
    REPRISE_HYPRE(HYPRE_ParCSRGMRESGetFinalRelativeResidualNorm(gmres_.get(), &residual));
    account(rounds, residual);
    if (code == HYPRE_ERROR_CONV)
      HYPRE_ClearError(HYPRE_ERROR_CONV);
    else
      check(code, "HYPRE_ParCSRGMRESSolve");
  }

  hypre_handle<HYPRE_IJMatrix, HYPRE_IJMatrixDestroy> matrix_;
  hypre_vector right_, answer_;
  std::vector<double> scaled_;
  hypre_handle<HYPRE_Solver, HYPRE_BoomerAMGDestroy> multigrid_;
  hypre_handle<HYPRE_Solver, HYPRE_ParCSRGMRESDestroy> gmres_;
};

REPRISE_VARIANT(solver, hypre_gmres,
                {.summary = "hypre's GMRES with algebraic multigrid (BoomerAMG)",
                 .place = "section 5.6, Table 6",
                 .precisions = {precision::double_},
                 .per_unit = work_of_example(),
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::angiogenesis
