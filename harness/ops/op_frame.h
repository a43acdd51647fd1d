// SPDX-License-Identifier: Apache-2.0
// An op table as integer arrays, for a worker's channel and result files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/series.h"

namespace stepbench::ops {

struct OpTable;

// One line. Values of text columns are indices into `strings`; -1: none.
struct OpFrame {
  std::string table = {};  // ops, activities, memory, stacks, calls
  std::vector<std::string> strings = {};
  Series series = {};
};

inline constexpr std::size_t kMaxFrameBytes = std::size_t{8} << 20;

// Splits the table so that each frame stays below `max_bytes` as JSON, whatever the names.
[[nodiscard]] std::vector<OpFrame> frames_of(const OpTable& table,
                                             std::size_t max_bytes = kMaxFrameBytes);

// Throws Error naming table and column for an index out of range. Unknown columns and tables are
// ignored; missing ones keep their defaults.
[[nodiscard]] OpTable op_table_of(std::span<const OpFrame> frames);

}  // namespace stepbench::ops
