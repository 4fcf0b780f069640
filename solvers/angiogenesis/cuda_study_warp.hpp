// SPDX-License-Identifier: MIT
// Runs the members of a parameter study with one warp each: the state is in registers, the tables are in shared
// memory, and there are no barriers between warps.
// Formula: the step of imex.hpp. Each lane has `run` consecutive nodes or one fewer, so that only its last slot may
// be empty; an empty slot repeats the value before it. For each tridiagonal system a lane eliminates its rows down to
// an equation in the last unknowns z of three neighbouring lanes. These 32 equations take five steps of cyclic
// reduction by shuffles. Then x_s = Y_s - G_s z - F_s z', with z' of the preceding lane.
//
// The rows of a system differ only at the two ends, so lanes of one class share their factors: the first lane, lanes
// with all slots, lanes with one empty slot, and the last lane. A warp reads a shared factor as one broadcast.
//
// Taxis of I and F is that of one field, W = a2 I - a1 F. Taxis of T is linear in C: three coefficients per node,
// to which diffusion and growth are added.
//
// A state is overwritten in place. A member whose step gives a value that is not finite therefore runs again, up to
// the step before.
#pragma once

#include "solvers/angiogenesis/cuda_tridiagonal.hpp"
#include "solvers/angiogenesis/problem.hpp"

