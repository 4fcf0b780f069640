// SPDX-License-Identifier: MIT
// Finds the devices on which EGL can draw without a window, and creates OpenGL objects on them.
#include "solvers/common/opengl/opengl.hpp"

#define EGL_NO_X11
#include <dlfcn.h>
#include <epoxy/egl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

#include "solvers/common/base/device_calls.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/host_memory.hpp"

namespace reprise {
namespace {

constexpr const char* vertex_source = R"(#version 330 core
// One triangle that covers the framebuffer: a quad would shade the pixels on its diagonal twice.
void main() {
  vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
  gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
}
)";

#define REPRISE_NAMED(CODE) std::pair(static_cast<int>(CODE), #CODE)
constexpr std::pair<int, const char*> codes[] = {REPRISE_NAMED(GL_INVALID_ENUM),
                                                 REPRISE_NAMED(GL_INVALID_VALUE),
                                                 REPRISE_NAMED(GL_INVALID_OPERATION),
                                                 REPRISE_NAMED(GL_INVALID_FRAMEBUFFER_OPERATION),
                                                 REPRISE_NAMED(GL_OUT_OF_MEMORY),
                                                 REPRISE_NAMED(GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT),
                                                 REPRISE_NAMED(GL_FRAMEBUFFER_UNSUPPORTED),
                                                 REPRISE_NAMED(EGL_BAD_ACCESS),
                                                 REPRISE_NAMED(EGL_BAD_ALLOC),
                                                 REPRISE_NAMED(EGL_BAD_CONTEXT),
                                                 REPRISE_NAMED(EGL_BAD_MATCH),
                                                 REPRISE_NAMED(EGL_CONTEXT_LOST)};
#undef REPRISE_NAMED

std::string code_name(int code) {
  for (const auto& [known, name] : codes)
    if (known == code) return name;
  return "code " + std::to_string(code);
}

struct egl_context {
  EGLDisplay display{};
  EGLSurface surface{};
  EGLContext context{};
};

void destroy(const egl_context& c) {
  if (eglGetCurrentContext() == c.context)
    eglMakeCurrent(c.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  if (c.context != EGL_NO_CONTEXT) eglDestroyContext(c.display, c.context);
  if (c.surface != EGL_NO_SURFACE) eglDestroySurface(c.display, c.surface);
}

// A core context of at least this version; EGL_NO_CONTEXT if the display has none. Some drivers give just the version
// that they are asked for.
EGLContext core_context(EGLDisplay display, EGLConfig config, EGLint major, EGLint minor) {
  const std::array<EGLint, 7> version{EGL_CONTEXT_MAJOR_VERSION,
                                      major,
                                      EGL_CONTEXT_MINOR_VERSION,
                                      minor,
                                      EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                      EGL_NONE};
  return eglCreateContext(display, config, EGL_NO_CONTEXT, version.data());
}

// A context with a surface of one pixel, which every EGL supports; nothing is ever drawn on it. It has OpenGL 4.3, which
// compute shaders need, or else 3.3, or is EGL_NO_CONTEXT.
egl_context make_context(EGLDisplay display) {
  egl_context made{display, EGL_NO_SURFACE, EGL_NO_CONTEXT};
  constexpr std::array<EGLint, 5> wanted{EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                         EGL_OPENGL_BIT, EGL_NONE};
  constexpr std::array<EGLint, 5> one_pixel{EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
  EGLConfig config{};
  EGLint configs = 0;
  if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) return made;
  if (eglChooseConfig(display, wanted.data(), &config, 1, &configs) != EGL_TRUE || configs < 1) return made;
  made.surface = eglCreatePbufferSurface(display, config, one_pixel.data());
  if (made.surface == EGL_NO_SURFACE) return made;
  made.context = core_context(display, config, 4, 3);
  if (made.context == EGL_NO_CONTEXT) made.context = core_context(display, config, 3, 3);
  return made;
}

struct found_devices {
  std::vector<EGLDisplay> displays;  // device opengl:N has displays[N]
  discovery answer;
};

// libepoxy ends the process if a library is missing, so this must be checked before the first call to it.
bool libraries_are_there() {
  const auto loads = [](const char* library) { return dlopen(library, RTLD_LAZY | RTLD_LOCAL) != nullptr; };
  return loads("libEGL.so.1") && (loads("libOpenGL.so.0") || loads("libGL.so.1"));
}

bool client_has(std::string_view extension) {
  using word = std::istream_iterator<std::string>;
  const char* const names = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  std::istringstream list(names != nullptr ? names : "");
  return std::find(word(list), word(), extension) != word();
}

template <class Function>
Function egl_function(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

// The PCI address of the board behind an EGL device, found through its DRM file; empty if it has none.
std::string bus_address(EGLDeviceEXT device) {
  const auto query = egl_function<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
  const char* const file = query != nullptr ? query(device, EGL_DRM_DEVICE_FILE_EXT) : nullptr;
  if (file == nullptr) return "";
  std::error_code failed;
  const auto link =
      std::filesystem::path("/sys/class/drm") / std::filesystem::path(file).filename() / "device";
  const auto board = std::filesystem::canonical(link, failed);
  return failed ? "" : board.filename().string();
}

bool is_on_cpu(std::string_view renderer) {
  return renderer.starts_with("llvmpipe") || renderer.starts_with("softpipe");
}

// Memory of the current context's device in bytes; 0 if unknown.
std::size_t device_memory_bytes(std::string_view renderer) {
  if (is_on_cpu(renderer))
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  GLint kibibytes = 0;
  if (epoxy_has_gl_extension("GL_NVX_gpu_memory_info"))
    glGetIntegerv(GL_GPU_MEMORY_INFO_DEDICATED_VIDMEM_NVX, &kibibytes);
  return static_cast<std::size_t>(std::max(kibibytes, 0)) << 10U;
}

std::string gl_string(GLenum which) {
  const auto* const text = reinterpret_cast<const char*>(glGetString(which));
  return text != nullptr ? text : "unknown";
}

bool is_known(const found_devices& found, std::string_view renderer) {
  return std::any_of(found.answer.devices.begin(), found.answer.devices.end(),
                     [&](const device& known) { return known.name == renderer; });
}

void add_if_usable(found_devices& found, EGLDisplay display, const std::string& pci) {
  if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) != EGL_TRUE) return;
  const egl_context c = make_context(display);
  if (c.context != EGL_NO_CONTEXT && eglMakeCurrent(display, c.surface, c.surface, c.context) == EGL_TRUE) {
    const std::string renderer = gl_string(GL_RENDERER);
    const int index = static_cast<int>(found.displays.size());
    // The size is unknown only with Mesa's drivers. Then the GPU may be integrated
    // and have no memory of its own.
    const std::size_t memory_bytes = device_memory_bytes(renderer);
    const device d{.kind = backend::opengl,
                   .index = index,
                   .id = "opengl:" + std::to_string(index),
                   .name = renderer,
                   .driver = "OpenGL " + gl_string(GL_VERSION),
                   .memory_bytes = memory_bytes,
                   .cache_bytes = is_on_cpu(renderer) ? host_cache_bytes() : 0,
                   .fp64 = epoxy_has_gl_extension("GL_ARB_gpu_shader_fp64"),
                   .pci = is_on_cpu(renderer) ? "" : pci,
                   .on_host = is_on_cpu(renderer),
                   .in_host_memory = is_on_cpu(renderer) || memory_bytes == 0};
    // Mesa offers its CPU renderer once more for every board that it cannot drive. One is enough.
    if (!is_on_cpu(renderer) || !is_known(found, renderer)) {
      found.answer.devices.push_back(d);
      found.displays.push_back(display);
    }
  }
  destroy(c);
}

void add_devices(found_devices& found) {
  const auto get_display = egl_function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  if (!client_has("EGL_EXT_platform_base") || get_display == nullptr) return;
  const auto query_devices = egl_function<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  const bool enumerates = client_has("EGL_EXT_device_enumeration") || client_has("EGL_EXT_device_base");
  if (enumerates && client_has("EGL_EXT_platform_device") && query_devices != nullptr) {
    std::array<EGLDeviceEXT, 64> devices{};
    EGLint count = 0;
    if (query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count) != EGL_TRUE) count = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      add_if_usable(found, get_display(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr),
                    bus_address(devices[i]));
  }
  if (found.displays.empty() && client_has("EGL_MESA_platform_surfaceless"))
    add_if_usable(found, get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr), "");
}

