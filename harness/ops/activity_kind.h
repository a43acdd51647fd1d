// SPDX-License-Identifier: Apache-2.0
// Types shared by op logs and traces.
#pragma once

#include <cstdint>
#include <limits>

#include "harness/base/enum_names.h"

namespace stepbench::ops {

// Marks a missing index into a table.
inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

enum class ActivityKind : std::uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kRuntime,          // a CUDA runtime call
  kDriver,           // a CUDA driver call
  kSynchronization,  // waiting for an event, stream or context
};
constexpr EnumNames<6> names_of(ActivityKind) {
  return {"kernel", "memcpy", "memset", "runtime", "driver", "synchronization"};
}
enum class CopyKind : std::uint8_t {
  kNone,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kHostToHost,
  kPeer
};

}  // namespace stepbench::ops
