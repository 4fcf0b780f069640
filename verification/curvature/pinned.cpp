// SPDX-License-Identifier: MIT
// Compares problems with the reference's literals.
#include "verification/curvature/pinned.hpp"

#include <cmath>
#include <string>

#include "reference/curvature/manufactured.hpp"
#include "reference/curvature/semi_discrete.hpp"
#include "solvers/curvature/border.hpp"
#include "verification/checkers/maximum.hpp"

namespace reprise::verification::curvature {
namespace {

namespace reference = reprise::reference::curvature;
using checkers::finding;
using checkers::raise;
using reprise::curvature::boundary;
using reprise::curvature::flow;
using reprise::curvature::problem;

using surface = std::vector<double>;

// Moments at which time enters, none of them special to cos(pi t).
constexpr double moments[]{0, .0371, .1, .43};

double coordinate_error(const problem& p) {
  double most = std::abs(p.half_width - reference::half_width(p));
  raise(most, std::abs(p.h_x() - reference::spacing_x(p)));
  raise(most, std::abs(p.h_y() - reference::spacing_y(p)));
  for (int i = 0; i <= p.cells_x; ++i) raise(most, std::abs(p.x(i) - reference::x_at(p, i)));
  for (int j = 0; j <= p.cells_y; ++j) raise(most, std::abs(p.y(j) - reference::y_at(p, j)));
  return most / reference::half_width(p);
}

// The largest difference over the largest magnitude, at the border nodes only.
double border_error(const problem& p, double t) {
  surface mine = p.u0;
  surface expected = p.u0;
  impose_border(p, reprise::curvature::profiles<double>(p), t, mine.data());
  reference::impose_border(p, t, expected);
  double apart = 0;
  double scale = 0;
  for_border(p, [&](int i, int j) {
    const auto node = static_cast<std::size_t>(i + j * p.nodes_x());
    raise(apart, std::abs(mine.at(node) - expected.at(node)));
    raise(scale, std::abs(expected.at(node)));
  });
  return scale > 0 ? apart / scale : apart;
}

double forcing_error(const problem& p, double t) {
  using namespace reprise::curvature;
  const surface expected = reference::forcing(p, t);
  surface mine(p.nodes());
  const profiles<double> zeta(p);
  auto here = mine.begin();
  for (const profile<double>& y : zeta.y)
    for (const profile<double>& x : zeta.x)
      *here++ = p.flow == flow::willmore ? forcing_willmore(x, y, phase_at(t))
                                         : forcing_mean_curvature(x, y, phase_at(t));
  return checkers::largest_distance(mine, expected) / checkers::largest_magnitude(expected);
}

double relative(double value, double expected) {
  return std::abs(value - expected) / expected;
}

}  // namespace

finding judge_problem(const problem& p, start from) {
  const std::string metric = "problem_error";
  const surface u0 = reference::initial_surface(p, from);
  std::vector<finding> findings{
      {metric, coordinate_error(p), 1e-14, "coordinates and spacings are the paper's, to rounding"},
      {metric, checkers::largest_distance(p.u0, u0) / checkers::largest_magnitude(u0), 1e-13,
       "the initial surface is the paper's: a sine of 3 pi r or an exponential rounds by its argument's "
       "size"},
      {metric, relative(largest_stable_step(p), reference::stable_step(p)), 1e-14,
       "the limit of the step follows from the spacings in a few operations"}};
  double border = 0;
  for (const double t : moments) raise(border, border_error(p, t));
  findings.push_back(
      {metric, border, 1e-13, "boundary values are the paper's: exp(-16) rounds by its argument's size"});
  if (p.boundary != boundary::manufactured) return checkers::worst_of(findings);
  // At large sizes a part of the moments is enough, because all nodes depend on time in the same way.
  double forcing = 0;
  for (const double t : moments)
    if (t == moments[1] || p.nodes() < 20000) raise(forcing, forcing_error(p, t));
  findings.push_back(
      {metric, forcing, p.flow == flow::willmore ? 1e-11 : 1e-12,
       "both forms of the forcing are exact; terms of fourth order cancel by two digits more"});
  return checkers::worst_of(findings);
}

finding judge_control(const problem& p, const reprise::curvature::control& given, double t_end, double eps) {
  const double stable = reference::stable_step(p);
  double apart = relative(given.eps, eps);
  raise(apart, relative(given.first_step, 0.5 * stable));
  raise(apart, given.fixed_steps ? 1 : 0);
  // An integer, so that the product may be cut on either side.
  const double most = 1000 + 10 * t_end / stable;
  raise(apart, std::abs(static_cast<double>(given.most_attempts) - most) > 1 + 1e-12 * most ? 1 : 0);
  return {"control_error", apart, 1e-14,
          "tolerance, first step and patience are those of reference/published/assumptions.md"};
}

}  // namespace reprise::verification::curvature