found_devices find_devices() {
  found_devices found;
  // Silences Mesa's messages about boards that it cannot open: the reason below says what matters to a user.
  setenv("EGL_LOG_LEVEL", "fatal", 0);
  if (libraries_are_there()) add_devices(found);
  if (found.displays.empty())
    found.answer.reason =
        "EGL gives no device with OpenGL 3.3: install libegl1, libopengl0 and libgl1-mesa-dri, or the "
        "vendor's driver";
  return found;
}

// Displays stay initialised until the process ends, because terminating one would
// end it for every context on it.
const found_devices& known_devices() {
  static const found_devices found = find_devices();
  return found;
}

discovery discover_opengl() {
  return known_devices().answer;
}

const backend_registration registered(backend::opengl, discover_opengl);

GLuint new_name(void (*make)(GLsizei, GLuint*), const char* call) {
  GLuint name = 0;
  make(1, &name);
  gl_check(call);
  return name;
}

struct texel_layout {
  GLint internal;
  GLenum external;
};

texel_layout layout_of(int channels) {
  return channels == 1 ? texel_layout{GL_R32F, GL_RED} : texel_layout{GL_RGBA32F, GL_RGBA};
}

gl_object compile(const gl_context& context, GLenum type, std::string_view source) {
  gl_object shader(context, glCreateShader(type), [](GLuint name) { glDeleteShader(name); });
  const GLchar* const text = source.data();
  const auto length = static_cast<GLint>(source.size());
  REPRISE_GL(glShaderSource(shader.name(), 1, &text, &length));
  REPRISE_GL(glCompileShader(shader.name()));
  std::array<GLchar, 4096> log{};
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader.name(), GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_TRUE) return shader;
  glGetShaderInfoLog(shader.name(), static_cast<GLsizei>(log.size()), nullptr, log.data());
  throw error("glCompileShader: " + std::string(log.data()));
}

