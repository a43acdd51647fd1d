// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/cuda_api.h"

#include <dlfcn.h>

#include <array>

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

template <typename Function>
Function* symbol(void* library, const char* name, std::string& missing) {
  void* found = ::dlsym(library, name);
  if (found == nullptr && missing.empty()) missing = name;
  return reinterpret_cast<Function*>(found);
}

}  // namespace

std::variant<CudaApi, std::string> load_cuda_api() {
  void* library = open_runtime();
  if (library == nullptr) return std::string("the CUDA runtime (libcudart) is not installed");
  std::string missing;
  CudaApi api;
  api.device_count = symbol<int(int*)>(library, "cudaGetDeviceCount", missing);
  api.set_device = symbol<int(int)>(library, "cudaSetDevice", missing);
  api.device_synchronize = symbol<int()>(library, "cudaDeviceSynchronize", missing);
  api.event_create = symbol<int(CudaEvent*)>(library, "cudaEventCreate", missing);
  api.event_destroy = symbol<int(CudaEvent)>(library, "cudaEventDestroy", missing);
  api.event_record = symbol<int(CudaEvent, CudaStream)>(library, "cudaEventRecord", missing);
  api.event_query = symbol<int(CudaEvent)>(library, "cudaEventQuery", missing);
  api.event_synchronize = symbol<int(CudaEvent)>(library, "cudaEventSynchronize", missing);
  api.event_elapsed_ms =
      symbol<int(float*, CudaEvent, CudaEvent)>(library, "cudaEventElapsedTime", missing);
  api.memcpy_async = symbol<int(void*, const void*, std::size_t, int, CudaStream)>(
      library, "cudaMemcpyAsync", missing);
  api.profiler_start = symbol<int()>(library, "cudaProfilerStart", missing);
  api.profiler_stop = symbol<int()>(library, "cudaProfilerStop", missing);
  auto* name = symbol<const char*(int)>(library, "cudaGetErrorName", missing);
  if (!missing.empty()) return "the CUDA runtime has no " + missing;
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
