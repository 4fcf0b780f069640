// SPDX-License-Identifier: MIT
// OpenCL 1.2 through the ICD loader: a context with its queue, programs, kernels, buffers and a
// stopwatch, each owned by an object.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "solvers/common/base/device.hpp"
#include "solvers/common/base/stopwatch.hpp"

namespace reprise {

// Throws unavailable if the device lacks memory or a compiler, and error for any other failed call.
void opencl_check(cl_int code, const char* call,
                  std::source_location where = std::source_location::current());

template <auto Release>
struct opencl_release {
  template <class T>
  void operator()(T* handle) const {
    Release(handle);
  }
};

// Owns one reference to an OpenCL object.
template <class Handle, auto Release>
using opencl_handle = std::unique_ptr<std::remove_pointer_t<Handle>, opencl_release<Release>>;

class opencl_context;

struct opencl_give_back {
  std::size_t bytes;
  void operator()(opencl_context* context) const;
};

// A reserved part of a device's memory, released on destruction.
using opencl_share = std::unique_ptr<opencl_context, opencl_give_back>;

// The context of a device and the programs that were compiled in it, for as many solvers as use the device.
class opencl_programs;

// A queue of its own, in order, on one device of backend::opencl, and an account of its memory.
class opencl_context {
 public:
  explicit opencl_context(const device& d);
  opencl_context(const opencl_context&) = delete;
  opencl_context& operator=(const opencl_context&) = delete;

  cl_device_id device_id() const { return device_id_; }
  cl_context get() const;
  opencl_programs& programs() const { return *programs_; }
  cl_command_queue queue() const { return queue_.get(); }

  void flush() const;
  void finish() const;

  // Reserves bytes of the device's memory; throws unavailable if they exceed it. The context must count its
  // buffers because OpenCL allocates lazily: a device that shares the host's memory grants too large a
  // buffer, and the process is killed when the buffer is used.
  opencl_share take(std::size_t bytes);

 private:
  friend opencl_give_back;

  cl_device_id device_id_{};
  std::size_t memory_bytes_{};
  std::size_t taken_bytes_{};
  std::shared_ptr<opencl_programs> programs_;
  opencl_handle<cl_command_queue, clReleaseCommandQueue> queue_;
};

// A compiled program. The context must outlive everything created in it.
class opencl_program {
 public:
  // The same source with the same options is compiled once. Throws error with the compiler's log if it does not compile.
  opencl_program(const opencl_context& context, std::string_view source, const std::string& options = "");

  cl_program get() const { return program_.get(); }
  cl_command_queue queue() const { return queue_; }

 private:
  std::shared_ptr<std::remove_pointer_t<cl_program>> program_;
  cl_command_queue queue_;
};

// An array of T on the device.
template <class T>
class opencl_buffer {
 public:
  opencl_buffer() = default;
  opencl_buffer(opencl_context& context, std::size_t count)
      : count_(count), queue_(context.queue()), share_(context.take(count * sizeof(T))) {
    cl_int code = CL_SUCCESS;
    memory_.reset(clCreateBuffer(context.get(), CL_MEM_READ_WRITE, count * sizeof(T), nullptr, &code));
    opencl_check(code, "clCreateBuffer");
  }

  cl_mem get() const { return memory_.get(); }
  std::size_t size() const { return count_; }

  // write() and read() wait for the device.
  void write(const std::vector<T>& values, std::size_t first = 0) {
    opencl_check(clEnqueueWriteBuffer(queue_, get(), CL_TRUE, first * sizeof(T), values.size() * sizeof(T),
                                      values.data(), 0, nullptr, nullptr),
                 "clEnqueueWriteBuffer");
  }
  std::vector<T> read(std::size_t first, std::size_t count) const {
    std::vector<T> values(count);
    opencl_check(clEnqueueReadBuffer(queue_, get(), CL_TRUE, first * sizeof(T), count * sizeof(T),
                                     values.data(), 0, nullptr, nullptr),
                 "clEnqueueReadBuffer");
    return values;
  }
  std::vector<T> read() const { return read(0, count_); }

  void fill(T value) {
    opencl_check(
        clEnqueueFillBuffer(queue_, get(), &value, sizeof value, 0, count_ * sizeof(T), 0, nullptr, nullptr),
        "clEnqueueFillBuffer");
  }

 private:
  std::size_t count_{};
  cl_command_queue queue_{};
  opencl_share share_;
  opencl_handle<cl_mem, clReleaseMemObject> memory_;
};

// Creates a buffer that holds these values.
template <class T>
opencl_buffer<T> opencl_uploaded(opencl_context& context, const std::vector<T>& values) {
  opencl_buffer<T> buffer(context, values.size());
  buffer.write(values);
  return buffer;
}

// Local memory as a kernel argument.
struct opencl_local {
  std::size_t bytes;
};

// A buffer as an argument in constant memory, of which a device may have little.
template <class T>
struct opencl_constant {
  const opencl_buffer<T>& buffer;
};

class opencl_kernel {
 public:
  opencl_kernel() = default;
  opencl_kernel(const opencl_program& program, const char* name);

  // Sets all arguments in order: buffers, opencl_constant, opencl_local, or values of the exact type that the kernel
  // declares; arrays for vectors. Throws unavailable if the device's constant memory holds no such buffer.
  template <class... Arguments>
  void set(const Arguments&... arguments) {
    cl_uint index = 0;
    (set_one(index++, arguments), ...);
  }

  // `wanted`, or the largest work-group in which the device runs this kernel, if that is smaller.
  std::size_t group_at_most(std::size_t wanted) const { return wanted < most_items_ ? wanted : most_items_; }

  // Enqueues the kernel and returns at once. The range is rounded up to whole groups of `local` items. Throws
  // unavailable if the device does not run this kernel in such groups.
  void run(std::size_t items, std::size_t local) const;

 private:
  void set_bytes(cl_uint index, std::size_t size, const void* value);
  void require_constant_memory(std::size_t bytes) const;
  void set_one(cl_uint index, opencl_local local) { set_bytes(index, local.bytes, nullptr); }
  template <class T>
  void set_one(cl_uint index, const opencl_buffer<T>& buffer) {
    const cl_mem memory = buffer.get();
    set_bytes(index, sizeof memory, &memory);
  }
  template <class T>
  void set_one(cl_uint index, const opencl_constant<T>& constant) {
    require_constant_memory(constant.buffer.size() * sizeof(T));
    set_one(index, constant.buffer);
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void set_one(cl_uint index, const T& value) { set_bytes(index, sizeof value, &value); }
  // A vector such as double8.
  template <class T, std::size_t count>
  void set_one(cl_uint index, const std::array<T, count>& vector) {
    set_bytes(index, sizeof vector, vector.data());
  }

  opencl_handle<cl_kernel, clReleaseKernel> kernel_;
  cl_command_queue queue_{};
  std::size_t most_items_{};      // of a work-group
  std::size_t constant_bytes_{};  // that the device has
};

// Measures time by markers in the queue. On platforms whose markers carry no times, uses the
// steady clock after clFinish.
class opencl_stopwatch final : public stopwatch {
 public:
  explicit opencl_stopwatch(const opencl_context& context);
  void start() override;
  double stop() override;

 private:
  using event = opencl_handle<cl_event, clReleaseEvent>;
  event mark() const;

  const opencl_context& context_;
  bool has_times_{};
  event first_;
  steady_stopwatch steady_;
};

}  // namespace reprise

// Makes one OpenCL call that returns an error code, and throws like opencl_check() if it failed.
#define REPRISE_CL(CALL) ::reprise::opencl_check((CALL), #CALL)
