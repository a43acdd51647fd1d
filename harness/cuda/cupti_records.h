// SPDX-License-Identifier: Apache-2.0
// The layout of CUPTI's activity records, known in one file: everything else sees these values.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "harness/ops/op_log.h"

namespace stepbench::cuda {

// The kinds of record that are asked for; never the one that serialises kernels.
[[nodiscard]] std::span<const std::uint32_t> activity_kinds();

// Calls that are made all the time and tell nothing.
[[nodiscard]] std::span<const std::uint32_t> quiet_runtime_calls();
[[nodiscard]] std::span<const std::uint32_t> quiet_driver_calls();

// Why records of a library of this version cannot be read, or nothing: empty.
[[nodiscard]] std::string records_unreadable(std::uint32_t library_version);

struct ActivityRecord {
  enum class Kind : std::uint8_t { kActivity, kExternalCorrelation };
  Kind kind = Kind::kActivity;
  ops::DeviceActivity activity = {};  // kActivity; `name` and `thread` are not filled
  std::string name = {};              // kActivity
  std::int64_t system_thread = -1;    // kActivity, of a call
  bool failed = false;                // kActivity, of a call: it returned an error
  std::uint64_t correlation = 0;      // kExternalCorrelation: this call ...
  std::uint64_t external = 0;         // ... was made under this id
};

// cuptiGetCallbackName: of a domain's callback.
using ActivityNames = std::function<std::string(std::uint32_t domain, std::uint32_t callback)>;

// False for records that nobody asked for.
[[nodiscard]] bool read_activity(const void* record, const ActivityNames& names,
                                 ActivityRecord& out);

}  // namespace stepbench::cuda
