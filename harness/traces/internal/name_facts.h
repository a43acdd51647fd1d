// SPDX-License-Identifier: Apache-2.0
// The meaning of a row's name, and whether the row communicates with other ranks. Determined once
// for each name, whatever its category: files often disagree about categories, rarely about names.
// And names as people read them. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/ops/op_log.h"

namespace stepbench::traces {

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

// Properties of op and kernel names beyond trace/name_facts.h. Pure; any thread.

// Matrix products, convolutions, attention and recurrent cells: ops that automatic mixed precision
// casts, so that their kernels can use tensor cores.
[[nodiscard]] bool is_tensor_core_eligible(std::string_view op);

// Newer kernel names that use tensor cores but are not covered by the names that published numbers
// are based on: "nvjet_...", "..._wgmma_...".
[[nodiscard]] bool probably_uses_tensor_cores(std::string_view kernel);

// A kernel's name without its return type, parameters and namespaces:
// "vectorized_elementwise_kernel <4, CUDAFunctor_add<float>, array<char*, 3ul> >".
[[nodiscard]] std::string readable_row_name(std::string_view name);

// At most `cells` cells each; similar names are cut to show where they differ.
[[nodiscard]] std::vector<std::string> distinct_row_names(std::span<const std::string_view> names,
                                                          std::size_t cells);

// "[[8, 32], [32, 64], [], []]" -> "[8, 32] [32, 64]".
[[nodiscard]] std::string tensor_shapes(std::string_view shapes);

// The readable name, shortened in the middle if long; for sentences.
[[nodiscard]] std::string short_row_name(std::string_view name);

}  // namespace stepbench::traces
