// SPDX-License-Identifier: Apache-2.0
// What is judged: one metric of one case in both arms, and how these were measured.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/record/rows.h"

namespace stepbench::compare {

// interleaved: the arms took turns in one campaign. sequential: one arm was measured after the
// other, so that a drift of the machine looks like a change; such a comparison confirms nothing.
enum class Design : std::uint8_t { kInterleaved, kSequential };
constexpr EnumNames<2> names_of(Design) { return {"interleaved", "sequential"}; }

// One metric of one case in both arms. Every value is one process. Where the arms took turns equal
// indexes are a pair, and what the longer arm has beyond that is used by the unpaired figures only;
// in a sequential design all values count.
struct PairedSamples {
  std::vector<double> base = {};
  std::vector<double> candidate = {};
  Direction direction = Direction::kLowerIsBetter;
  double margin = 0.01;  // relative change that does not matter
  bool exact = false;    // a count that should not vary at all
  bool zeros = false;    // 0 is a value like others, not a sign that something went wrong
};

}  // namespace stepbench::compare