gl_object link(const gl_context& context, std::initializer_list<const gl_object*> shaders) {
  gl_object program(context, glCreateProgram(), [](GLuint name) { glDeleteProgram(name); });
  for (const gl_object* shader : shaders) REPRISE_GL(glAttachShader(program.name(), shader->name()));
  REPRISE_GL(glLinkProgram(program.name()));
  std::array<GLchar, 4096> log{};
  GLint linked = GL_FALSE;
  glGetProgramiv(program.name(), GL_LINK_STATUS, &linked);
  if (linked == GL_TRUE) return program;
  glGetProgramInfoLog(program.name(), static_cast<GLsizei>(log.size()), nullptr, log.data());
  throw error("glLinkProgram: " + std::string(log.data()));
}

}  // namespace

namespace {

// A new context on a device that was reset or lost its driver cannot be made, or its first call fails.
void ask(const device& d) {
  const gl_context fresh(d);
  REPRISE_GL(glFinish());
}

const device_calls_registration calls(backend::opengl, {.use = nullptr, .ask = ask});

}  // namespace

void gl_check(const char* call, std::source_location where) {
  const GLenum code = glGetError();
  if (code == GL_NO_ERROR) return;
  // OpenGL keeps one error of each kind. This clears them all, so that none is reported for a later call.
  for (int kinds = 0; kinds < 8 && glGetError() != GL_NO_ERROR; ++kinds) continue;
  const std::string_view name = std::string_view(call).substr(0, std::string_view(call).find('('));
  const std::string message = std::string(name) + ": " + code_name(static_cast<int>(code));
  if (code == GL_OUT_OF_MEMORY) throw unavailable("does not fit: " + message);
  throw error(message, where);
}

