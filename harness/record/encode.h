// SPDX-License-Identifier: Apache-2.0
// Rows as lines of JSON, without the newline.
#pragma once

#include <string>

#include "harness/record/rows.h"

namespace stepbench::record {

// For each row of rows.h, and for the parts that a worker sends: CycleSamples, OpFrame,
// LaunchReport.
template <typename Row>
[[nodiscard]] std::string encode(const Row& row);

}  // namespace stepbench::record
