// SPDX-License-Identifier: Apache-2.0
// What a stretch of a step's critical path is. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/base/enum_names.h"

namespace stepbench::analyze {

enum class PathKind : std::uint8_t {
  kCompute,
  kCommunication,
  kCopy,     // and sets
  kLoading,  // of data, while the step thread waits for it
  kOperators,
  kLaunch,   // calls of the runtime, and what passes until their row begins
  kWait,     // of the host, without what it waits for
  kQueue,    // between rows of the device
  kUnknown,  // no row of the host: Python, or nothing
};
constexpr EnumNames<9> names_of(PathKind) {
  return {"compute", "communication", "copy",  "data_loading", "operators",
          "launch",  "wait",          "queue", "unknown"};
}
inline constexpr std::size_t kPathKinds = 9;

}  // namespace stepbench::analyze
