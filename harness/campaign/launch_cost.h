// SPDX-License-Identifier: Apache-2.0
// Costs of earlier launches of a case, to estimate those of future ones.
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

// Cost of one launch, in seconds.
struct LaunchCost {
  double fixed_s = 0;  // its process, set-up and tear-down
  double step_s = 0;
  [[nodiscard]] double of(std::int64_t steps) const {
    return fixed_s + step_s * static_cast<double>(steps);
  }
};

// nullopt for a launch that measured nothing, recorded operations, or ran under another program.
[[nodiscard]] std::optional<LaunchCost> cost_of(const record::LaunchRow& row);

using CostsByCase = std::map<std::string, LaunchCost, std::less<>>;

// Known costs of some cases, and their source.
struct KnownCosts {
  CostsByCase by_case = {};
  std::int64_t runs = 0;  // number of earlier runs they come from
  bool probed = false;    // they come from smoke launches made for this purpose
};

// For each case, the mean of its launches in the newest run in `results_dir` that measured it.
// Reads no samples, stops when all are known or after reading 64 MiB, and skips unreadable files.
[[nodiscard]] KnownCosts earlier_costs(const std::filesystem::path& results_dir,
                                       std::set<std::string, std::less<>> case_ids);

}  // namespace stepbench::campaign
