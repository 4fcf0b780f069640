// SPDX-License-Identifier: MIT
// The steps of a parameter study, one work-item per member. Work-items do not wait for each other.
// Arrays are [...][member], so that neighbouring work-items read neighbouring values. A member's state has rows
// field * nodes + node, and two buffers that alternate.
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

enum field { C, P, I, F, fields };
enum reading { nodal, analytic, conservative };

// What a member is made of, in the order of the host's array. k1, k2, k3 and k5 are times dt, k4 and k6 times dt / 2,
// and r_* is dt / 2 d / h^2.
enum coefficient { r_c, r_p, r_i, k1, k2, k3, k4, k5, k6, a1, a2, a3, a4, eps };
// By node: factors of C before, here and after in C's right-hand side; T; inverses of the three eliminations.
enum table { before_, here_, after_, tumour_, inverse_c, inverse_p, inverse_i, tables };

#define COEFFICIENT(which) coefficients[(which)*members + m]
#define TABLE(which, k) table[((which)*nodes + (k)) * members + m]
#define STATE(u, which, k) (u)[((which)*nodes + (k)) * members + m]

double tumour_at(int k, int last, double width) {
  const double ahead = 1 - k * (1.0 / last);
  return exp(-ahead * ahead / width);
}

// What taxis of T adds to C, as factors of C at three nodes.
double3 taxis_of_tumour(int how, int k, int last, double dt, double strength, double saturation, double width) {
  const double of_slope = last / 2.0, of_bend = (double)last * last;
  const double t = tumour_at(k, last, width);
  const double below = tumour_at(k == 0 ? 1 : k - 1, last, width);
  const double above = tumour_at(k == last ? last - 1 : k + 1, last, width);
  const double g = strength / (1 + saturation * t), g_below = strength / (1 + saturation * below);
  const double g_above = strength / (1 + saturation * above);
  if (how == conservative)
    return (double3)(dt * of_bend / 2 * g_below * (t - below), -dt * of_bend / 2 * g * ((above - t) - (t - below)),
                     -dt * of_bend / 2 * g_above * (above - t));
  if (how == nodal) {
    const double slope = (above - below) * of_slope;
    return (double3)(dt * g_below * of_slope * slope, -dt * g * (below - 2 * t + above) * of_bend,
                     -dt * g_above * of_slope * slope);
  }
  const double rate = 2 * (1 - k * (1.0 / last)) / width, divisor = 1 + saturation * t;
  const double psi = rate * t / divisor;
  const double psi_x = t / divisor * (rate * rate / divisor - 2 / width);
  return (double3)(dt * strength * psi * of_slope, -dt * strength * psi_x, -dt * strength * psi * of_slope);
}

// The entry of row k beside the diagonal, towards smaller or larger k.
double lower_of(int k, int last, double r) { return k == 0 ? 0 : k == last ? -2 * r : -r; }
double upper_of(int k, int last, double r) { return k == last ? 0 : k == 0 ? -2 * r : -r; }

// Tables and the initial state. C and I are eliminated from the first node on, P from the last one.
kernel void prepare(const int members, const int nodes, const int how, const double dt,
                    global const double* restrict coefficients, global const double* restrict u0,
                    global double* restrict table, global double* restrict u, global int* restrict steps_done) {
  const int m = get_global_id(0), last = nodes - 1;
  if (m >= members) return;
  double c = 0, i = 0, p = 0;
  for (int k = 0; k < nodes; ++k) {
    for (int f = 0; f < fields; ++f) STATE(u, f, k) = u0[f * nodes + k];
    const double3 e =
        taxis_of_tumour(how, k, last, dt, COEFFICIENT(a3), COEFFICIENT(a4), COEFFICIENT(eps));
    TABLE(before_, k) = COEFFICIENT(r_c) + e.x;
    TABLE(here_, k) = 1 - 2 * COEFFICIENT(r_c) + COEFFICIENT(k1) + e.y;
    TABLE(after_, k) = COEFFICIENT(r_c) + e.z;
    TABLE(tumour_, k) = tumour_at(k, last, COEFFICIENT(eps));
    const double r = COEFFICIENT(r_c), q = COEFFICIENT(r_i);
    c = 1 / (1 + 2 * r - lower_of(k, last, r) * (k > 0 ? upper_of(k - 1, last, r) * c : 0));
    i = 1 / (1 + 2 * q - lower_of(k, last, q) * (k > 0 ? upper_of(k - 1, last, q) * i : 0));
    TABLE(inverse_c, k) = c;
    TABLE(inverse_i, k) = i;
  }
  for (int k = last; k >= 0; --k) {
    const double r = COEFFICIENT(r_p);
    p = 1 / (1 + 2 * r + COEFFICIENT(k6) - upper_of(k, last, r) * (k < last ? lower_of(k + 1, last, r) * p : 0));
    TABLE(inverse_p, k) = p;
  }
  steps_done[m] = 0;
}

