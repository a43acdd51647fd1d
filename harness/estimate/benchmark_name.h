// SPDX-License-Identifier: Apache-2.0
// Names of cases in the style of Google Benchmark, for its JSON and for stepbench-gbench. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/option_values.h"

namespace stepbench::estimate {

// Converts text to one part of a name. '/' and ':' separate parts, and users match names by regular
// expressions, so everything but letters, digits, '_', '-' and '.' becomes '_'. At most 80 bytes.
[[nodiscard]] std::string benchmark_name_part(std::string_view text);

// "train_step/num_workers:4/pin_memory:true": the workload and those of `varying` that have a
// value.
[[nodiscard]] std::string benchmark_name(std::string_view workload, const OptionValues& options,
                                         const std::vector<std::string>& varying);

// Makes names unique: appends "/case:3f2a91bc" to each name that occurs more than once. `case_ids`
// has one id per name.
[[nodiscard]] std::vector<std::string> distinct_names(std::vector<std::string> names,
                                                      std::span<const std::string_view> case_ids);

}  // namespace stepbench::estimate
