// SPDX-License-Identifier: MIT
// States the paper's problem by literals. Table 1 is lost: S1 is what the authors' own program for neural
// networks has, S2 what their public program in Julia has (reference/published/assumptions.md).
#include "reference/angiogenesis/paper.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace reprise::reference::angiogenesis {
namespace {

using real = long double;

sized operator+(const sized& a, const sized& b) {
  return {a.value + b.value, a.size + b.size};
}
sized operator-(const sized& a, const sized& b) {
  return {a.value - b.value, a.size + b.size};
}
sized operator*(const sized& a, const sized& b) {
  return {a.value * b.value, a.size * b.size};
}
// The divisor is positive.
sized operator/(const sized& a, const sized& b) {
  return {a.value / b.value, a.size * b.size / (b.value * b.value)};
}
sized number(real value) {
  return {value, std::abs(value)};
}

using line = std::vector<sized>;  // one field's nodes

line field_of(const problem& p, const state& u, int which) {
  line values;
  for (int i = 0; i < p.nodes; ++i) values.push_back(number(u(which * p.nodes + i)));
  return values;
}

// G: (u[i+1] - u[i-1]) / (2h), zero in the rows 0 and M - 1.
sized slope(const line& u, std::size_t i) {
  const std::size_t last = u.size() - 1;
  if (i == 0 || i == last) return {};
  return (u[i + 1] - u[i - 1]) * number(static_cast<real>(last) / 2);
}

// Lap: rows (1, -2, 1) / h^2, the first (-2, 2) / h^2, the last (2, -2) / h^2.
sized laplacian(const line& u, std::size_t i) {
  const std::size_t last = u.size() - 1;
  const sized per_h2 = number(static_cast<real>(last) * static_cast<real>(last));
  const sized two = number(2);
  if (i == 0) return (two * u[1] - two * u[0]) * per_h2;
  if (i == last) return (two * u[last - 1] - two * u[last]) * per_h2;
  return (u[i - 1] - two * u[i] + u[i + 1]) * per_h2;
}

// The flux f u_x through the half point right of node i.
sized flux(const line& f, const line& u, std::size_t i) {
  return (f[i] + f[i + 1]) * number(.5L) * (u[i + 1] - u[i]) * number(static_cast<real>(u.size() - 1));
}

// (f u_x)_x at node i.
sized taxis_term(taxis reading, const line& f, const line& u, std::size_t i) {
  if (reading != taxis::conservative) return slope(f, i) * slope(u, i) + f[i] * laplacian(u, i);
  const std::size_t last = u.size() - 1;
  const sized right = i == last ? sized{} : flux(f, u, i);
  const sized left = i == 0 ? sized{} : flux(f, u, i - 1);
  const bool is_half_cell = i == 0 || i == last;
  return (right - left) * number(static_cast<real>(last) * (is_half_cell ? 2 : 1));
}

// T and its derivatives. An error of rounding in the exponent counts as often as the exponent is large.
struct tumour {
  sized value, x, xx;
};

tumour tumour_at(const problem& p, int i) {
  const real eps = p.parameters.eps, ahead = 1 - coordinate(i, p.nodes);
  const real exponent = ahead * ahead / eps, t = std::exp(-exponent);
  const sized value{t, t * (1 + 4 * exponent)};
  const sized towards = number(2 * ahead / eps);
  return {value, towards * value, (towards * towards - number(2 / eps)) * value};
}

line scaled(double factor, const line& values) {
  line all;
  for (const sized& v : values) all.push_back(number(factor) * v);
  return all;
}

struct fields_of_state {
  line c, p, i, f;
};

// The taxis towards the tumour: (a3 C / (1 + a4 T) T_x)_x at node i.
sized towards_tumour(const problem& p, const line& c, const std::vector<tumour>& t, std::size_t i) {
  const parameters& with = p.parameters;
  const sized one = number(1), a3 = number(with.a3), a4 = number(with.a4);
  if (p.reading == taxis::analytic) {
    const sized saturation = one + a4 * t[i].value, psi = t[i].x / saturation;
    return a3 * ((t[i].xx / saturation - a4 * psi * psi) * c[i] + psi * slope(c, i));
  }
  line f, values;
  for (std::size_t n = 0; n < c.size(); ++n) {
    f.push_back(a3 * c[n] / (one + a4 * t[n].value));
    values.push_back(t[n].value);
  }
  return taxis_term(p.reading, f, values, i);
}

std::array<real, 4> start_values(start from, int i, int nodes) {
  if (from == start::step) return {10 * i <= nodes - 1 ? 1.L : 0.L, .03L, .05L, .08L};
  const real angle = std::numbers::pi_v<real> * coordinate(i, nodes);
  return {.5L + .25L * std::cos(angle), .0625L + .03125L * std::cos(angle),
          .0625L + .03125L * std::cos(2 * angle), .0625L + .015625L * std::cos(angle)};
}

}  // namespace

