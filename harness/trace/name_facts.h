// SPDX-License-Identifier: Apache-2.0
// The meaning of a row's name, and whether the row communicates with other ranks. Determined once
// for each name, whatever its category: files often disagree about categories, rarely about names.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/ops/op_log.h"

namespace stepbench::trace {

// Class of a runtime or driver call of CUDA, HIP or another device.
enum class CallClass : std::uint8_t {
  kOther,
  kLaunch,       // starts a kernel
  kGraphLaunch,  // starts a graph: several device rows
  kCopy,
  kSet,
  kSynchronize,  // the host waits
  kAllocate,     // malloc, free, registration of host memory: device and host
};

// Kind of memory at one end of a copy.
enum class MemoryKind : std::uint8_t { kUnknown, kPageable, kPinned, kDevice, kOther };

struct NameFacts {
  std::int64_t step = -1;  // N of "ProfilerStep#N"
  CallClass call = CallClass::kOther;
  ops::CopyKind copy = ops::CopyKind::kNone;  // from "Memcpy HtoD (Pageable -> Device)"
  MemoryKind from = MemoryKind::kUnknown;
  MemoryKind to = MemoryKind::kUnknown;
  bool data_wait = false;              // "enumerate(DataLoader)#X.__next__"; annotation or op
  bool optimizer = false;              // "Optimizer.step#SGD.step", "Optimizer.zero_grad#..."
  bool communication = false;          // ops and kernels that communicate with other ranks
  bool perhaps_communication = false;  // ambiguous kernel name: name_facts.h
  bool autograd = false;               // "autograd::engine::evaluate_function: ...", "MmBackward0"
  bool tensor_core = false;            // a kernel whose name shows tensor cores
  bool moves_memory = false;           // ROCm, MTIA: a kernel that is a copy
  bool sets_memory = false;            // ROCm: a kernel that is a set
  bool device_waits = false;           // MTIA: a device row that is an event or a wait for one

  friend bool operator==(const NameFacts&, const NameFacts&) = default;
};

// "step 8 of 100" -> "step # of #".
[[nodiscard]] std::string with_numbers_folded(std::string_view name);

[[nodiscard]] NameFacts facts_of_name(std::string_view name);

// "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__" ->
// "_MultiProcessingDataLoaderIter".
[[nodiscard]] std::string_view iterator_class(std::string_view data_wait);

// Communication with other ranks, by the names that libraries give their kernels and host rows.
// Each name lists its source.

enum class Exchanges : std::uint8_t {
  kNo,
  kYes,
  // "all_to_all", "dispatch", "combine" and similar names from an unknown library: they are used
  // for ranks as well as for experts or pieces of one attention.
  kAmbiguous,
};

[[nodiscard]] Exchanges exchanges(std::string_view name);

// "nccl:all_reduce", "gloo:broadcast": a host row of a backend of torch.distributed.
[[nodiscard]] bool is_backend_row(std::string_view name);

}  // namespace stepbench::trace