gl_context::gl_context(const device& d) : memory_bytes_(d.memory_bytes) {
  const auto& displays = known_devices().displays;
  const auto index = static_cast<std::size_t>(d.index);
  if (d.kind != backend::opengl || d.index < 0 || index >= displays.size())
    throw unavailable(d.id + " is no OpenGL device of this machine");
  const egl_context made = make_context(displays[index]);
  display_ = made.display;
  surface_ = made.surface;
  context_ = made.context;
  try {
    if (context_ == EGL_NO_CONTEXT) throw error("eglCreateContext: " + code_name(eglGetError()));
    make_current();
    REPRISE_GL(glGetIntegerv(GL_MAX_RECTANGLE_TEXTURE_SIZE, &max_texture_size_));
    // The core profile draws nothing without a bound vertex array object, even if
    // there are no vertex attributes.
    REPRISE_GL(glBindVertexArray(new_name(glGenVertexArrays, "glGenVertexArrays")));
  } catch (...) {
    destroy(made);
    throw;
  }
}

gl_context::~gl_context() {
  destroy({display_, surface_, context_});
}

bool gl_context::try_make_current() const noexcept {
  return eglGetCurrentContext() == context_ ||
         eglMakeCurrent(display_, surface_, surface_, context_) == EGL_TRUE;
}

void gl_context::make_current() const {
  if (!try_make_current()) throw error("eglMakeCurrent: " + code_name(eglGetError()));
}

void gl_context::expect_fit(std::size_t bytes, const char* of) const {
  if (memory_bytes_ > 0 && bytes > memory_bytes_)
    throw unavailable("does not fit: " + std::to_string(bytes >> 20U) + " MiB of " + of +
                      ", the device has " + std::to_string(memory_bytes_ >> 20U) + " MiB");
}

gl_texture::gl_texture(const gl_context& context, int width, int height, int channels)
    : width_(width), height_(height), channels_(channels) {
  context.make_current();
  const int most = context.max_texture_size();
  if (width > most || height > most)
    throw unavailable("does not fit: a texture of " + std::to_string(width) + "x" + std::to_string(height) +
                      " is over this device's limit of " + std::to_string(most) + " texels a side");
  object_ = gl_object(context, new_name(glGenTextures, "glGenTextures"),
                      [](GLuint name) { glDeleteTextures(1, &name); });
  REPRISE_GL(glBindTexture(GL_TEXTURE_RECTANGLE, name()));
  for (const GLenum which : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    REPRISE_GL(glTexParameteri(GL_TEXTURE_RECTANGLE, which, GL_NEAREST));
  for (const GLenum which : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
    REPRISE_GL(glTexParameteri(GL_TEXTURE_RECTANGLE, which, GL_CLAMP_TO_EDGE));
  const texel_layout layout = layout_of(channels);
  REPRISE_GL(glTexImage2D(GL_TEXTURE_RECTANGLE, 0, layout.internal, width, height, 0, layout.external,
                          GL_FLOAT, nullptr));
}

void gl_texture::upload(const std::vector<float>& texels) {
  upload_rows(0, height_, texels);
}

void gl_texture::upload_rows(int first_row, int rows, const std::vector<float>& texels) {
  owner().make_current();
  REPRISE_GL(glBindTexture(GL_TEXTURE_RECTANGLE, name()));
  REPRISE_GL(glTexSubImage2D(GL_TEXTURE_RECTANGLE, 0, 0, first_row, width_, rows,
                             layout_of(channels_).external, GL_FLOAT, texels.data()));
}

std::vector<float> gl_texture::download() const {
  owner().make_current();
  std::vector<float> texels(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) *
                            static_cast<std::size_t>(channels_));
  REPRISE_GL(glBindTexture(GL_TEXTURE_RECTANGLE, name()));
  REPRISE_GL(glGetTexImage(GL_TEXTURE_RECTANGLE, 0, layout_of(channels_).external, GL_FLOAT, texels.data()));
  return texels;
}

gl_framebuffer::gl_framebuffer(const gl_texture& target)
    : width_(target.width()), height_(target.height()), channels_(target.channels()) {
  target.owner().make_current();
  object_ = gl_object(target.owner(), new_name(glGenFramebuffers, "glGenFramebuffers"),
                      [](GLuint name) { glDeleteFramebuffers(1, &name); });
  REPRISE_GL(glBindFramebuffer(GL_FRAMEBUFFER, name()));
  REPRISE_GL(
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_RECTANGLE, target.name(), 0));
  const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
  if (status != GL_FRAMEBUFFER_COMPLETE)
    throw unavailable("the device does not draw into textures of floats (" +
                      code_name(static_cast<int>(status)) + ")");
}