namespace reprise::angiogenesis {
inline namespace REPRISE_CUDA_FLAVOUR {

struct study_data {
  int nodes, steps, members;
  taxis reading;
  double dt;
  const parameters* with;
  const double* u0;
  double* states;
  int* steps_done;
  int* next_member;  // the first one that no warp has taken
};

enum lane_class { first_lane, long_lane, short_lane, last_lane, lane_classes };
constexpr int study_systems = 3;
constexpr int most_study_warps = 8;
constexpr int fewest_study_run = 4;  // the least number of nodes per lane for which there is a kernel

template <int run>
struct member_tables {
  static constexpr int reduced_words =
      12;  // out, two for each of five reductions, and the inverse at the end
  // Four factors of a row, for each class of lanes: w; -l w, or -u w in the first row of a run; F; G.
  double rows[study_systems][run][lane_classes][4];
  double reduced[study_systems][reduced_words][lanes];
  // Factors of C at the node before, here and after in the right-hand side of C; the tumour's factor T.
  double before[run][lanes], here[run][lanes], after[run][lanes], tumour[run][lanes];
};

template <int run, bool is_conservative>
class warp_member {
 public:
  __device__ warp_member(const study_data& s, member_tables<run>& t)
      : all_(s), tables_(t), lane_(lane_of_thread()) {
    const int long_lanes = s.nodes - lanes * (run - 1);
    is_long_ = lane_ < long_lanes;
    rows_ = is_long_ ? run : run - 1;
    first_ = lane_ * (run - 1) + min(lane_, long_lanes);
    class_ = lane_ == 0 ? first_lane : lane_ == lanes - 1 ? last_lane : is_long_ ? long_lane : short_lane;
    // One lane of each class writes the factors of its class. Long lanes come first.
    writes_class_ = class_ == first_lane || class_ == last_lane || lane_ == 1 ||
                    (class_ == short_lane && lane_ == long_lanes);
  }

  __device__ void simulate(int index) {
    prepare(all_.with[index]);
    start();
    const int done = march<true>(all_.steps);
    if (done < all_.steps) {
      start();
      march<false>(done);
    }
    double* const to = all_.states + static_cast<long long>(index) * fields * all_.nodes + first_;
#pragma unroll
    for (int s = 0; s < run; ++s) {
      if (s >= rows_) continue;
      to[s] = c_[s];
      to[all_.nodes + s] = p_[s];
      to[2 * all_.nodes + s] = i_[s];
      to[3 * all_.nodes + s] = f_[s];
    }
    if (lane_ == 0) all_.steps_done[index] = done;
  }

 private:
  using values = double[run];
  static constexpr int previous = run - 2;  // the slot before the last

  static __device__ double up(double v, unsigned by = 1) {
    return __shfl_up_sync(all_lanes, v, by);
  }
  static __device__ double down(double v, unsigned by = 1) {
    return __shfl_down_sync(all_lanes, v, by);
  }

  __device__ void start() {
#pragma unroll
    for (int s = 0; s < run; ++s) {
      const int k = first_ + min(s, rows_ - 1);
      c_[s] = all_.u0[k];
      p_[s] = all_.u0[all_.nodes + k];
      i_[s] = all_.u0[2 * all_.nodes + k];
      f_[s] = all_.u0[3 * all_.nodes + k];
    }
  }

  // Computes the member's coefficients, tables and factors.
  __device__ void prepare(const parameters& with) {
    const double dt = all_.dt;
    of_bend_ = 1.0 * (all_.nodes - 1) * (all_.nodes - 1);
    const double r_c = dt / 2 * of_bend_ * with.d_c;
    r_p_ = dt / 2 * of_bend_ * with.d_p;
    r_i_ = dt / 2 * of_bend_ * with.d_i;
    own_p_ = 1 - 2 * r_p_ - dt / 2 * with.k6;
    own_i_ = 1 - 2 * r_i_;
    bend_ = dt * of_bend_;
    slopes_ = dt * of_bend_ / 4;  // of a product of two differences over 2 h
    k1_ = dt * with.k1;
    k2_ = dt * with.k2;
    k3_ = dt * with.k3;
    k4_ = dt / 2 * with.k4;
    k5_ = dt * with.k5;
    a1_ = with.a1;
    a2_ = with.a2;
    __syncwarp();  // all lanes have finished the preceding member
    make_tables(with, r_c);
    factorise(0, r_c, 0);
    factorise(1, r_p_, dt / 2 * with.k6);
    factorise(2, r_i_, 0);
    __syncwarp();
  }

  struct of_three {
    double before, here, after;
  };

  // What taxis of T adds to C, as factors of C at three nodes.
  __device__ of_three taxis_of_tumour(const parameters& with, int k) const {
    const int last = all_.nodes - 1;
    const double of_slope = last / 2.0, dt = all_.dt;
    const double ahead = 1 - k * (1.0 / last);
    const auto tumour = [&](int n) {
      const double distance = 1 - n * (1.0 / last);
      return exp(-distance * distance / with.eps);
    };
    const auto growth = [&](double t) { return with.a3 / (1 + with.a4 * t); };
    const double t = tumour(k), before = tumour(k == 0 ? 1 : k - 1),
                 after = tumour(k == last ? last - 1 : k + 1);
    if (is_conservative)
      return {dt * of_bend_ / 2 * growth(before) * (t - before),
              -dt * of_bend_ / 2 * growth(t) * ((after - t) - (t - before)),
              -dt * of_bend_ / 2 * growth(after) * (after - t)};
    if (all_.reading == taxis::nodal) {
      const double slope = (after - before) * of_slope;
      return {dt * growth(before) * of_slope * slope, -dt * growth(t) * (before - 2 * t + after) * of_bend_,
              -dt * growth(after) * of_slope * slope};
    }
    const double rate = 2 * ahead / with.eps, divisor = 1 + with.a4 * t;
    const double psi = rate * t / divisor;
    const double psi_x = t / divisor * (rate * rate / divisor - 2 / with.eps);
    return {dt * with.a3 * psi * of_slope, -dt * with.a3 * psi_x, -dt * with.a3 * psi * of_slope};
  }

  __device__ void make_tables(const parameters& with, double r_c) {
    const double h = 1.0 / (all_.nodes - 1);
    for (int s = 0; s < run; ++s) {
      const int k = first_ + min(s, rows_ - 1);
      const of_three e = taxis_of_tumour(with, k);
      tables_.before[s][lane_] = r_c + e.before;
      tables_.here[s][lane_] = 1 - 2 * r_c + k1_ + e.here;
      tables_.after[s][lane_] = r_c + e.after;
      tables_.tumour[s][lane_] = exp(-(1 - k * h) * (1 - k * h) / with.eps);
    }
  }

  // Factorises I - dt/2 L of one field. r = dt/2 d / h^2.
  __device__ void factorise(int system, double r, double decay) {
    const int last = all_.nodes - 1;
    values outward, left;
    double out = 0, fill = 0;
#pragma unroll
    for (int s = 0; s < run; ++s) {
      outward[s] = left[s] = 0;
      if (s >= rows_) continue;
      const int k = first_ + s;
      const double lower = k == 0 ? 0 : k == last ? -2 * r : -r;
      const double upper = k == last ? 0 : k == 0 ? -2 * r : -r;
      const double diagonal = 1 + 2 * r + decay;
      const double w = 1 / (s > 0 ? diagonal - lower * out : diagonal);
      fill = s > 0 ? -lower * fill * w : lower * w;
      out = upper * w;
      outward[s] = out;
      left[s] = fill;
      write_row(system, s, 0, w, s > 0 ? -lower * w : -out);
    }
    double from_before = 0, from_last = -1;
#pragma unroll
    for (int s = run - 1; s >= 0; --s) {
      if (s >= rows_) {
        write_row(system, s, 0, 0, 1);
        continue;
      }
      if (s < rows_ - 1) {
        from_last *= -outward[s];
        from_before = left[s] - outward[s] * from_before;
      }
      write_row(system, s, 2, from_before, from_last);
    }
    // The lane's equation: fill z' + (1 - out F) z - out G z'' = y - out Y, with F, G and Y of the next lane's
    // first row.
    reduce_equations(tables_.reduced[system][0] + lane_, out, fill, 1 - out * down(from_before),
                     -out * down(from_last));
  }

  __device__ void write_row(int system, int s, int at, double a, double b) {
    if (!writes_class_) return;
    double* const row = tables_.rows[system][s][class_] + at;
    row[0] = a;
    row[1] = b;
  }

  __device__ void reduce_equations(double* to, double out, double before, double own, double after) {
    *to = out;
#pragma unroll
    for (unsigned distance = 1; distance < lanes; distance *= 2) {
      const double from_below = before / up(own, distance), from_above = after / down(own, distance);
      to[lanes] = from_below;
      to[2 * lanes] = from_above;
      to += 2 * lanes;
      const double before_of_before = up(before, distance), after_of_before = up(after, distance);
      const double before_of_after = down(before, distance), after_of_after = down(after, distance);
      own -= from_below * after_of_before + from_above * before_of_after;
      before = -from_below * before_of_before;
      after = -from_above * after_of_after;
    }
    to[lanes] = 1 / own;
  }

  // Makes up to so many steps, and returns their number. With `watches` it ends before a step that gives a value
  // that is not finite, but leaves that step's state.
  template <bool watches>
  __device__ int march(int steps) {
    for (int step = 0; step < steps; ++step) {
      make_right_sides();
      solve_two(c_, 0, i_, 2);
#pragma unroll
      for (int s = 0; s < run; ++s) p_[s] += k4_ * tables_.tumour[s][lane_] * c_[s];
      solve(p_, 1);
      unsigned top = 0;
#pragma unroll
      for (int s = 0; s < run; ++s)
        top = max(max(clip(c_[s]), clip(p_[s])), max(max(clip(i_[s]), clip(f_[s])), top));
      constexpr unsigned infinity = 0x7ff00000U;
      if (watches && __any_sync(all_lanes, top >= infinity)) return step;
    }
    return steps;
  }

  // Computes max(value, 0). Returns the high half of the magnitude before that, which tells what is not finite.
  static __device__ unsigned clip(double& value) {
    const int high = __double2hiint(value), low = __double2loint(value);
    const int kept = ~(high >> 31);
    value = __hiloint2double(high & kept, low & kept);
    return static_cast<unsigned>(high) & 0x7fffffffU;
  }

  // The values beside a lane's nodes. Beyond an end of the grid the neighbour is the inner one.
  struct ends {
    double before, after;
  };
  __device__ ends ends_of(double first, double second, double last, double before_last,
                          double second_to_last) const {
    const double from_below = up(last), from_above = down(first);
    return {lane_ == 0 ? second : from_below, lane_ < lanes - 1 ? from_above
                                              : is_long_        ? before_last
                                                                : second_to_last};
  }
  __device__ ends ends_of(const values& u) const {
    return ends_of(u[0], u[1], u[run - 1], u[run - 2], u[run - 3]);
  }
  __device__ double repulsion(int s) const {
    return a2_ * i_[s] - a1_ * f_[s];
  }  // W

  // The value after slot s: of the next slot, or beyond the lane's last node.
  __device__ double after(const values& u, int s, double beyond) const {
    if (s + 1 == run) return beyond;
    return s == previous && !is_long_ ? beyond : u[s + 1];
  }

  // Computes B U + dt N(U) in place of U.
  __device__ void make_right_sides() {
    const ends c_ends = ends_of(c_), p_ends = ends_of(p_), i_ends = ends_of(i_);
    const ends w_ends =
        ends_of(repulsion(0), repulsion(1), repulsion(run - 1), repulsion(run - 2), repulsion(run - 3));
    double c_before = c_ends.before, p_before = p_ends.before, i_before = i_ends.before,
           w_before = w_ends.before, w = repulsion(0);
#pragma unroll
    for (int s = 0; s < run; ++s) {
      const double c_after = after(c_, s, c_ends.after), p_after = after(p_, s, p_ends.after),
                   i_after = after(i_, s, i_ends.after);
      const bool is_last = s + 1 == run || (s == previous && !is_long_);
      const double w_after = is_last ? w_ends.after : repulsion(min(s + 1, run - 1));
      const double c = c_[s], p = p_[s], i = i_[s];
      double own = tables_.here[s][lane_] - k1_ * c, moved;
      if constexpr (is_conservative) {
        moved = bend_ / 2 * ((c + c_after) * (w_after - w) - (c_before + c) * (w - w_before));
      } else {
        own += bend_ * (w_before - 2 * w + w_after);
        moved = slopes_ * (c_after - c_before) * (w_after - w_before);
      }
      c_[s] = c * own + tables_.before[s][lane_] * c_before + tables_.after[s][lane_] * c_after + moved;
      const double loss = k3_ * p * i;
      p_[s] = own_p_ * p - loss + r_p_ * (p_before + p_after) + tables_.tumour[s][lane_] * (k4_ * c + k5_);
      i_[s] = own_i_ * i - loss + r_i_ * (i_before + i_after);
      f_[s] *= 1 - k2_ * p;
      c_before = c;
      p_before = p;
      i_before = i;
      w_before = w;
      w = w_after;
    }
  }

  __device__ double2 row_of(int system, int s, int half) const {
    return reinterpret_cast<const double2*>(tables_.rows[system][s][class_])[half];
  }

  // Eliminates a lane's rows downwards and upwards. Leaves Y in place, and returns y of the last row.
  __device__ double eliminate(values& x, int system) const {
    double y = 0;
#pragma unroll
    for (int s = 0; s < run; ++s) {
      const double2 wl = row_of(system, s, 0);
      y = s == 0 ? wl.x * x[s] : wl.x * x[s] + wl.y * y;
      x[s] = y;
    }
    double top = is_long_ ? x[previous] : 0;
    x[previous] = top;
#pragma unroll
    for (int s = run - 3; s >= 0; --s) {
      top = x[s] + row_of(system, s, 0).y * top;
      x[s] = top;
    }
    return y;
  }

  // Solves the lanes' equations for z. `top` is Y of the lane's first row.
  __device__ double reduce(double y, double top, int system) const {
    const double* from = tables_.reduced[system][0] + lane_;
    double z = y - *from * down(top);
#pragma unroll
    for (unsigned distance = 1; distance < lanes; distance *= 2) {
      const double before = up(z, distance), after = down(z, distance);
      z -= from[lanes] * before + from[2 * lanes] * after;
      from += 2 * lanes;
    }
    return z * from[lanes];
  }

  __device__ void finish(values& x, double z, int system) const {
    const double before = up(z);
#pragma unroll
    for (int s = 0; s + 1 < run; ++s) {
      const double2 fg = row_of(system, s, 1);
      x[s] -= fg.y * z + fg.x * before;
    }
    x[run - 1] = z;
  }

  __device__ void solve(values& x, int system) const {
    const double y = eliminate(x, system);
    finish(x, reduce(y, x[0], system), system);
  }
  // Solves two systems that do not wait for each other.
  __device__ void solve_two(values& u, int system_u, values& v, int system_v) const {
    const double y_u = eliminate(u, system_u), y_v = eliminate(v, system_v);
    const double z_u = reduce(y_u, u[0], system_u), z_v = reduce(y_v, v[0], system_v);
    finish(u, z_u, system_u);
    finish(v, z_v, system_v);
  }

  const study_data& all_;
  member_tables<run>& tables_;
  int lane_, rows_, first_;
  lane_class class_;
  bool is_long_, writes_class_;
  values c_, p_, i_, f_;
  double of_bend_, slopes_, bend_, r_p_, r_i_, own_p_, own_i_, k1_, k2_, k3_, k4_, k5_, a1_, a2_;
};

// Each warp takes members until none is left.
template <int run, bool is_conservative>
__global__ void __launch_bounds__(most_study_warps* lanes, 1)
    run_members_by_warp(const __grid_constant__ study_data s) {
  auto* const tables = cuda::dynamic_shared<member_tables<run>>();
  warp_member<run, is_conservative> member(s, tables[static_cast<int>(threadIdx.x) / lanes]);
  for (;;) {
    int index = 0;
    if (lane_of_thread() == 0) index = atomicAdd(s.next_member, 1);
    index = __shfl_sync(all_lanes, index, 0);
    if (index >= s.members) return;
    member.simulate(index);
  }
}

// The kernel for one number of nodes per lane.
struct warp_kernel {
  using function = void (*)(study_data);

  function conservative{}, other{};
  std::size_t bytes_per_warp{};
  int run{};

  function for_reading(taxis reading) const { return reading == taxis::conservative ? conservative : other; }
};

// The most nodes per lane for which there is a kernel. With fewer than the least the last lane's neighbours are not its
// own, with more the state does not fit into registers.
constexpr int most_per_lane = 13;

// The kernel for a grid; empty if there is none.
template <int run = fewest_study_run>
warp_kernel warp_kernel_for(int nodes) {
  if constexpr (run > most_per_lane) {
    return {};
  } else {
    if (nodes > lanes * (run - 1) && nodes <= lanes * run)
      return {run_members_by_warp<run, true>, run_members_by_warp<run, false>, sizeof(member_tables<run>),
              run};
    return warp_kernel_for<run + 1>(nodes);
  }
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::angiogenesis
