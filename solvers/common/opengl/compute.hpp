// SPDX-License-Identifier: MIT
// Compute shaders of OpenGL 4.3: buffers of floats, and programs that run once for each point of a rectangle.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "solvers/common/opengl/opengl.hpp"

namespace reprise {

// An array of floats that a compute shader reads and writes ("shader storage").
// Throws unavailable if it exceeds the device's limit.
class gl_buffer {
 public:
  gl_buffer() = default;
  gl_buffer(const gl_context& context, const std::vector<float>& values);

  void write(const std::vector<float>& values, std::size_t first);
  // Waits for the shaders that write the buffer.
  std::vector<float> read(std::size_t first, std::size_t count) const;
  void bind(unsigned binding) const {
    REPRISE_GL(glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, object_.name()));
  }

 private:
  void make_target() const;

  gl_object object_;
};

// A compute shader. Its source has no #version, and takes the width of a group as the macro `items`.
class gl_compute_program {
 public:
  // Throws unavailable if the device has no compute shaders, or fewer buffers for one than `buffers`.
  gl_compute_program(const gl_context& context, std::string_view source, int items, int buffers);

  void use() const { program_.use(); }
  void set(const char* uniform, float value) const { program_.set(uniform, value); }
  void set(const char* uniform, int value) const { program_.set(uniform, value); }

  // Runs the program, which must be in use, over at least width by height points. Later runs see what it wrote.
  // Throws unavailable if the device's groups do not reach that far.
  void dispatch(int width, int height) const;

 private:
  gl_program program_;
  int items_;
  int most_wide_{};
  int most_high_{};
};

}  // namespace reprise
