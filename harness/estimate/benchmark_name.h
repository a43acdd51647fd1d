// SPDX-License-Identifier: Apache-2.0
// What a case is called where names are those of Google Benchmark: in its JSON, and in
// stepbench-gbench. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/option_values.h"

namespace stepbench::estimate {

// A part of a name: '/' and ':' separate the parts, and the rest is matched by regular expressions,
// so that all but letters, digits, '_', '-' and '.' become '_'. At most 80 bytes.
[[nodiscard]] std::string benchmark_name_part(std::string_view text);

// "train_step/num_workers:4/pin_memory:true": the workload and those of `varying` that have a
// value.
[[nodiscard]] std::string benchmark_name(std::string_view workload, const OptionValues& options,
                                         const std::vector<std::string>& varying);

// The same names, none of them twice: where several have one, "/case:3f2a91bc" stands behind each.
// `case_ids`: as many.
[[nodiscard]] std::vector<std::string> distinct_names(std::vector<std::string> names,
                                                      std::span<const std::string_view> case_ids);

}  // namespace stepbench::estimate
