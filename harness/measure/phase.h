// SPDX-License-Identifier: Apache-2.0
// Which phases a step has, and the device stream that a phase runs on. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/base/limits.h"

namespace stepbench {

// Named parts of a step. They do not nest. A workload's declared phases follow kFirstDeclared in
// the order of its WorkloadSpec. The names stand in built_in_phases().
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
  // The step computes on it: a stream that the user chose. Any other than the default one carries
  // copies beside the step.
  bool computes = false;
};

}  // namespace stepbench
