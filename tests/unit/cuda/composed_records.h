// SPDX-License-Identifier: Apache-2.0
// Activity records in the layout of CUPTI's headers.
#pragma once

#include <cupti.h>

#include <cstdint>

namespace stepbench::cuda {

inline CUpti_ActivityKernel10 kernel(std::uint32_t correlation, std::uint64_t start,
                                     std::uint64_t end) {
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.name = "_Z3addPfS_i";
  record.correlationId = correlation;
  record.start = start;
  record.end = end;
  record.deviceId = 1;
  record.streamId = 7;
  record.gridX = 128;
  record.gridY = 2;
  record.gridZ = 1;
  record.blockX = 256;
  record.blockY = 1;
  record.blockZ = 1;
  record.registersPerThread = 40;
  record.staticSharedMemory = 1024;
  record.dynamicSharedMemory = 512;
  return record;
}

inline CUpti_ActivityAPI call(CUpti_ActivityKind kind, std::uint32_t callback,
                              std::uint32_t correlation, std::uint64_t start) {
  CUpti_ActivityAPI record{};
  record.kind = kind;
  record.cbid = callback;
  record.correlationId = correlation;
  record.start = start;
  record.end = start + 5;
  record.threadId = 4321;
  return record;
}
inline constexpr std::uint32_t kLaunchKernel = 211;
inline constexpr std::uint32_t kMemcpyAsync = 41;

inline CUpti_ActivityAPI launch(std::uint32_t correlation, std::uint64_t start) {
  return call(CUPTI_ACTIVITY_KIND_RUNTIME, kLaunchKernel, correlation, start);
}

inline CUpti_ActivityExternalCorrelation external(std::uint32_t correlation, std::uint64_t id) {
  CUpti_ActivityExternalCorrelation record{};
  record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  record.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
  record.externalId = id;
  record.correlationId = correlation;
  return record;
}

inline CUpti_ActivityMemcpy6 copy(std::uint8_t kind, std::uint8_t from, std::uint8_t to) {
  CUpti_ActivityMemcpy6 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  record.copyKind = kind;
  record.srcKind = from;
  record.dstKind = to;
  record.bytes = 4096;
  record.start = 10;
  record.end = 30;
  record.correlationId = 9;
  record.streamId = 13;
  return record;
}

}  // namespace stepbench::cuda
