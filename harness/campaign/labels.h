// SPDX-License-Identifier: Apache-2.0
// Labels by which users find a run: a branch, a pull request. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "harness/base/value.h"
#include "harness/record/reader.h"

namespace stepbench::campaign {

// Parses `key=value` texts; the last value of a key wins; values are text. Throws ConfigError for a
// text without a key or "=", and for a key with other characters than letters, digits and "._-/".
[[nodiscard]] Fields parse_labels(std::span<const std::string> labels);

// Labels of the resumed run, overridden by `given`.
[[nodiscard]] Fields labels_with(const record::Results& earlier, const Fields& given);

}  // namespace stepbench::campaign
