// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/cuda_api.h"

#include <dlfcn.h>

#include <array>

#include "harness/os/symbols.h"

namespace stepbench::cuda {
namespace {

constexpr std::array kLibraries = {"libcudart.so.13", "libcudart.so.12"};

void* open_runtime() {
  for (const int only_loaded : {RTLD_NOLOAD, 0}) {  // never a second copy beside libtorch's
    for (const char* name : kLibraries) {
      if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | only_loaded)) return library;
    }
  }
  return nullptr;
}

// Fills in functions whose failures leave no error behind: libtorch asks for the thread's last
// error after each launch and would take ours for its own, be it no more than "not ready" of a
// query.
class QuietCalls {
 public:
  explicit QuietCalls(os::Symbols& symbols)
      : symbols_(symbols), last_error_(symbols.find<int()>("cudaGetLastError")) {}

  template <typename... Arguments>
  void fill(std::function<int(Arguments...)>& call, const char* name) {
    call = [function = symbols_.find<int(Arguments...)>(name),
            last_error = last_error_](Arguments... arguments) {
      const int code = function(arguments...);
      if (code != kCudaSuccess) (void)last_error();
      return code;
    };
  }

 private:
  os::Symbols& symbols_;
  int (*last_error_)();
};

// The runtime tells names and sizes only in a struct that differs between its versions; the driver,
// which it has loaded, tells them one by one.
void fill_from_driver(CudaApi& api) {
  using DeviceGet = int(int* device, int ordinal);
  using GetName = int(char* name, int bytes, int device);
  using TotalMemory = int(std::size_t * bytes, int device);
  api.device_name = [](int) { return std::string(); };
  api.device_memory_bytes = [](int) { return std::int64_t{0}; };
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (driver == nullptr) return;
  os::Symbols symbols(driver);
  auto* const device_get = symbols.find<DeviceGet>("cuDeviceGet");
  auto* const get_name = symbols.find<GetName>("cuDeviceGetName");
  auto* const total_memory = symbols.find<TotalMemory>("cuDeviceTotalMem_v2");
  if (!symbols.missing().empty()) return;
  api.device_name = [device_get, get_name](int ordinal) {
    constexpr int kBytes = 256;
    std::string name(kBytes, '\0');
    int device = 0;
    const bool known = device_get(&device, ordinal) == kCudaSuccess &&
                       get_name(name.data(), kBytes, device) == kCudaSuccess;
    return known ? std::string(name.c_str()) : std::string();
  };
  api.device_memory_bytes = [device_get, total_memory](int ordinal) {
    std::size_t bytes = 0;
    int device = 0;
    const bool known = device_get(&device, ordinal) == kCudaSuccess &&
                       total_memory(&bytes, device) == kCudaSuccess;
    return known ? static_cast<std::int64_t>(bytes) : std::int64_t{0};
  };
}

}  // namespace

std::variant<CudaApi, std::string> load_cuda_api() {
  void* library = open_runtime();
  if (library == nullptr) return std::string("the CUDA runtime (libcudart) is not installed");
  os::Symbols symbols(library);
  QuietCalls calls(symbols);
  CudaApi api;
  calls.fill(api.device_count, "cudaGetDeviceCount");
  calls.fill(api.set_device, "cudaSetDevice");
  calls.fill(api.device_synchronize, "cudaDeviceSynchronize");
  calls.fill(api.event_create, "cudaEventCreate");
  calls.fill(api.event_destroy, "cudaEventDestroy");
  calls.fill(api.event_record, "cudaEventRecord");
  calls.fill(api.event_query, "cudaEventQuery");
  calls.fill(api.event_synchronize, "cudaEventSynchronize");
  calls.fill(api.event_elapsed_ms, "cudaEventElapsedTime");
  calls.fill(api.memcpy_async, "cudaMemcpyAsync");
  calls.fill(api.profiler_start, "cudaProfilerStart");
  calls.fill(api.profiler_stop, "cudaProfilerStop");
  calls.fill(api.device_attribute, "cudaDeviceGetAttribute");
  auto* name = symbols.find<const char*(int)>("cudaGetErrorName");
  if (!symbols.missing().empty()) return "the CUDA runtime has no " + symbols.missing();
  api.error_name = [name](int code) { return std::string(name(code)); };
  fill_from_driver(api);
  return api;
}

std::string device_missing(const CudaApi& api, int ordinal) {
  int count = 0;
  const int code = api.device_count(&count);
  if (code == kCudaInsufficientDriver || code == kCudaNoDevice || (code == 0 && count == 0)) {
    return "no CUDA device";
  }
  if (code != kCudaSuccess) return cuda_failure(api, "cudaGetDeviceCount", code);
  if (ordinal >= count) {
    return "cuda:" + std::to_string(ordinal) + " does not exist; the runtime sees " +
           std::to_string(count) + " device(s)";
  }
  return {};
}

std::string cuda_failure(const CudaApi& api, const char* call, int code) {
  return std::string(call) + ": " + api.error_name(code) + " (" + std::to_string(code) + ')';
}

}  // namespace stepbench::cuda