// max(value, 0); `flaw` becomes a NaN if the value is not finite.
double clipped(double value, double* flaw) {
  *flaw += 0 * value;
  return value < 0 ? 0 : value;
}

// One step of a member from u to next. Returns whether all values are finite.
// Upwards: right-hand sides, and the elimination of C and I. Downwards: C and I, and the elimination of P. Upwards: P.
int step(const int m, const int members, const int nodes, const int how, const double dt,
         global const double* restrict coefficients, global const double* restrict table,
         global const double* restrict u, global double* restrict next) {
  const int last = nodes - 1;
  const double bend = dt * last * last, slopes = bend / 4;
  const double rc = COEFFICIENT(r_c), rp = COEFFICIENT(r_p), ri = COEFFICIENT(r_i);
  const double grow = COEFFICIENT(k1), lose = COEFFICIENT(k2), bind = COEFFICIENT(k3), make = COEFFICIENT(k4);
  const double source = COEFFICIENT(k5), decay = COEFFICIENT(k6), to_f = COEFFICIENT(a1), from_i = COEFFICIENT(a2);
  double flaw = 0;
  // Beyond an end of the grid the neighbour is the inner one.
  double c_below = STATE(u, C, 1), p_below = STATE(u, P, 1), i_below = STATE(u, I, 1);
  double w_below = from_i * i_below - to_f * STATE(u, F, 1);
  double c = STATE(u, C, 0), p = STATE(u, P, 0), i = STATE(u, I, 0), f = STATE(u, F, 0);
  double w = from_i * i - to_f * f, y_c = 0, y_i = 0;
  for (int k = 0; k <= last; ++k) {
    const int above = k == last ? last - 1 : k + 1;
    const double c_above = STATE(u, C, above), p_above = STATE(u, P, above), i_above = STATE(u, I, above);
    const double f_above = STATE(u, F, above), w_above = from_i * i_above - to_f * f_above;
    const double t = TABLE(tumour_, k), loss = bind * p * i;
    double own = TABLE(here_, k) - grow * c, moved;
    if (how == conservative) {
      moved = bend / 2 * ((c + c_above) * (w_above - w) - (c_below + c) * (w - w_below));
    } else {
      own += bend * (w_below - 2 * w + w_above);
      moved = slopes * (c_above - c_below) * (w_above - w_below);
    }
    const double right_c = c * own + TABLE(before_, k) * c_below + TABLE(after_, k) * c_above + moved;
    const double right_i = (1 - 2 * ri) * i - loss + ri * (i_below + i_above);
    y_c = TABLE(inverse_c, k) * (right_c - lower_of(k, last, rc) * y_c);
    y_i = TABLE(inverse_i, k) * (right_i - lower_of(k, last, ri) * y_i);
    STATE(next, C, k) = y_c;
    STATE(next, I, k) = y_i;
    STATE(next, P, k) = (1 - 2 * rp - decay) * p - loss + rp * (p_below + p_above) + t * (make * c + source);
    STATE(next, F, k) = clipped(f * (1 - lose * p), &flaw);
    c_below = c;
    p_below = p;
    i_below = i;
    w_below = w;
    c = c_above;
    p = p_above;
    i = i_above;
    f = f_above;
    w = w_above;
  }
  double x_c = 0, x_i = 0, y_p = 0;
  for (int k = last; k >= 0; --k) {
    x_c = STATE(next, C, k) - TABLE(inverse_c, k) * upper_of(k, last, rc) * x_c;
    x_i = STATE(next, I, k) - TABLE(inverse_i, k) * upper_of(k, last, ri) * x_i;
    const double right = STATE(next, P, k) + make * TABLE(tumour_, k) * x_c;
    y_p = TABLE(inverse_p, k) * (right - upper_of(k, last, rp) * y_p);
    STATE(next, C, k) = clipped(x_c, &flaw);
    STATE(next, I, k) = clipped(x_i, &flaw);
    STATE(next, P, k) = y_p;
  }
  double x_p = 0;
  for (int k = 0; k <= last; ++k) {
    x_p = STATE(next, P, k) - TABLE(inverse_p, k) * lower_of(k, last, rp) * x_p;
    STATE(next, P, k) = clipped(x_p, &flaw);
  }
  return flaw == 0;
}

// Up to `count` steps of each member. One whose next step gives a value that is not finite has taken fewer steps than
// the launches before allow for, and takes no other.
kernel void march(const int members, const int nodes, const int how, const double dt, const int first, const int count,
                  global const double* restrict coefficients, global const double* restrict table,
                  global double* even, global double* odd, global int* restrict steps_done) {
  const int m = get_global_id(0);
  if (m >= members || steps_done[m] != first) return;
  int done = first;
  for (; done < first + count; ++done) {
    const int is_even = done % 2 == 0;
    if (!step(m, members, nodes, how, dt, coefficients, table, is_even ? even : odd, is_even ? odd : even)) break;
  }
  steps_done[m] = done;
}
