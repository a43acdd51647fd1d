// SPDX-License-Identifier: Apache-2.0
// What a launch of a case cost earlier, to tell what others will.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "harness/record/rows.h"

namespace stepbench::campaign {

// Of one launch, in seconds.
struct LaunchCost {
  double fixed_s = 0;  // its process, set-up and tear-down
  double step_s = 0;   // one step
  [[nodiscard]] double of(std::int64_t steps) const {
    return fixed_s + step_s * static_cast<double>(steps);
  }
};

// nullopt for a launch that measured nothing, or recorded operations or ran under another program.
[[nodiscard]] std::optional<LaunchCost> cost_of(const record::LaunchRow& row);

using CostsByCase = std::map<std::string, LaunchCost, std::less<>>;

// What is known of some cases, and from where.
struct KnownCosts {
  CostsByCase by_case = {};
  std::int64_t runs = 0;  // earlier ones that they come from
  bool probed = false;    // they come from smoke launches, made for this
};

// Of these cases, each from the newest run in `results_dir` that measured it: the mean of its
// launches there. Reads no samples, stops when all are known or 64 MiB were read, and passes over
// what cannot be read.
[[nodiscard]] KnownCosts earlier_costs(const std::filesystem::path& results_dir,
                                       std::set<std::string, std::less<>> case_ids);

}  // namespace stepbench::campaign
