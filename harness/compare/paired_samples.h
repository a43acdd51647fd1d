// SPDX-License-Identifier: Apache-2.0
// Samples of one metric of one case in both arms, and how they were measured.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/record/rows.h"

namespace stepbench::compare {

// interleaved: the arms took turns in one campaign. sequential: one arm was measured after the
// other, so that drift of the machine looks like a change; such a comparison confirms nothing.
enum class Design : std::uint8_t { kInterleaved, kSequential };
constexpr EnumNames<2> names_of(Design) { return {"interleaved", "sequential"}; }

// Every value is one process. If the arms took turns, equal indexes form a pair, and surplus values
// of the longer arm are used only by unpaired figures; in a sequential design all values count.
struct PairedSamples {
  std::vector<double> base = {};
  std::vector<double> candidate = {};
  Direction direction = Direction::kLowerIsBetter;
  double margin = 0.01;  // largest relative change that does not matter
  bool exact = false;    // a count that should not vary
  bool zeros = false;    // 0 is a valid value, not a sign of failure
};

}  // namespace stepbench::compare
