// SPDX-License-Identifier: MIT
// Finds the devices of all OpenCL platforms, and creates OpenCL objects on them.
#include "solvers/common/opencl/opencl.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <list>
#include <map>
#include <sstream>

#include "solvers/common/base/device_calls.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/host_memory.hpp"
#include "solvers/common/base/launches.hpp"
#include "solvers/common/opencl/drivers.hpp"

namespace reprise {
namespace {

struct named_code {
  cl_int code;
  const char* name;
};

constexpr cl_int no_platform_from_loader = -1001;  // CL_PLATFORM_NOT_FOUND_KHR of an extension

#define REPRISE_NAMED(CODE) \
  named_code {              \
    CODE, #CODE             \
  }
constexpr std::array codes{
    REPRISE_NAMED(CL_DEVICE_NOT_FOUND),
    REPRISE_NAMED(CL_DEVICE_NOT_AVAILABLE),
    REPRISE_NAMED(CL_COMPILER_NOT_AVAILABLE),
    REPRISE_NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    REPRISE_NAMED(CL_OUT_OF_RESOURCES),
    REPRISE_NAMED(CL_OUT_OF_HOST_MEMORY),
    REPRISE_NAMED(CL_PROFILING_INFO_NOT_AVAILABLE),
    REPRISE_NAMED(CL_BUILD_PROGRAM_FAILURE),
    REPRISE_NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    REPRISE_NAMED(CL_INVALID_VALUE),
    REPRISE_NAMED(CL_INVALID_PLATFORM),
    REPRISE_NAMED(CL_INVALID_DEVICE),
    REPRISE_NAMED(CL_INVALID_CONTEXT),
    REPRISE_NAMED(CL_INVALID_QUEUE_PROPERTIES),
    REPRISE_NAMED(CL_INVALID_COMMAND_QUEUE),
    REPRISE_NAMED(CL_INVALID_MEM_OBJECT),
    REPRISE_NAMED(CL_INVALID_BUILD_OPTIONS),
    REPRISE_NAMED(CL_INVALID_PROGRAM),
    REPRISE_NAMED(CL_INVALID_PROGRAM_EXECUTABLE),
    REPRISE_NAMED(CL_INVALID_KERNEL_NAME),
    REPRISE_NAMED(CL_INVALID_KERNEL),
    REPRISE_NAMED(CL_INVALID_ARG_INDEX),
    REPRISE_NAMED(CL_INVALID_ARG_VALUE),
    REPRISE_NAMED(CL_INVALID_ARG_SIZE),
    REPRISE_NAMED(CL_INVALID_KERNEL_ARGS),
    REPRISE_NAMED(CL_INVALID_WORK_DIMENSION),
    REPRISE_NAMED(CL_INVALID_WORK_GROUP_SIZE),
    REPRISE_NAMED(CL_INVALID_WORK_ITEM_SIZE),
    REPRISE_NAMED(CL_INVALID_EVENT_WAIT_LIST),
    REPRISE_NAMED(CL_INVALID_EVENT),
    REPRISE_NAMED(CL_INVALID_OPERATION),
    REPRISE_NAMED(CL_INVALID_BUFFER_SIZE),
    REPRISE_NAMED(CL_INVALID_GLOBAL_WORK_SIZE),
    named_code{no_platform_from_loader, "CL_PLATFORM_NOT_FOUND_KHR"},
};
#undef REPRISE_NAMED

std::string code_name(cl_int code) {
  const auto* const known =
      std::find_if(codes.begin(), codes.end(), [&](const named_code& c) { return c.code == code; });
  return known != codes.end() ? known->name : "code " + std::to_string(code);
}

// For discovery only: if the query fails, returns the default.
template <class T>
T info(cl_device_id device, cl_device_info which, T fallback = {}) {
  T value{};
  return clGetDeviceInfo(device, which, sizeof value, &value, nullptr) == CL_SUCCESS ? value : fallback;
}

template <class Handle, class Query>
std::string text(Handle handle, cl_uint which, Query query) {
  std::size_t size = 0;
  if (query(handle, which, 0, nullptr, &size) != CL_SUCCESS || size == 0) return "unknown";
  std::string value(size, '\0');
  if (query(handle, which, size, value.data(), nullptr) != CL_SUCCESS) return "unknown";
  return value.substr(0, value.find('\0'));  // OpenCL includes the terminating zero in the size
}

std::string device_text(cl_device_id device, cl_device_info which) {
  return text(device, which, clGetDeviceInfo);
}

bool has_extension(cl_device_id device, std::string_view extension) {
  using word = std::istream_iterator<std::string>;
  std::istringstream list(device_text(device, CL_DEVICE_EXTENSIONS));
  return std::find(word(list), word(), extension) != word();
}

std::string bus_address(unsigned domain, unsigned bus, unsigned slot, unsigned function) {
  std::array<char, 32> written{};
  std::snprintf(written.data(), written.size(), "%04x:%02x:%02x.%x", domain, bus, slot, function);
  return written.data();
}

// Two extensions report it. Their constants are written out because older headers lack them.
std::string bus_address(cl_device_id device) {
  if (has_extension(device, "cl_khr_pci_bus_info")) {
    constexpr cl_device_info pci_bus_info_khr = 0x410F;
    const auto [domain, bus, slot, function] = info<std::array<cl_uint, 4>>(device, pci_bus_info_khr);
    return bus_address(domain, bus, slot, function);
  }
  if (has_extension(device, "cl_nv_device_attribute_query")) {
    constexpr cl_device_info bus_id_nv = 0x4008;
    constexpr cl_device_info slot_id_nv = 0x4009;
    constexpr cl_device_info domain_id_nv = 0x400A;
    const auto slot = info<cl_uint>(device, slot_id_nv);
    return bus_address(info<cl_uint>(device, domain_id_nv), info<cl_uint>(device, bus_id_nv), slot >> 3U,
                       slot & 7U);
  }
  return "";
}

struct found_devices {
  std::vector<cl_device_id> ids;  // device opencl:N has ids[N]
  discovery answer;
};

// What the device says, but no more than the host has where its buffers live there: the system grants more lazily, and
// ends the process when it is used.
std::size_t memory_of(cl_device_id id, bool is_in_host_memory) {
  const std::size_t told = info<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  if (!is_in_host_memory) return told;
  const auto present =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return told == 0 ? present : std::min(told, present);
}

void add_if_usable(found_devices& found, cl_platform_id platform, cl_device_id id) {
  if (info<cl_bool>(id, CL_DEVICE_AVAILABLE) == CL_FALSE) return;
  if (info<cl_bool>(id, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE) return;
  const int index = static_cast<int>(found.ids.size());
  const bool is_cpu = info<cl_device_type>(id, CL_DEVICE_TYPE) == CL_DEVICE_TYPE_CPU;
  const bool shares_memory = info<cl_bool>(id, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE;
  found.answer.devices.push_back(
      {.kind = backend::opencl,
       .index = index,
       .id = "opencl:" + std::to_string(index),
       .name = device_text(id, CL_DEVICE_NAME),
       .driver = text(platform, CL_PLATFORM_NAME, clGetPlatformInfo) + ", " +
                 text(platform, CL_PLATFORM_VERSION, clGetPlatformInfo) + ", driver " +
                 device_text(id, CL_DRIVER_VERSION),
       .memory_bytes = memory_of(id, is_cpu || shares_memory),
       .cache_bytes = is_cpu ? host_cache_bytes() : info<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE),
       .fp64 = has_extension(id, "cl_khr_fp64"),
       .pci = bus_address(id),
       .on_host = is_cpu,
       .in_host_memory = is_cpu || shares_memory});
  found.ids.push_back(id);
}

void add_platform(found_devices& found, cl_platform_id platform) {
  const std::string name = text(platform, CL_PLATFORM_NAME, clGetPlatformInfo);
  cl_uint count = 0;
  cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> ids(code == CL_SUCCESS ? count : 0);
  if (!ids.empty()) code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
  if (code != CL_SUCCESS) {
    found.answer.reason += "platform " + name + " gives no device: " + code_name(code) + "; ";
    return;
  }
  for (cl_device_id id : ids) add_if_usable(found, platform, id);
}

found_devices find_devices() {
  found_devices found;
  cl_uint count = 0;
  cl_int code = clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(code == CL_SUCCESS ? count : 0);
  if (!platforms.empty()) code = clGetPlatformIDs(count, platforms.data(), nullptr);
  if (code == CL_SUCCESS)
    for (cl_platform_id platform : platforms) add_platform(found, platform);
  if (!found.ids.empty())
    found.answer.reason.clear();
  else if (platforms.empty())
    found.answer.reason = "no OpenCL platform" + flaws_of_opencl_drivers() +
                          ": install pocl-opencl-icd, or install or repair the vendor's driver";
  else
    found.answer.reason += "no OpenCL device: install pocl-opencl-icd or repair the vendor's driver";
  return found;
}

const found_devices& known_devices() {
  static const found_devices found = find_devices();
  return found;
}

discovery discover_opencl() {
  return known_devices().answer;
}

void ask(const device& d) {
  opencl_context context(d);
  opencl_buffer<cl_uint> word(context, 1);
  word.write({0});
}

const backend_registration registered(backend::opencl, discover_opencl);
const device_calls_registration calls(backend::opencl, {.use = nullptr, .ask = ask});

std::string build_log(cl_program program, cl_device_id device) {
  return text(device, CL_PROGRAM_BUILD_LOG,
              [program](cl_device_id d, cl_uint which, std::size_t size, void* value, std::size_t* needed) {
                return clGetProgramBuildInfo(program, d, which, size, value, needed);
              });
}

using shared_program = std::shared_ptr<std::remove_pointer_t<cl_program>>;

shared_program compiled(cl_context context, cl_device_id device, std::string_view source,
                        const std::string& options) {
  const char* begin = source.data();
  const std::size_t size = source.size();
  cl_int code = CL_SUCCESS;
  const cl_program made = clCreateProgramWithSource(context, 1, &begin, &size, &code);
  opencl_check(code, "clCreateProgramWithSource");
  const shared_program program(made, opencl_release<clReleaseProgram>());
  code = clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
  if (code == CL_BUILD_PROGRAM_FAILURE)
    throw error("clBuildProgram: CL_BUILD_PROGRAM_FAILURE: " + build_log(program.get(), device));
  opencl_check(code, "clBuildProgram");
  return program;
}

}  // namespace

class opencl_programs {
 public:
  explicit opencl_programs(cl_device_id device) : device_(device) {
    cl_int code = CL_SUCCESS;
    context_.reset(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code));
    opencl_check(code, "clCreateContext");
  }

