// SPDX-License-Identifier: MIT
// Preloaded into the program: a disk that fills up or cannot be written, a clock that jumps, and OpenCL calls
// that fail. The environment selects the faults:
//
//   MISBEHAVING_FOLDER=/some/run   the folder to which the next two apply
//   MISBEHAVING_ROOM=5000          the disk is full after this many bytes were written there
//   MISBEHAVING_OPEN=EROFS         nothing there can be opened for writing: EROFS or EACCES
//   MISBEHAVING_CLOCK=3600         the wall clock is alternately this many seconds ahead and behind
//   MISBEHAVING_CL="clCreateBuffer 20 -4 lasting"
//                                  the call after 20 good ones returns -4; lasting: so do all later calls
//   MISBEHAVING_DEVICE="fp64=0 memory=1048576 group=64 constant=65536"
//                                  what OpenCL devices say of themselves; one without fp64 compiles no "double", and
//                                  one with little constant memory takes no larger buffer there
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#ifdef MISBEHAVING_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif

namespace {

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::string_view setting(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_in_folder(std::string_view path) {
  const std::string_view folder = setting("MISBEHAVING_FOLDER");
  return !folder.empty() && path.starts_with(folder);
}

bool is_file_in_folder(int file) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  return ::readlink(link.c_str(), path.data(), path.size() - 1) > 0 && is_in_folder(path.data());
}

// Returns 0 if the path may be written, else an error code.
int refusal(const char* path, int flags) {
  const std::string_view wanted = setting("MISBEHAVING_OPEN");
  if (wanted.empty() || (flags & (O_WRONLY | O_RDWR | O_CREAT)) == 0 || !is_in_folder(path)) return 0;
  return wanted == "EROFS" ? EROFS : EACCES;
}

std::atomic<long>& room() {
  static std::atomic<long> bytes{std::atol(std::string(setting("MISBEHAVING_ROOM")).c_str())};
  return bytes;
}

long seconds_off() {
  static std::atomic<unsigned> readings{0};
  static const long jump = std::atol(std::string(setting("MISBEHAVING_CLOCK")).c_str());
  return readings++ % 2 == 0 ? jump : -jump;
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* from, size_t bytes) {
  static auto* const write_really = real<ssize_t(int, const void*, size_t)>("write");
  if (setting("MISBEHAVING_ROOM").empty() || !is_file_in_folder(file)) return write_really(file, from, bytes);
  const long left = room();
  if (left <= 0) {
    errno = ENOSPC;
    return -1;
  }
  const ssize_t written = write_really(file, from, std::min(bytes, static_cast<size_t>(left)));
  room() -= std::max<ssize_t>(written, 0);
  return written;
}

int open(const char* path, int flags, ...) {
  static auto* const open_really = real<int(const char*, int, mode_t)>("open");
  std::va_list more;
  va_start(more, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (const int code = refusal(path, flags); code != 0) {
    errno = code;
    return -1;
  }
  return open_really(path, flags, mode);
}

int mkdir(const char* path, mode_t mode) {
  static auto* const mkdir_really = real<int(const char*, mode_t)>("mkdir");
  if (const int code = refusal(path, O_CREAT); code != 0) {
    errno = code;
    return -1;
  }
  return mkdir_really(path, mode);
}

int clock_gettime(clockid_t clock, timespec* now) {
  static auto* const read_really = real<int(clockid_t, timespec*)>("clock_gettime");
  const int code = read_really(clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += seconds_off();
  return code;
}

int gettimeofday(timeval* now, void* zone) {
  static auto* const read_really = real<int(timeval*, void*)>("gettimeofday");
  const int code = read_really(now, zone);
  now->tv_sec += seconds_off();
  return code;
}

time_t time(time_t* now) {
  timespec read{};
  clock_gettime(CLOCK_REALTIME, &read);
  if (now != nullptr) *now = read.tv_sec;
  return read.tv_sec;
}

}  // extern "C"

#ifdef MISBEHAVING_OPENCL

namespace {

struct opencl_fault {
  std::string call;
  int calls_to_go_well{};
  int code{};
  std::string lasting;
};

// Returns CL_SUCCESS if the call may be made.
int opencl_code(std::string_view call) {
  static opencl_fault fault = [] {
    opencl_fault read;
    std::istringstream words{std::string(setting("MISBEHAVING_CL"))};
    words >> read.call >> read.calls_to_go_well >> read.code >> read.lasting;
    return read;
  }();
  static bool is_lost = false;
  if (is_lost) return fault.code;
  if (fault.call != call || fault.calls_to_go_well-- != 0) return CL_SUCCESS;
  is_lost = fault.lasting == "lasting";
  return fault.code;
}

// The value of `name` in MISBEHAVING_DEVICE; empty if it is not set.
std::string device_setting(std::string_view name) {
  std::istringstream words{std::string(setting("MISBEHAVING_DEVICE"))};
  for (std::string word; words >> word;)
    if (word.starts_with(name) && word[name.size()] == '=') return word.substr(name.size() + 1);
  return {};
}

}  // namespace

extern "C" {

cl_context clCreateContext(const cl_context_properties* properties, cl_uint count,
                           const cl_device_id* devices,
                           void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data,
                           cl_int* code) {
  static auto* const create_really = real<decltype(clCreateContext)>("clCreateContext");
  *code = opencl_code("clCreateContext");
  return *code == CL_SUCCESS ? create_really(properties, count, devices, notify, data, code) : nullptr;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host, cl_int* code) {
  static auto* const create_really = real<decltype(clCreateBuffer)>("clCreateBuffer");
  *code = opencl_code("clCreateBuffer");
  return *code == CL_SUCCESS ? create_really(context, flags, bytes, host, code) : nullptr;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t* offset, const size_t* global, const size_t* local, cl_uint waits,
                              const cl_event* wait_for, cl_event* event) {
  static auto* const enqueue_really = real<decltype(clEnqueueNDRangeKernel)>("clEnqueueNDRangeKernel");
  const int code = opencl_code("clEnqueueNDRangeKernel");
  if (code != CL_SUCCESS) return code;
  const auto told = device_setting("group");
  if (!told.empty() && local != nullptr && *local > std::stoull(told)) return CL_INVALID_WORK_GROUP_SIZE;
  return enqueue_really(queue, kernel, dimensions, offset, global, local, waits, wait_for, event);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info which, size_t size, void* value, size_t* needed) {
  static auto* const ask_really = real<decltype(clGetDeviceInfo)>("clGetDeviceInfo");
  size_t bytes = 0;
  const cl_int code = ask_really(device, which, size, value, &bytes);
  if (needed != nullptr) *needed = bytes;
  if (code != CL_SUCCESS || value == nullptr) return code;
  if (which == CL_DEVICE_EXTENSIONS && device_setting("fp64") == "0") {
    char* const all = static_cast<char*>(value);
    if (char* const at = std::strstr(all, "cl_khr_fp64"); at != nullptr) std::fill_n(at, 11, ' ');
  }
  if (const auto told = device_setting("memory"); which == CL_DEVICE_GLOBAL_MEM_SIZE && !told.empty())
    *static_cast<cl_ulong*>(value) = std::stoull(told);
  if (const auto told = device_setting("group"); which == CL_DEVICE_MAX_WORK_GROUP_SIZE && !told.empty())
    *static_cast<size_t*>(value) = std::stoull(told);
  if (const auto told = device_setting("constant");
      which == CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE && !told.empty())
    *static_cast<cl_ulong*>(value) = std::stoull(told);
  return code;
}

// Keeps what clSetKernelArg() asks of a kernel.
cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                      void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  static auto* const build_really = real<decltype(clBuildProgram)>("clBuildProgram");
  std::string all = options != nullptr ? options : "";
  if (!device_setting("constant").empty()) all += " -cl-kernel-arg-info";
  return build_really(program, count, devices, all.c_str(), notify, data);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  static auto* const set_really = real<decltype(clSetKernelArg)>("clSetKernelArg");
  const auto told = device_setting("constant");
  cl_kernel_arg_address_qualifier place = 0;
  if (!told.empty() && value != nullptr && size == sizeof(cl_mem) &&
      clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof place, &place, nullptr) ==
          CL_SUCCESS &&
      place == CL_KERNEL_ARG_ADDRESS_CONSTANT) {
    size_t bytes = 0;
    clGetMemObjectInfo(*static_cast<const cl_mem*>(value), CL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
    if (bytes > std::stoull(told)) return CL_OUT_OF_RESOURCES;
  }
  return set_really(kernel, index, size, value);
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char** texts,
                                     const size_t* lengths, cl_int* code) {
  static auto* const create_really = real<decltype(clCreateProgramWithSource)>("clCreateProgramWithSource");
  if (device_setting("fp64") != "0") return create_really(context, count, texts, lengths, code);
  std::vector<const char*> all{"#define double no_double_on_this_device\n"};
  std::vector<size_t> sizes{0};  // up to the terminating zero
  for (cl_uint n = 0; n < count; ++n) {
    all.push_back(texts[n]);
    sizes.push_back(lengths != nullptr ? lengths[n] : 0);
  }
  return create_really(context, count + 1, all.data(), sizes.data(), code);
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info which,
                                size_t size, void* value, size_t* needed) {
  static auto* const ask_really = real<decltype(clGetKernelWorkGroupInfo)>("clGetKernelWorkGroupInfo");
  const cl_int code = ask_really(kernel, device, which, size, value, needed);
  const auto told = device_setting("group");
  if (code == CL_SUCCESS && value != nullptr && which == CL_KERNEL_WORK_GROUP_SIZE && !told.empty()) {
    auto& most = *static_cast<size_t*>(value);
    most = std::min<size_t>(most, std::stoull(told));
  }
  return code;
}

cl_int clFinish(cl_command_queue queue) {
  static auto* const finish_really = real<decltype(clFinish)>("clFinish");
  const int code = opencl_code("clFinish");
  return code == CL_SUCCESS ? finish_really(queue) : code;
}

}  // extern "C"
#endif
