// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/cuda_api.h"

#include <dlfcn.h>

#include <array>
#include <charconv>

#include "harness/base/format.h"
#include "harness/cuda/internal/cuda_calls.h"

namespace stepbench::cuda {
namespace {

constexpr std::array kLibraries = {"libcudart.so.13", "libcudart.so.12"};

void* open_runtime() {
  for (const int only_loaded : {RTLD_NOLOAD, 0}) {  // avoids a second copy next to libtorch's
    for (const char* name : kLibraries) {
      if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | only_loaded)) return library;
    }
  }
  return nullptr;
}

// Clears the error state after failed calls: libtorch reads the thread's last error after each
// launch and would report ours as its own, even the "not ready" of a query.
class QuietCalls {
 public:
  explicit QuietCalls(int (*last_error)()) : last_error_(last_error) {}

  template <typename... Arguments>
  [[nodiscard]] std::function<int(Arguments...)> operator()(int (*function)(Arguments...)) const {
    return [function, last_error = last_error_](Arguments... arguments) {
      const int code = function(arguments...);
      if (code != kCudaSuccess) (void)last_error();
      return code;
    };
  }

 private:
  int (*last_error_)();
};

// Reads name and size from the loaded driver: the runtime only returns them in a struct whose
// layout differs between versions.
void fill_from_driver(CudaApi& api) {
  api.device_name = [](int) { return std::string(); };
  api.device_memory_bytes = [](int) { return std::int64_t{0}; };
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (driver == nullptr) return;
  os::Symbols symbols(driver);
  const DriverCalls calls(symbols);
  if (!symbols.missing().empty()) return;
  api.device_name = [calls](int ordinal) {
    constexpr int kBytes = 256;
    std::string name(kBytes, '\0');
    int device = 0;
    const bool known = calls.cuDeviceGet(&device, ordinal) == kCudaSuccess &&
                       calls.cuDeviceGetName(name.data(), kBytes, device) == kCudaSuccess;
    return known ? std::string(name.c_str()) : std::string();
  };
  api.device_memory_bytes = [calls](int ordinal) {
    std::size_t bytes = 0;
    int device = 0;
    const bool known = calls.cuDeviceGet(&device, ordinal) == kCudaSuccess &&
                       calls.cuDeviceTotalMem_v2(&bytes, device) == kCudaSuccess;
    return known ? static_cast<std::int64_t>(bytes) : std::int64_t{0};
  };
}

// Advice for people: an older driver needs a libtorch built for its CUDA version.
std::string driver_too_old(int driver, int runtime) {
  const std::string version = cuda_version_text(driver);
  return formatted(
      "the NVIDIA driver is too old: it runs CUDA up to {}, and libtorch needs {}; install a newer "
      "driver, or a libtorch that is built for CUDA {} or earlier",
      version, cuda_version_text(runtime), version);
}

}  // namespace

std::variant<CudaApi, std::string> load_cuda_api() {
  void* library = open_runtime();
  if (library == nullptr) return std::string("the CUDA runtime (libcudart) is not installed");
  os::Symbols symbols(library);
  const RuntimeCalls calls(symbols);
  if (!symbols.missing().empty()) return "the CUDA runtime has no " + symbols.missing();
  const QuietCalls quiet(calls.cudaGetLastError);
  CudaApi api;
  api.driver_version = quiet(calls.cudaDriverGetVersion);
  api.runtime_version = quiet(calls.cudaRuntimeGetVersion);
  api.device_count = quiet(calls.cudaGetDeviceCount);
  api.set_device = quiet(calls.cudaSetDevice);
  api.device_synchronize = quiet(calls.cudaDeviceSynchronize);
  api.event_create = quiet(calls.cudaEventCreate);
  api.event_destroy = quiet(calls.cudaEventDestroy);
  api.event_record = quiet(calls.cudaEventRecord);
  api.event_query = quiet(calls.cudaEventQuery);
  api.event_synchronize = quiet(calls.cudaEventSynchronize);
  api.event_elapsed_ms = quiet(calls.cudaEventElapsedTime);
  api.memcpy_async = quiet(calls.cudaMemcpyAsync);
  api.profiler_start = quiet(calls.cudaProfilerStart);
  api.profiler_stop = quiet(calls.cudaProfilerStop);
  api.device_attribute = quiet(calls.cudaDeviceGetAttribute);
  api.error_name = [name = calls.cudaGetErrorName](int code) { return std::string(name(code)); };
  api.device_pci = [pci = quiet(calls.cudaDeviceGetPCIBusId)](int ordinal) {
    std::array<char, 32> text{};
    const int code = pci(text.data(), static_cast<int>(text.size()), ordinal);
    return code == kCudaSuccess ? std::string(text.data()) : std::string();
  };
  fill_from_driver(api);
  return api;
}

std::optional<int> cuda_ordinal(std::string_view device) {
  if (!device.starts_with("cuda")) return std::nullopt;
  int ordinal = 0;
  if (const std::size_t colon = device.find(':'); colon != std::string_view::npos) {
    (void)std::from_chars(device.data() + colon + 1, device.data() + device.size(), ordinal);
  }
  return ordinal;
}

std::string cuda_version_text(int version) {
  return formatted("{}.{}", version / 1000, version % 1000 / 10);
}

std::string device_missing(const CudaApi& api, int ordinal) {
  int count = 0;
  const int code = api.device_count(&count);
  int driver = 0;
  int runtime = 0;
  if (code == kCudaInsufficientDriver && api.driver_version(&driver) == kCudaSuccess &&
      driver > 0 && api.runtime_version(&runtime) == kCudaSuccess) {
    return driver_too_old(driver, runtime);
  }
  if (code == kCudaInsufficientDriver || code == kCudaNoDevice || (code == 0 && count == 0)) {
    return std::string(kNoDevice);
  }
  if (code != kCudaSuccess) return cuda_failure(api, "cudaGetDeviceCount", code);
  if (ordinal >= count) {
    return formatted("cuda:{} does not exist; the runtime sees {} device(s)", ordinal, count);
  }
  return {};
}

std::string cuda_failure(const CudaApi& api, const char* call, int code) {
  return formatted("{}: {} ({})", call, api.error_name(code), code);
}

ops::TraceDevice device_properties(const CudaApi& api, int ordinal) {
  const auto attribute = [&](int which, int unknown = 0) {
    int value = 0;
    return api.device_attribute(&value, which, ordinal) == kCudaSuccess ? value : unknown;
  };
  const ops::TraceDevice defaults;
  return {.id = ordinal,
          .name = api.device_name(ordinal),
          .total_memory_bytes = api.device_memory_bytes(ordinal),
          .compute_major = attribute(kComputeMajor),
          .compute_minor = attribute(kComputeMinor),
          .max_threads_per_block = attribute(kMaxThreadsPerBlock),
          .max_threads_per_multiprocessor = attribute(kMaxThreadsPerMultiprocessor),
          .registers_per_block = attribute(kMaxRegistersPerBlock),
          .warp_size = attribute(kWarpSize, defaults.warp_size),
          .shared_memory_per_block = attribute(kMaxSharedMemoryPerBlock),
          .multiprocessors = attribute(kMultiprocessors)};
}

}  // namespace stepbench::cuda
