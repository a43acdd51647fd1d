// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/cuda_api.h"

#include <dlfcn.h>

#include <array>

#include "harness/os/symbols.h"

namespace stepbench {
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
  explicit QuietCalls(Symbols& symbols)
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
  Symbols& symbols_;
  int (*last_error_)();
};

}  // namespace

std::variant<CudaApi, std::string> load_cuda_api() {
  void* library = open_runtime();
  if (library == nullptr) return std::string("the CUDA runtime (libcudart) is not installed");
  Symbols symbols(library);
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
  auto* name = symbols.find<const char*(int)>("cudaGetErrorName");
  if (!symbols.missing().empty()) return "the CUDA runtime has no " + symbols.missing();
  api.error_name = [name](int code) { return std::string(name(code)); };
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

}  // namespace stepbench
