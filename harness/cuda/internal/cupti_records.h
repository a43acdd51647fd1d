// SPDX-License-Identifier: Apache-2.0
// Decodes CUPTI's activity records; only this file knows their layout.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "harness/ops/op_log.h"

namespace stepbench::cuda {

// The record kinds to enable; excludes the kind that serialises kernels.
[[nodiscard]] std::span<const std::uint32_t> activity_kinds();

// Frequent calls without information, not recorded.
[[nodiscard]] std::span<const std::uint32_t> quiet_runtime_calls();
[[nodiscard]] std::span<const std::uint32_t> quiet_driver_calls();

// Why records of this library version cannot be read; empty if they can.
[[nodiscard]] std::string records_unreadable(std::uint32_t library_version);

struct ActivityRecord {
  enum class Kind : std::uint8_t { kActivity, kExternalCorrelation };
  Kind kind = Kind::kActivity;
  ops::DeviceActivity activity = {};  // kActivity; `name` and `thread` are not filled
  std::string name = {};              // kActivity
  std::int64_t system_thread = -1;    // kActivity, of a call
  bool failed = false;                // kActivity, of a call: it returned an error
  std::uint64_t correlation = 0;      // kExternalCorrelation: the id of the call ...
  std::uint64_t external = 0;         // ... made under this external id
};

// cuptiGetCallbackName: the name of a callback in a domain.
using ActivityNames = std::function<std::string(std::uint32_t domain, std::uint32_t callback)>;

// False for records of other kinds.
[[nodiscard]] bool read_activity(const void* record, const ActivityNames& names,
                                 ActivityRecord& out);

}  // namespace stepbench::cuda
