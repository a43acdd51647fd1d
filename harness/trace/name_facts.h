// SPDX-License-Identifier: Apache-2.0
// What the name of a trace's row means. Found once for each name, whatever its category: files
// disagree about categories, hardly about names. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/ops/activity_kind.h"

namespace stepbench::trace {

// Of a call of the runtime or driver of CUDA, HIP or another device.
enum class CallClass : std::uint8_t {
  kOther,
  kLaunch,       // starts a kernel
  kGraphLaunch,  // starts a graph: several device rows
  kCopy,
  kSet,
  kSynchronize,  // the host waits
  kAllocate,     // malloc, free, registration of host memory: device and host alike
};

// What lies at one end of a copy.
enum class MemoryKind : std::uint8_t { kUnknown, kPageable, kPinned, kDevice, kOther };

struct NameFacts {
  std::int64_t step = -1;  // N of "ProfilerStep#N"
  CallClass call = CallClass::kOther;
  ops::CopyKind copy = ops::CopyKind::kNone;  // of "Memcpy HtoD (Pageable -> Device)"
  MemoryKind from = MemoryKind::kUnknown;
  MemoryKind to = MemoryKind::kUnknown;
  bool data_wait = false;              // "enumerate(DataLoader)#X.__next__": annotation or op
  bool optimizer = false;              // "Optimizer.step#SGD.step", "Optimizer.zero_grad#..."
  bool communication = false;          // ops and kernels that exchange with other ranks
  bool perhaps_communication = false;  // a kernel's name that does not tell: communication_names.h
  bool autograd = false;               // "autograd::engine::evaluate_function: ...", "MmBackward0"
  bool tensor_core = false;            // a kernel whose name says that it uses them
  bool moves_memory = false;           // ROCm, MTIA: a kernel that is a copy
  bool sets_memory = false;            // ROCm: a kernel that is a set
  bool device_waits = false;  // MTIA: a row of the device that is an event or a wait for one

  friend bool operator==(const NameFacts&, const NameFacts&) = default;
};

// "step # of #" of "step 8 of 100".
[[nodiscard]] std::string with_numbers_folded(std::string_view name);

[[nodiscard]] NameFacts facts_of_name(std::string_view name);

// "_MultiProcessingDataLoaderIter" of
// "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__".
[[nodiscard]] std::string_view iterator_class(std::string_view data_wait);

}  // namespace stepbench::trace
