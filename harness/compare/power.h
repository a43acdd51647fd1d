// SPDX-License-Identifier: Apache-2.0
// Smallest change that a comparison can find. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "harness/record/reader.h"

namespace stepbench::compare {

struct ComparisonSize {
  std::size_t launches = 0;  // of each side
  std::size_t tests = 1;     // in one correction
  double margin = 0.01;
  double q = 0.05;
};

// Relative change that `compare` claims in about four of five comparisons if it is the only one
// among its tests. `launch_sd`: relative standard deviation between launches of one program.
// Approximate, erring on the large side. nullopt: with so few launches no change can be proved.
[[nodiscard]] std::optional<double> change_found(const ComparisonSize& size, double launch_sd);

// As change_found() for `ab` with so many pairs and one test.
[[nodiscard]] double change_found_by_pairs(std::size_t pairs, double launch_sd,
                                           double margin = 0.01);

// Standard deviation of the log step between launches, for each of `cases` with at least three
// measured launches; from the first arm that has them.
[[nodiscard]] std::map<std::string, double> launch_spreads(const record::Results& results,
                                                           const std::set<std::string>& cases);

}  // namespace stepbench::compare