std::vector<float> gl_framebuffer::read_rows(int first_row, int rows) const {
  object_.owner().make_current();
  std::vector<float> texels(static_cast<std::size_t>(width_) * static_cast<std::size_t>(rows) *
                            static_cast<std::size_t>(channels_));
  bind();
  REPRISE_GL(
      glReadPixels(0, first_row, width_, rows, layout_of(channels_).external, GL_FLOAT, texels.data()));
  return texels;
}

gl_program::gl_program(const gl_context& context, std::string_view fragment_source) {
  context.make_current();
  const gl_object vertex = compile(context, GL_VERTEX_SHADER, vertex_source);
  const gl_object fragment = compile(context, GL_FRAGMENT_SHADER, fragment_source);
  object_ = link(context, {&vertex, &fragment});
}

gl_program::gl_program(const gl_context& context, GLenum type, std::string_view source) {
  context.make_current();
  const gl_object shader = compile(context, type, source);
  object_ = link(context, {&shader});
}

gl_stopwatch::gl_stopwatch(const gl_context& context) : context_(context) {
  context_.make_current();
  GLint bits = 0;
  REPRISE_GL(glGetQueryiv(GL_TIMESTAMP, GL_QUERY_COUNTER_BITS, &bits));
  has_stamps_ = bits > 0;
  if (!has_stamps_) return;
  for (gl_object* query : {&first_, &last_})
    *query = gl_object(context_, new_name(glGenQueries, "glGenQueries"),
                       [](GLuint name) { glDeleteQueries(1, &name); });
}

void gl_stopwatch::start() {
  context_.make_current();
  if (has_stamps_) {
    REPRISE_GL(glQueryCounter(first_.name(), GL_TIMESTAMP));
    // Without a flush, tile-based renderers would take the time stamp of each tile
    // just before that tile is drawn.
    REPRISE_GL(glFlush());
    return;
  }
  REPRISE_GL(glFinish());
  steady_.start();
}

double gl_stopwatch::stop() {
  context_.make_current();
  if (!has_stamps_) {
    REPRISE_GL(glFinish());
    return steady_.stop();
  }
  GLuint64 first = 0;
  GLuint64 last = 0;
  REPRISE_GL(glQueryCounter(last_.name(), GL_TIMESTAMP));
  REPRISE_GL(glGetQueryObjectui64v(last_.name(), GL_QUERY_RESULT, &last));
  REPRISE_GL(glGetQueryObjectui64v(first_.name(), GL_QUERY_RESULT, &first));
  return static_cast<double>(last - first) * 1e-9;
}

}  // namespace reprise