parameters stated_parameters(rates which) {
  parameters with;
  const bool is_slow = which == rates::slow;
  with.d_c = is_slow ? .001 : .1;
  with.d_p = with.d_i = is_slow ? .005 : .1;
  with.k1 = with.k2 = with.k3 = with.k4 = is_slow ? .1 : 1;
  with.k5 = with.k6 = is_slow ? .05 : 1;
  with.a1 = with.a2 = is_slow ? .1 : 1;
  with.a3 = is_slow ? .2 : 1;
  with.a4 = 1;
  with.eps = is_slow ? .45 : .1;
  return with;
}

long double coordinate(int node, int nodes) {
  return static_cast<real>(node) / static_cast<real>(nodes - 1);
}

problem stated_problem(rates which, taxis reading, start from, int nodes, double dt) {
  problem p;
  p.parameters = stated_parameters(which);
  p.reading = reading;
  p.nodes = nodes;
  p.dt = dt;
  p.u0.resize(4 * static_cast<std::size_t>(nodes));
  for (int i = 0; i < nodes; ++i) {
    const auto values = start_values(from, i, nodes);
    for (int f = 0; f < 4; ++f)
      p.u0[static_cast<std::size_t>(f * nodes + i)] =
          static_cast<double>(values[static_cast<std::size_t>(f)]);
  }
  return p;
}

std::vector<stated_case> stated_cases() {
  return {{"default", stated_problem(rates::slow, taxis::nodal, start::step, 100, 1e-3), 100},
          {"stress", stated_problem(rates::slow, taxis::nodal, start::step, 100, .1), 20},
          {"smooth", stated_problem(rates::fast, taxis::nodal, start::smooth, 100, 1e-3), 100}};
}

std::vector<parameters> stated_study(int count, const parameters& around) {
  using member = double parameters::*;
  const std::vector<std::pair<member, int>> primes{
      {&parameters::d_c, 2}, {&parameters::d_p, 3}, {&parameters::d_i, 5}, {&parameters::k1, 7},
      {&parameters::k2, 11}, {&parameters::k3, 13}, {&parameters::k4, 17}, {&parameters::k5, 19},
      {&parameters::k6, 23}, {&parameters::a1, 29}, {&parameters::a2, 31}, {&parameters::a3, 37},
      {&parameters::a4, 41}, {&parameters::eps, 43}};
  std::vector<parameters> members;
  for (int k = 1; k <= count; ++k) {
    parameters with = around;
    for (const auto& [which, prime] : primes) {
      const real turns = k * std::sqrt(static_cast<real>(prime));
      with.*which = static_cast<double>((.8L + .4L * (turns - std::floor(turns))) * around.*which);
    }
    members.push_back(with);
  }
  return members;
}

std::vector<sized> stated_rates(const problem& p, const state& u) {
  const parameters& with = p.parameters;
  const fields_of_state now{field_of(p, u, 0), field_of(p, u, 1), field_of(p, u, 2), field_of(p, u, 3)};
  const line by_inhibitor = scaled(with.a2, now.c), by_matrix = scaled(with.a1, now.c);
  std::vector<tumour> t;
  for (int i = 0; i < p.nodes; ++i) t.push_back(tumour_at(p, i));
  const auto m = static_cast<std::size_t>(p.nodes);
  std::vector<sized> rates(4 * m);
  for (std::size_t i = 0; i < m; ++i) {
    rates[i] = taxis_term(p.reading, by_inhibitor, now.i, i) - taxis_term(p.reading, by_matrix, now.f, i) -
               towards_tumour(p, now.c, t, i) + number(with.k1) * now.c[i] * (number(1) - now.c[i]);
    const sized binding = number(with.k3) * now.p[i] * now.i[i];
    rates[m + i] = number(with.k5) * t[i].value - binding;
    rates[2 * m + i] = sized{} - binding;
    rates[3 * m + i] = sized{} - number(with.k2) * now.p[i] * now.f[i];
  }
  return rates;
}

sized stated_mass(const problem& p, const state& u) {
  sized sum;
  for (int i = 0; i < p.nodes; ++i) sum = sum + number(i == 0 || i == p.nodes - 1 ? .5L : 1.L) * number(u(i));
  return sum * number(1 / static_cast<real>(p.nodes - 1));
}

}  // namespace reprise::reference::angiogenesis