  cl_context get() const { return context_.get(); }

  shared_program program(std::string_view source, const std::string& options) {
    constexpr std::size_t most_kept = 8;
    const auto is_this = [&](const entry& e) { return e.source == source && e.options == options; };
    auto place = std::ranges::find_if(latest_, is_this);
    if (place == latest_.end()) {
      place =
          latest_.insert(place, {std::string(source), options, compiled(get(), device_, source, options)});
      if (latest_.size() > most_kept) latest_.pop_front();
    }
    latest_.splice(latest_.end(), latest_, place);
    return place->program;
  }

 private:
  struct entry {
    std::string source, options;
    shared_program program;
  };

  cl_device_id device_;
  opencl_handle<cl_context, clReleaseContext> context_;
  std::list<entry> latest_;  // the last one was used last
};

namespace {

using programs_of_devices = std::map<cl_device_id, std::shared_ptr<opencl_programs>>;

// Never destroyed: at the process's end some drivers are gone before their objects.
programs_of_devices& programs_in_use() {
  static auto* const all = new programs_of_devices;
  return *all;
}

std::shared_ptr<opencl_programs> programs_on(cl_device_id device) {
  auto& programs = programs_in_use()[device];
  if (programs == nullptr) programs = std::make_shared<opencl_programs>(device);
  return programs;
}

cl_ulong end_of(cl_event event) {
  cl_ulong nanoseconds = 0;
  REPRISE_CL(
      clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof nanoseconds, &nanoseconds, nullptr));
  return nanoseconds;
}

}  // namespace

