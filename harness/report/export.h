// SPDX-License-Identifier: Apache-2.0
// The table for programs: one record per case, every estimate in base units.
#pragma once

#include <string>

#include "harness/record/reader.h"

namespace stepbench {

[[nodiscard]] std::string csv_of(const Results& results);
[[nodiscard]] std::string json_of(const Results& results);

}  // namespace stepbench
