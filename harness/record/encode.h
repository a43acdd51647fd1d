// SPDX-License-Identifier: Apache-2.0
// Rows as lines of JSON, without the newline.
#pragma once

#include <string>

#include "harness/record/rows.h"

namespace stepbench::record {

// Of each row of rows.h, and of what a worker sends of it: CycleSamples, OpFrame, LaunchReport.
template <typename Row>
[[nodiscard]] std::string encode(const Row& row);

}  // namespace stepbench::record
