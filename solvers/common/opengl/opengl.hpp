// SPDX-License-Identifier: MIT
// Off-screen OpenGL 3.3 through EGL: contexts, textures, framebuffers, programs and a
// stopwatch, each owned by an object. compute.hpp has what needs OpenGL 4.3.
//
// A texture here is a rectangle of floats for computing: coordinates count texels, nothing is filtered, and
// reads beyond the border return the border's texel. A program is a fragment shader that runs once for
// every texel of the framebuffer.
#pragma once

#include <epoxy/gl.h>

#include <cstddef>
#include <source_location>
#include <string_view>
#include <utility>
#include <vector>

#include "solvers/common/base/device.hpp"
#include "solvers/common/base/launches.hpp"
#include "solvers/common/base/stopwatch.hpp"

// Makes one OpenGL call, and throws like gl_check() if it failed.
#define REPRISE_GL(...) ((__VA_ARGS__), ::reprise::gl_check(#__VA_ARGS__))

namespace reprise {

// Throws unavailable if OpenGL has run out of memory, and error if it has recorded any other error.
void gl_check(const char* call, std::source_location where = std::source_location::current());

// A context on one device of backend::opengl.
class gl_context {
 public:
  explicit gl_context(const device& d);
  ~gl_context();
  gl_context(const gl_context&) = delete;
  gl_context& operator=(const gl_context&) = delete;

  // OpenGL acts on the context that is current in the calling thread, and this one stays current until
  // another takes its place. Code that owns a context must therefore call this first. It is cheap if
  // the context is current already.
  void make_current() const;

  // For destructors: returns false if the context cannot be made current.
  bool try_make_current() const noexcept;

  // Throws unavailable if these bytes of textures or buffers exceed the device's memory, where that is known:
  // drivers accept more than that, and then swap or are killed.
  void expect_fit(std::size_t bytes, const char* of) const;
  int max_texture_size() const { return max_texture_size_; }

 private:
  std::size_t memory_bytes_{};
  void* display_{};  // EGLDisplay
  void* surface_{};  // EGLSurface
  void* context_{};  // EGLContext
  int max_texture_size_{};
};

// Owns the name of one OpenGL object. Its context must outlive it.
class gl_object {
 public:
  using release = void (*)(GLuint);

  gl_object() = default;
  gl_object(const gl_context& owner, GLuint name, release how) : owner_(&owner), name_(name), release_(how) {}
  gl_object(gl_object&& other) noexcept { swap(other); }
  gl_object& operator=(gl_object&& other) noexcept {
    gl_object old(std::move(other));
    swap(old);
    return *this;
  }
  ~gl_object() {
    if (name_ != 0 && owner_->try_make_current()) release_(name_);
  }

  const gl_context& owner() const { return *owner_; }
  GLuint name() const { return name_; }

 private:
  void swap(gl_object& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(name_, other.name_);
    std::swap(release_, other.release_);
  }

  const gl_context* owner_{};
  GLuint name_{};
  release release_{};
};

// A rectangle of texels with one float (R32F) or four floats (RGBA32F) each, with rows from bottom to top.
// Throws unavailable if it exceeds the device's limit.
class gl_texture {
 public:
  gl_texture() = default;
  gl_texture(const gl_context& context, int width, int height, int channels);

  void upload(const std::vector<float>& texels);
  void upload_rows(int first_row, int rows, const std::vector<float>& texels);
  std::vector<float> download() const;
  void bind(int unit) const {
    REPRISE_GL(glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit)));
    REPRISE_GL(glBindTexture(GL_TEXTURE_RECTANGLE, name()));
  }

  const gl_context& owner() const { return object_.owner(); }
  GLuint name() const { return object_.name(); }
  int width() const { return width_; }
  int height() const { return height_; }
  int channels() const { return channels_; }

 private:
  gl_object object_;
  int width_{};
  int height_{};
  int channels_{};
};

// A framebuffer that draws into one texture.
class gl_framebuffer {
 public:
  gl_framebuffer() = default;
  explicit gl_framebuffer(const gl_texture& target);

  GLuint name() const { return object_.name(); }
  // Directs later drawing to the texture, with one pixel for each texel.
  void bind() const {
    REPRISE_GL(glBindFramebuffer(GL_FRAMEBUFFER, name()));
    REPRISE_GL(glViewport(0, 0, width_, height_));
  }
  // Reads the texels of some rows only.
  std::vector<float> read_rows(int first_row, int rows) const;

 private:
  gl_object object_;
  int width_{};
  int height_{};
  int channels_{};
};

// A fragment shader, combined with a vertex shader that covers the whole framebuffer, or one shader alone.
class gl_program {
 public:
  gl_program() = default;
  gl_program(const gl_context& context, std::string_view fragment_source);
  // One shader of another type, such as GL_COMPUTE_SHADER.
  gl_program(const gl_context& context, GLenum type, std::string_view source);

  void use() const { REPRISE_GL(glUseProgram(object_.name())); }

  // Sets a uniform. The program must be in use. As in OpenGL, names that the compiler
  // has optimised away are ignored.
  void set(const char* uniform, float value) const { REPRISE_GL(glUniform1f(location(uniform), value)); }
  void set(const char* uniform, int value) const { REPRISE_GL(glUniform1i(location(uniform), value)); }
  void set(const char* uniform, const std::vector<int>& values) const {
    REPRISE_GL(glUniform1iv(location(uniform), static_cast<GLsizei>(values.size()), values.data()));
  }

 private:
  GLint location(const char* uniform) const { return glGetUniformLocation(object_.name(), uniform); }

  gl_object object_;
};

// Runs the current program over the bound framebuffer.
inline void gl_draw() {
  REPRISE_GL(glDrawArrays(GL_TRIANGLES, 0, 3));
  count_launch();
}

// Measures time by the GPU's time stamps. If the driver has none, uses the steady clock after glFinish.
class gl_stopwatch final : public stopwatch {
 public:
  explicit gl_stopwatch(const gl_context& context);
  void start() override;
  double stop() override;

 private:
  const gl_context& context_;
  bool has_stamps_{};
  gl_object first_, last_;
  steady_stopwatch steady_;
};

}  // namespace reprise
