// SPDX-License-Identifier: MIT
// Creates and runs compute shaders, and moves their buffers.
#include "solvers/common/opengl/compute.hpp"

#include <string>

#include "solvers/common/base/error.hpp"
#include "solvers/common/base/launches.hpp"

namespace reprise {
namespace {

constexpr int first_version = 43;  // OpenGL 4.3

int limit_of(GLenum which) {
  GLint limit = 0;
  REPRISE_GL(glGetIntegerv(which, &limit));
  return limit;
}

int limit_of(GLenum which, GLuint direction) {
  GLint limit = 0;
  REPRISE_GL(glGetIntegeri_v(which, direction, &limit));
  return limit;
}

// Without this check, epoxy would end the process at the first call that the driver lacks.
void require_compute(const gl_context& context, int buffers) {
  context.make_current();
  const int version = epoxy_gl_version();
  if (version < first_version)
    throw unavailable("needs compute shaders, which OpenGL has from 4.3 on: this device has OpenGL " +
                      std::to_string(version / 10) + "." + std::to_string(version % 10));
  const int most = limit_of(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS);
  if (most < buffers)
    throw unavailable("needs " + std::to_string(buffers) + " buffers in a compute shader: this device has " +
                      std::to_string(most));
}

GLsizeiptr bytes_of(std::size_t floats) {
  return static_cast<GLsizeiptr>(floats * sizeof(float));
}

}  // namespace

gl_buffer::gl_buffer(const gl_context& context, const std::vector<float>& values) {
  context.make_current();
  const auto bytes = bytes_of(values.size());
  GLint64 most = 0;
  REPRISE_GL(glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most));
  if (bytes > most)
    throw unavailable("does not fit: a buffer of " + std::to_string(bytes) +
                      " bytes is over this device's limit of " + std::to_string(most));
  GLuint name = 0;
  REPRISE_GL(glGenBuffers(1, &name));
  object_ = gl_object(context, name, [](GLuint old) { glDeleteBuffers(1, &old); });
  make_target();
  REPRISE_GL(glBufferData(GL_SHADER_STORAGE_BUFFER, bytes, values.data(), GL_DYNAMIC_COPY));
}

void gl_buffer::make_target() const {
  object_.owner().make_current();
  REPRISE_GL(glBindBuffer(GL_SHADER_STORAGE_BUFFER, object_.name()));
}

void gl_buffer::write(const std::vector<float>& values, std::size_t first) {
  make_target();
  REPRISE_GL(
      glBufferSubData(GL_SHADER_STORAGE_BUFFER, bytes_of(first), bytes_of(values.size()), values.data()));
}

std::vector<float> gl_buffer::read(std::size_t first, std::size_t count) const {
  make_target();
  std::vector<float> values(count);
  REPRISE_GL(glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT));
  REPRISE_GL(glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, bytes_of(first), bytes_of(count), values.data()));
  return values;
}

gl_compute_program::gl_compute_program(const gl_context& context, std::string_view source, int items,
                                       int buffers)
    : items_(items) {
  require_compute(context, buffers);
  most_wide_ = limit_of(GL_MAX_COMPUTE_WORK_GROUP_COUNT, 0);
  most_high_ = limit_of(GL_MAX_COMPUTE_WORK_GROUP_COUNT, 1);
  const std::string text = "#version 430 core\n#define items " + std::to_string(items) + "\n";
  program_ = gl_program(context, GL_COMPUTE_SHADER, text + std::string(source));
}

void gl_compute_program::dispatch(int width, int height) const {
  const int wide = (width + items_ - 1) / items_;
  if (wide > most_wide_ || height > most_high_)
    throw unavailable("does not fit: " + std::to_string(wide) + "x" + std::to_string(height) +
                      " groups are over this device's limit of " + std::to_string(most_wide_) + "x" +
                      std::to_string(most_high_));
  REPRISE_GL(glDispatchCompute(static_cast<GLuint>(wide), static_cast<GLuint>(height), 1));
  REPRISE_GL(glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT));
  count_launch();
}

}  // namespace reprise