void opencl_check(cl_int code, const char* call, std::source_location where) {
  if (code == CL_SUCCESS) return;
  const std::string message = std::string(call) + ": " + code_name(code);
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_INVALID_BUFFER_SIZE)
    throw unavailable("does not fit: " + message);
  if (code == CL_COMPILER_NOT_AVAILABLE) throw unavailable(message);
  programs_in_use().clear();  // a kernel that failed may have spoilt its context
  throw error(message, where);
}

opencl_context::opencl_context(const device& d) : memory_bytes_(d.memory_bytes) {
  const auto& ids = known_devices().ids;
  const auto index = static_cast<std::size_t>(d.index);
  if (d.kind != backend::opencl || d.index < 0 || index >= ids.size())
    throw unavailable(d.id + " is no OpenCL device of this machine");
  device_id_ = ids[index];
  programs_ = programs_on(device_id_);
  cl_int code = CL_SUCCESS;
  queue_.reset(clCreateCommandQueue(get(), device_id_, CL_QUEUE_PROFILING_ENABLE, &code));
  opencl_check(code, "clCreateCommandQueue");
}

void opencl_context::flush() const {
  REPRISE_CL(clFlush(queue()));
}

void opencl_context::finish() const {
  REPRISE_CL(clFinish(queue()));
}

