// SPDX-License-Identifier: Apache-2.0
// How small a change a comparison can find. Pure.
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
  std::size_t tests = 1;     // corrected together
  double margin = 0.01;
  double q = 0.05;
};

// The relative change that `compare` claims in about four of five comparisons, as the only one
// among its tests; `launch_sd`: by how much launches of one program differ, relative standard
// deviation. Approximate, rather too large than too small. nullopt: so few launches prove no
// change, however large.
[[nodiscard]] std::optional<double> change_found(const ComparisonSize& size, double launch_sd);

// The same of `ab` with so many pairs and one test, whose two launches differ by the same spread.
[[nodiscard]] double change_found_by_pairs(std::size_t pairs, double launch_sd,
                                           double margin = 0.01);

// By how much the launches of a case and arm differ: standard deviation of the logarithm of their
// steps, for each of `cases` with at least three measured launches; the first arm that has them.
[[nodiscard]] std::map<std::string, double> launch_spreads(const record::Results& results,
                                                           const std::set<std::string>& cases);

}  // namespace stepbench::compare
