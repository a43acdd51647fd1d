// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>

#include "harness/base/resolved_case.h"

namespace stepbench {

// The options of sections model and optimizer that the step itself follows.
struct StepOptions {
  c10::Device device{c10::kCPU};
  std::optional<c10::ScalarType> autocast;  // nothing: fp32 or tf32
  bool tf32 = false;
  bool cuda_graph = false;
  bool cudnn_benchmark = false;
  c10::MemoryFormat memory_format = c10::MemoryFormat::Contiguous;
  std::int64_t accumulate = 1;
  double clip_norm = 0;  // 0: no clipping
  bool set_to_none = true;
  std::uint64_t seed = 0;
};

[[nodiscard]] StepOptions step_options(const ResolvedCase& resolved);

}  // namespace stepbench