opencl_share opencl_context::take(std::size_t bytes) {
  if (memory_bytes_ > 0 && bytes > memory_bytes_ - taken_bytes_)
    throw unavailable("does not fit: " + bytes_text(taken_bytes_ + bytes) + " of buffers, the device has " +
                      bytes_text(memory_bytes_));
  taken_bytes_ += bytes;
  return {this, {bytes}};
}

void opencl_give_back::operator()(opencl_context* context) const {
  context->taken_bytes_ -= bytes;
}

cl_context opencl_context::get() const {
  return programs_->get();
}

opencl_program::opencl_program(const opencl_context& context, std::string_view source,
                               const std::string& options)
    : program_(context.programs().program(source, options)), queue_(context.queue()) {}

opencl_kernel::opencl_kernel(const opencl_program& program, const char* name) : queue_(program.queue()) {
  cl_int code = CL_SUCCESS;
  kernel_.reset(clCreateKernel(program.get(), name, &code));
  opencl_check(code, ("clCreateKernel " + std::string(name)).c_str());
  cl_device_id device = nullptr;
  REPRISE_CL(clGetCommandQueueInfo(queue_, CL_QUEUE_DEVICE, sizeof device, &device, nullptr));
  REPRISE_CL(clGetKernelWorkGroupInfo(kernel_.get(), device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most_items_,
                                      &most_items_, nullptr));
  constant_bytes_ = info<cl_ulong>(device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
}

void opencl_kernel::require_constant_memory(std::size_t bytes) const {
  if (bytes > constant_bytes_)
    throw unavailable("needs " + std::to_string(bytes) + " bytes of constant memory, the device has " +
                      std::to_string(constant_bytes_));
}

void opencl_kernel::set_bytes(cl_uint index, std::size_t size, const void* value) {
  REPRISE_CL(clSetKernelArg(kernel_.get(), index, size, value));
}

void opencl_kernel::run(std::size_t items, std::size_t local) const {
  if (local > most_items_)
    throw unavailable("needs groups of " + std::to_string(local) +
                      " work-items: the device runs this kernel in groups of at most " +
                      std::to_string(most_items_));
  const std::size_t global = (items + local - 1) / local * local;
  REPRISE_CL(clEnqueueNDRangeKernel(queue_, kernel_.get(), 1, nullptr, &global, &local, 0, nullptr, nullptr));
  count_launch();
}

opencl_stopwatch::opencl_stopwatch(const opencl_context& context) : context_(context) {
  const event first = mark();
  const event last = mark();
  context_.finish();
  has_times_ = end_of(first.get()) > 0 && end_of(last.get()) >= end_of(first.get());
}

opencl_stopwatch::event opencl_stopwatch::mark() const {
  cl_event made = nullptr;
  REPRISE_CL(clEnqueueMarkerWithWaitList(context_.queue(), 0, nullptr, &made));
  return event(made);
}

void opencl_stopwatch::start() {
  if (!has_times_) context_.finish();
  steady_.start();
  first_ = mark();
}

double opencl_stopwatch::stop() {
  const event last = mark();
  context_.finish();
  const double waited = steady_.stop();
  return has_times_ ? static_cast<double>(end_of(last.get()) - end_of(first_.get())) * 1e-9 : waited;
}

}  // namespace reprise
