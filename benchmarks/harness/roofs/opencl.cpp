// SPDX-License-Identifier: MIT
// Measures an OpenCL device's roofs: copying by a kernel or by the runtime, whichever is faster, reading,
// and chains of multiply-adds.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "benchmarks/harness/roofs/opencl.cl.hpp"
#include "benchmarks/harness/roofs/probe.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/opencl/opencl.hpp"

namespace reprise::harness {
namespace {

constexpr std::size_t group = 256;
constexpr std::size_t loads_in_item = 16;
constexpr double chains = 8;
constexpr double steps_in_round = 16;
constexpr int most_work = 1 << 20;

template <class Real>
class flops_probe {
 public:
  flops_probe(opencl_context& context, opencl_stopwatch& clock)
      : clock_(clock),
        width_(native_width(context.device_id())),
        items_(2048 * std::size_t{units(context.device_id())}),
        results_(context, items_ * width_),
        kernel_(opencl_program(context, opencl_cl, options()), "multiply_add") {
    rounds_ = enough_work(most_work, [&](int rounds) { return seconds_of(rounds); });
    const std::vector<Real> results = results_.read();
    if (!std::ranges::all_of(results, [](Real r) { return std::isfinite(r); }))
      throw error("the multiply-add roof computed a value that is not finite");
  }

  double per_second() {
    const double flops = 2 * chains * steps_in_round * rounds_ * static_cast<double>(items_ * width_);
    return flops / seconds_of(rounds_);
  }

 private:
  static constexpr bool is_double = std::is_same_v<Real, double>;

  static cl_uint ask(cl_device_id id, cl_device_info which) {
    cl_uint value = 0;
    REPRISE_CL(clGetDeviceInfo(id, which, sizeof value, &value, nullptr));
    return std::max<cl_uint>(value, 1);
  }
  static cl_uint units(cl_device_id id) { return ask(id, CL_DEVICE_MAX_COMPUTE_UNITS); }
  static cl_uint native_width(cl_device_id id) {
    return ask(id, is_double ? CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE : CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
  }

  std::string options() const {
    const std::string real = is_double ? "double" : "float";
    const std::string vector = width_ > 1 ? real + std::to_string(width_) : real;
    return "-cl-mad-enable -DREAL=" + real + " -DVECTOR=" + vector + (is_double ? " -DREAL_IS_DOUBLE" : "");
  }

  double seconds_of(int rounds) {
    kernel_.set(results_, Real{0.5}, Real{1}, rounds);
    clock_.start();
    kernel_.run(items_, group);
    return clock_.stop();
  }

  opencl_stopwatch& clock_;
  std::size_t width_;
  std::size_t items_;
  opencl_buffer<Real> results_;
  opencl_kernel kernel_;
  int rounds_{};
};

class opencl_roof final : public roof_probe {
 public:
  explicit opencl_roof(const device& d)
      : device_(d),
        context_(d),
        clock_(context_),
        program_(context_, opencl_cl, "-DREAL=float -DVECTOR=float"),
        copy_(program_, "copy"),
        read_(program_, "read") {}

  double copy_bytes_per_second(std::size_t bytes) override {
    prepare(bytes, copies_, &opencl_roof::prepare_copy);
    const double seconds = std::min(seconds_of(copies_, &opencl_roof::copy_by_kernel),
                                    seconds_of(copies_, &opencl_roof::copy_by_runtime));
    return 2.0 * buffer_bytes() * copies_ / seconds;
  }

  double read_bytes_per_second(std::size_t bytes) override {
    // For each 256 bytes that an item reads it writes four: array and results together take `bytes`.
    prepare(bytes / 65 * 64, reads_, &opencl_roof::prepare_read);
    const double bytes_read = static_cast<double>(loads_in_item * read_items() * sizeof(cl_float4));
    return bytes_read * reads_ / seconds_of(reads_, &opencl_roof::read_all);
  }

  double flops_per_second(precision p) override {
    if (p == precision::single) {
      if (!single_) single_ = std::make_unique<flops_probe<float>>(context_, clock_);
      return single_->per_second();
    }
    if (!device_.fp64) throw unavailable("no cl_khr_fp64 on " + device_.id);
    if (!double_) double_ = std::make_unique<flops_probe<double>>(context_, clock_);
    return double_->per_second();
  }

