// SPDX-License-Identifier: Apache-2.0
// What an op log and a trace that was read have in common.
#pragma once

#include <cstdint>
#include <limits>

#include "harness/base/enum_names.h"

namespace stepbench::ops {

// "none" among indices into a table.
inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

enum class ActivityKind : std::uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kRuntime,          // a call of the CUDA runtime
  kDriver,           // a call of the CUDA driver
  kSynchronization,  // waiting for an event, a stream or a context
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
