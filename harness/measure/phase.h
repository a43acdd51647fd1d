// SPDX-License-Identifier: Apache-2.0
// The phases of a step, and the device stream of a phase. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/base/limits.h"

namespace stepbench {

// Named parts of a step. They do not nest. A workload's declared phases follow kFirstDeclared in
// the order of its WorkloadSpec. built_in_phases() has the names.
enum class PhaseId : std::uint8_t {
  kDataWait,
  kH2d,
  kZeroGrad,
  kForward,
  kLoss,
  kBackward,
  kGradSync,
  kOptimizer,
  kGraphReplay,
  kOther,  // the rest of the step; computed, never marked
  kFirstDeclared
};
inline constexpr std::size_t kMaxPhases =
    static_cast<std::size_t>(PhaseId::kFirstDeclared) + kMaxDeclaredPhases;

[[nodiscard]] constexpr PhaseId declared_phase(std::size_t i) {
  return static_cast<PhaseId>(static_cast<std::size_t>(PhaseId::kFirstDeclared) + i);
}

struct DeviceStream {
  void* handle = nullptr;  // cudaStream_t; null = legacy default stream
  // A stream chosen by the user that the step computes on. Any other non-default stream carries
  // copies in parallel to the step.
  bool computes = false;
};

}  // namespace stepbench
