// SPDX-License-Identifier: MIT
// Tests the checkers on answers that are known to be right or wrong.
#include "verification/checkers/conservation.hpp"
#include "verification/checkers/finding.hpp"
#include "verification/checkers/norms.hpp"
#include "verification/checkers/residual.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::checkers;
using reprise::checkers::finding;

namespace {
const Eigen::Vector4d expected{1, -2, 4, 3};
}  // namespace

TEST_CASE("the maximum error is relative to the largest reference value") {
  CHECK_THAT(max_relative_error(std::vector<float>{1, -2.5F, 4, 3}, expected), WithinRel(.125, 1e-12));
  CHECK(max_relative_error(std::vector<float>{1, -2, 4, 3}, expected) == 0);
}

TEST_CASE("a NaN, an infinity or a missing value is no small error") {
  CHECK(std::isnan(max_relative_error(std::vector<float>{1, NAN, 4, 3}, expected)));
  CHECK(std::isnan(max_relative_error(std::vector<float>{1, INFINITY, 4, 3}, expected)));
  CHECK(std::isnan(max_relative_error(std::vector<float>{1, -2, 4}, expected)));
}

TEST_CASE("a reference of zeros is compared absolutely") {
  CHECK_THAT(max_relative_error(std::vector<float>{0, .5F, 0, 0}, Eigen::Vector4d::Zero()),
             WithinRel(.5, 1e-12));
}

TEST_CASE("drift is the moved part of a weighted sum") {
  const Eigen::Vector4d weights{1, 2, 1, 2};
  CHECK(drift(weights, expected, expected) == 0);
  const Eigen::Vector4d moved{1, -2, 4, 3.5};
  CHECK_THAT(drift(weights, expected, moved), WithinRel(1.0 / 16, 1e-12));
  CHECK(std::isnan(drift(weights, expected, Eigen::Vector4d(1, not_a_number, 4, 3))));
  CHECK(std::isnan(drift(weights, expected, Eigen::Vector3d(1, 2, 3))));
}

TEST_CASE("the backward error of a solution is zero and of anything else is not") {
  Eigen::SparseMatrix<double, Eigen::RowMajor, int> a(2, 2);
  a.insert(0, 0) = 2;
  a.insert(1, 1) = 4;
  const Eigen::Vector2d f{2, 8};
  CHECK(backward_error(a, Eigen::Vector2d(1, 2), f) == 0);
  CHECK_THAT(backward_error(a, Eigen::Vector2d(1, 1), f), WithinRel(4.0 / 12, 1e-12));
  CHECK(std::isnan(backward_error(a, Eigen::Vector2d(not_a_number, 1), f)));
}

TEST_CASE("a finding is good up to its limit and never with a NaN") {
  CHECK(finding{"error", 1, 1, ""}.good());
  CHECK_FALSE(finding{"error", 1.01, 1, ""}.good());
  CHECK_FALSE(finding{"error", not_a_number, 1, ""}.good());
  CHECK_FALSE(all_good({}));
  CHECK_FALSE(all_good({{"a", 0, 1, ""}, {"b", 2, 1, ""}}));
}
