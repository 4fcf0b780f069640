// SPDX-License-Identifier: MIT
// Measures an OpenGL device's roofs: copying and reading textures, and chains of
// multiply-adds in fragment shaders.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "benchmarks/harness/roofs/opengl.frag.hpp"
#include "benchmarks/harness/roofs/probe.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/opengl/opengl.hpp"

namespace reprise::harness {
namespace {

constexpr int texel_floats = 4;
constexpr int texel_bytes = texel_floats * sizeof(float);
constexpr int taps = 16;   // texels that a pixel of the reading shader reads
constexpr int side = 512;  // width and height of the framebuffer for the chains
constexpr double chains = 8;
constexpr double steps_in_round = 4;
constexpr int most_work = 1 << 15;  // below 65536, after which some renderers leave a shader's loop

std::string shader(const std::string& definitions) {
  return "#version 330 core\n" + definitions + std::string(opengl_frag);
}

// A program that draws to one texture, and the number of draws per sample.
struct pass {
  gl_program program;
  gl_texture target;
  gl_framebuffer into;
  int repeats{};  // 0 until it is prepared

  void begin() const {
    into.bind();
    program.use();
  }
};

class opengl_roof final : public roof_probe {
 public:
  explicit opengl_roof(const device& d) : device_(d), context_(d), clock_(context_) {}

  double copy_bytes_per_second(std::size_t bytes) override {
    prepare_source(bytes);
    if (copy_.repeats == 0) prepare_copy();
    copy_.begin();
    return 2.0 * texel_bytes * columns_ * rows_ * copy_.repeats / seconds_of(copy_.repeats);
  }

  double read_bytes_per_second(std::size_t bytes) override {
    // For each 256 bytes that a pixel reads it writes four: texture and results together take `bytes`.
    prepare_source(bytes / 65 * 64);
    if (read_.repeats == 0) prepare_read();
    read_.begin();
    const int rows_read = rows_ / taps * taps;
    return 1.0 * texel_bytes * columns_ * rows_read * read_.repeats / seconds_of(read_.repeats);
  }

  double flops_per_second(precision p) override {
    if (p == precision::double_ && !device_.fp64)
      throw unavailable("no GL_ARB_gpu_shader_fp64 on " + device_.id);
    context_.make_current();
    pass& chain = p == precision::single ? single_ : double_;
    if (chain.repeats == 0) prepare_flops(chain, p);
    chain.begin();
    return 2.0 * chains * steps_in_round * chain.repeats * texel_floats * side * side / seconds_of(1);
  }

  probe_cost cost() const override {
    std::size_t bytes = 0;
    for (const gl_texture* texture : {&from_, &copy_.target, &read_.target})
      bytes += static_cast<std::size_t>(texture->width()) * static_cast<std::size_t>(texture->height()) *
               static_cast<std::size_t>(texture->channels()) * sizeof(float);
    return {bytes, passes_};
  }

 private:
  double seconds_of(int draws) {
    passes_ += draws;
    clock_.start();
    for (int i = 0; i < draws; ++i) gl_draw();
    return clock_.stop();
  }

  void prepare_source(std::size_t bytes) {
    context_.make_current();
    const std::size_t texels = std::max<std::size_t>(taps, bytes / texel_bytes);
    if (texels != texels_) {
      texels_ = 0;
      from_ = {};
      copy_ = {};
      read_ = {};
      const auto most = static_cast<std::size_t>(context_.max_texture_size());
      const std::size_t wide = std::max<std::size_t>(4096, (texels + most - 1) / most);
      const std::size_t width = std::min(texels / taps, wide);
      columns_ = static_cast<int>(width);
      rows_ = static_cast<int>(texels / width);
      from_ = gl_texture(context_, columns_, rows_, texel_floats);
      in_strips([&](int first, int rows) { from_.upload_rows(first, rows, pattern(first, rows)); });
      texels_ = texels;
    }
    from_.bind(0);
  }

  // Processes the texture in strips, so that the host needs no second copy of it.
  template <class Work>
  void in_strips(Work work) const {
    constexpr int strip = 64;
    for (int first = 0; first < rows_; first += strip) work(first, std::min(strip, rows_ - first));
  }

  // Rows of the test pattern: word i is i mod 2^20 + 1, which a float holds exactly.
  std::vector<float> pattern(int first_row, int rows) const {
    const std::size_t row_floats = static_cast<std::size_t>(columns_) * texel_floats;
    std::vector<float> words(row_floats * static_cast<std::size_t>(rows));
    const std::size_t begin = row_floats * static_cast<std::size_t>(first_row);
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = static_cast<float>(((begin + i) & 0xFFFFFU) + 1);
    return words;
  }

  void expect_pattern_copied() const {
    in_strips([&](int first, int rows) {
      if (copy_.into.read_rows(first, rows) != pattern(first, rows))
        throw error("the copy roof did not copy its texture");
    });
  }

  void set_up(pass& p, gl_texture target, const std::string& definitions) {
    p.target = std::move(target);
    p.into = gl_framebuffer(p.target);
    p.program = gl_program(context_, shader(definitions));
    p.begin();
  }

  void set_up_over_source(pass& p, gl_texture target, const std::string& definitions) {
    set_up(p, std::move(target), definitions);
    p.program.set("from", 0);
    from_.bind(0);
  }

  void prepare_copy() {
    read_ = {};
    set_up_over_source(copy_, gl_texture(context_, columns_, rows_, texel_floats), "#define COPY\n");
    const int repeats = enough_work(most_work, [&](int copies) { return seconds_of(copies); });
    expect_pattern_copied();
    copy_.repeats = repeats;
    from_.bind(0);
  }

  void prepare_read() {
    copy_ = {};
    set_up_over_source(read_, gl_texture(context_, columns_, rows_ / taps, 1), "#define READ\n");
    const int repeats = enough_work(most_work, [&](int reads) { return seconds_of(reads); });
    const std::vector<float> sums = read_.target.download();
    if (std::ranges::any_of(sums, [](float sum) { return !(sum > 0); }))
      throw error("the read roof did not read its texture");
    read_.repeats = repeats;
    from_.bind(0);
  }

  void prepare_flops(pass& chain, precision p) {
    const std::string definitions =
        p == precision::single ? "#define VECTOR vec4\n"
                               : "#extension GL_ARB_gpu_shader_fp64 : require\n#define VECTOR dvec4\n";
    set_up(chain, gl_texture(context_, side, side, texel_floats), definitions);
    chain.program.set("factor", 0.5F);
    chain.program.set("term", 1.0F);
    const int rounds = enough_work(most_work, [&](int r) {
      chain.program.set("rounds", r);
      return seconds_of(1);
    });
    const std::vector<float> results = chain.target.download();
    if (!std::ranges::all_of(results, [](float r) { return std::isfinite(r); }))
      throw error("the multiply-add roof computed a value that is not finite");
    chain.repeats = rounds;
  }

  device device_;
  gl_context context_;
  gl_stopwatch clock_;
  std::size_t texels_{};  // as requested; only whole rows of them are used
  int columns_{};
  int rows_{};
  long passes_{};
  gl_texture from_;
  pass copy_, read_;
  pass single_, double_;  // their repeats are rounds inside the shader
};

const roof_registration registered = probed_by<opengl_roof>(backend::opengl);

}  // namespace
}  // namespace reprise::harness
