// SPDX-License-Identifier: Apache-2.0
// What a stretch of a step's critical path is. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

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
inline constexpr std::size_t kPathKinds = 9;
[[nodiscard]] std::string_view name_of(PathKind kind);  // "compute"

}  // namespace stepbench::analyze
