// SPDX-License-Identifier: Apache-2.0
// Names and types of the CUDA functions that are looked up at run time, in plain C types. Loaders
// resolve them through these lists; nvidia_headers.cpp checks the lists against NVIDIA's
// declarations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "harness/os/symbols.h"

#define STEPBENCH_CUDA_RUNTIME_CALLS(CALL)                                \
  CALL(cudaGetLastError, int())                                           \
  CALL(cudaGetErrorName, const char*(int))                                \
  CALL(cudaDriverGetVersion, int(int*))                                   \
  CALL(cudaRuntimeGetVersion, int(int*))                                  \
  CALL(cudaGetDeviceCount, int(int*))                                     \
  CALL(cudaSetDevice, int(int))                                           \
  CALL(cudaDeviceGetPCIBusId, int(char*, int, int))                       \
  CALL(cudaDeviceGetAttribute, int(int*, int, int))                       \
  CALL(cudaDeviceSynchronize, int())                                      \
  CALL(cudaEventCreate, int(void**))                                      \
  CALL(cudaEventDestroy, int(void*))                                      \
  CALL(cudaEventRecord, int(void*, void*))                                \
  CALL(cudaEventQuery, int(void*))                                        \
  CALL(cudaEventSynchronize, int(void*))                                  \
  CALL(cudaEventElapsedTime, int(float*, void*, void*))                   \
  CALL(cudaMemcpyAsync, int(void*, const void*, std::size_t, int, void*)) \
  CALL(cudaProfilerStart, int())                                          \
  CALL(cudaProfilerStop, int())

#define STEPBENCH_CUDA_DRIVER_CALLS(CALL)     \
  CALL(cuDeviceGet, int(int*, int))           \
  CALL(cuDeviceGetName, int(char*, int, int)) \
  CALL(cuDeviceTotalMem_v2, int(std::size_t*, int))

#define STEPBENCH_CUPTI_CALLS(CALL)                                                          \
  CALL(cuptiGetVersion, int(std::uint32_t*))                                                 \
  CALL(cuptiGetResultString, int(int, const char**))                                         \
  CALL(cuptiGetCallbackName, int(int, std::uint32_t, const char**))                          \
  CALL(cuptiSubscribe, int(void**, void (*)(void*, int, std::uint32_t, const void*), void*)) \
  CALL(cuptiUnsubscribe, int(void*))                                                         \
  CALL(cuptiSetThreadIdType, int(int))                                                       \
  CALL(cuptiActivityRegisterTimestampCallback, int(std::uint64_t(*)()))                      \
  CALL(cuptiActivityRegisterCallbacks,                                                       \
       int(void (*)(std::uint8_t**, std::size_t*, std::size_t*),                             \
           void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t)))         \
  CALL(cuptiActivityEnable, int(int))                                                        \
  CALL(cuptiActivityDisable, int(int))                                                       \
  CALL(cuptiActivityEnableRuntimeApi, int(std::uint32_t, std::uint8_t))                      \
  CALL(cuptiActivityEnableDriverApi, int(std::uint32_t, std::uint8_t))                       \
  CALL(cuptiActivityFlushAll, int(std::uint32_t))                                            \
  CALL(cuptiActivityGetNextRecord, int(std::uint8_t*, std::size_t, void**))                  \
  CALL(cuptiActivityGetNumDroppedRecords, int(void*, std::uint32_t, std::size_t*))           \
  CALL(cuptiActivityPushExternalCorrelationId, int(int, std::uint64_t))                      \
  CALL(cuptiActivityPopExternalCorrelationId, int(int, std::uint64_t*))

namespace stepbench::cuda {

// Null if the library lacks the function; Symbols reports which.
#define STEPBENCH_MEMBER(name, type) std::add_pointer_t<type> name = nullptr;
#define STEPBENCH_FIND(name, type) name = symbols.find<type>(#name);
struct RuntimeCalls {
  explicit RuntimeCalls(os::Symbols& symbols){
      STEPBENCH_CUDA_RUNTIME_CALLS(STEPBENCH_FIND)} STEPBENCH_CUDA_RUNTIME_CALLS(STEPBENCH_MEMBER)
};
struct DriverCalls {
  explicit DriverCalls(os::Symbols& symbols){
      STEPBENCH_CUDA_DRIVER_CALLS(STEPBENCH_FIND)} STEPBENCH_CUDA_DRIVER_CALLS(STEPBENCH_MEMBER)
};
struct CuptiCalls {
  explicit CuptiCalls(os::Symbols& symbols){
      STEPBENCH_CUPTI_CALLS(STEPBENCH_FIND)} STEPBENCH_CUPTI_CALLS(STEPBENCH_MEMBER)
};
#undef STEPBENCH_MEMBER
#undef STEPBENCH_FIND

}  // namespace stepbench::cuda