  probe_cost cost() const override { return {(from_.size() + to_.size()) * sizeof(float), passes_}; }

 private:
  double buffer_bytes() const { return static_cast<double>(from_.size() * sizeof(float)); }
  std::size_t read_items() const { return count_ / loads_in_item; }

  // On a CPU each work item reads a contiguous stretch of memory; on a GPU neighbouring
  // items read neighbouring words.
  bool reads_in_a_row() const {
    cl_device_type type = 0;
    REPRISE_CL(clGetDeviceInfo(context_.device_id(), CL_DEVICE_TYPE, sizeof type, &type, nullptr));
    return (type & CL_DEVICE_TYPE_CPU) != 0;
  }

  void copy_by_kernel() const { copy_.run(count_, group); }
  void copy_by_runtime() const {
    REPRISE_CL(clEnqueueCopyBuffer(context_.queue(), from_.get(), to_.get(), 0, 0,
                                   from_.size() * sizeof(float), 0, nullptr, nullptr));
  }
  void read_all() const { read_.run(read_items(), group); }

  double seconds_of(int repeats, void (opencl_roof::*work)() const) {
    passes_ += repeats;
    clock_.start();
    for (int r = 0; r < repeats; ++r) (this->*work)();
    return clock_.stop();
  }

  // Allocates the arrays for one kind of sample and finds how many passes a sample takes (`passes` is 0
  // before). Frees the old arrays first, so that both need not fit at once.
  void prepare(std::size_t bytes, int& passes, int (opencl_roof::*prepare_kind)()) {
    const std::size_t count = std::max(loads_in_item, bytes / sizeof(cl_float4));
    if (count == count_ && passes > 0) return;
    count_ = 0;
    copies_ = reads_ = 0;
    from_ = {};
    to_ = {};
    from_ = opencl_buffer<float>(context_, 4 * count);
    opencl_kernel pattern(program_, "write_pattern");
    pattern.set(from_, cl_ulong{count});
    pattern.run(count, group);
    count_ = count;
    passes = (this->*prepare_kind)();
  }

  int prepare_copy() {
    to_ = opencl_buffer<float>(context_, 4 * count_);
    copy_.set(from_, to_, cl_ulong{count_});
    to_.fill(-1.0F);
    copy_by_runtime();
    expect_pattern();
    to_.fill(-1.0F);
    const int copies =
        enough_work(most_work, [&](int n) { return seconds_of(n, &opencl_roof::copy_by_kernel); });
    expect_pattern();
    return copies;
  }

  int prepare_read() {
    const cl_ulong items = read_items();
    const bool in_a_row = reads_in_a_row();
    to_ = opencl_buffer<float>(context_, items);
    read_.set(from_, to_, items, in_a_row ? cl_ulong{loads_in_item} : 1, in_a_row ? cl_ulong{1} : items);
    to_.fill(-1.0F);
    const int reads = enough_work(most_work, [&](int n) { return seconds_of(n, &opencl_roof::read_all); });
    const std::vector<float> sums = to_.read();
    if (std::ranges::any_of(sums, [](float sum) { return !(sum > 0); }))
      throw error("the read roof did not read its buffer");
    return reads;
  }

  void expect_pattern() const {
    constexpr std::size_t chunk = 1U << 20U;
    for (std::size_t first = 0; first < to_.size(); first += chunk) {
      const std::vector<float> words = to_.read(first, std::min(chunk, to_.size() - first));
      for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i] != static_cast<float>((first + i) & 0xFFFFU))
          throw error("the copy roof copied word " + std::to_string(first + i) + " wrongly");
    }
  }

  device device_;
  opencl_context context_;
  opencl_stopwatch clock_;
  opencl_program program_;
  opencl_kernel copy_, read_;
  std::size_t count_{};  // number of float4 in each buffer
  int copies_{};         // passes per sample; 0: not prepared
  int reads_{};
  long passes_{};
  opencl_buffer<float> from_, to_;
  std::unique_ptr<flops_probe<float>> single_;
  std::unique_ptr<flops_probe<double>> double_;
};

const roof_registration registered = probed_by<opencl_roof>(backend::opencl);

}  // namespace
}  // namespace reprise::harness
