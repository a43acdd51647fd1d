// SPDX-License-Identifier: Apache-2.0
// An op table as arrays of integers, as it goes over a worker's channel and into a result file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/series.h"

namespace stepbench::ops {

struct OpTable;

// One line. Of a column that holds text the values are indices into `strings`; -1 is none.
struct OpFrame {
  std::string table = {};  // ops, activities, memory, stacks, calls
  std::vector<std::string> strings = {};
  Series series = {};
};

inline constexpr std::size_t kMaxFrameBytes = std::size_t{8} << 20;

// As many frames as it takes for each to stay below `max_bytes` as JSON, whatever the names.
[[nodiscard]] std::vector<OpFrame> frames_of(const OpTable& table,
                                             std::size_t max_bytes = kMaxFrameBytes);

// Throws Error naming table and column when an index points nowhere. Series and tables that are
// not known are passed over, absent ones keep their defaults.
[[nodiscard]] OpTable op_table_of(std::span<const OpFrame> frames);

}  // namespace stepbench::ops
