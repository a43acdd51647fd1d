// SPDX-License-Identifier: Apache-2.0
// Which columns of a launch's samples are phases of the step. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/record/reader.h"

namespace stepbench::estimate {

enum class PhasePlace : std::uint8_t {
  kHost,           // <phase>_ns: phases sum to step_ns
  kComputeStream,  // <phase>_device_ns: phases sum to period_device_ns
  kSideStream      // <phase>_side_device_ns: concurrent with the step
};

struct PhaseColumn {
  std::string name;  // "data_wait"
  PhasePlace place = PhasePlace::kHost;
};

// nullopt if the column is not a phase.
[[nodiscard]] std::optional<PhaseColumn> phase_of(const record::Launch& launch,
                                                  std::string_view column);

}  // namespace stepbench::estimate
