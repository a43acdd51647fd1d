// SPDX-License-Identifier: Apache-2.0
// Labels of a run, by which people find it again: a branch, a pull request. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "harness/base/value.h"
#include "harness/record/reader.h"

namespace stepbench::campaign {

// Of `key=value` texts, the last of a key counts; values are text. Throws ConfigError for a text
// without a key or "=", and for a key of other than letters, digits, '.', '_', '-' and '/'.
[[nodiscard]] Fields parse_labels(std::span<const std::string> labels);

// Those of the run to go on with, and `given` over them.
[[nodiscard]] Fields labels_with(const record::Results& earlier, const Fields& given);

}  // namespace stepbench::campaign
