// SPDX-License-Identifier: Apache-2.0
// Checks a campaign with an A/A comparison of the launches of arm A. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/stats/interval.h"

namespace stepbench::compare {

// Tests whether a campaign would find a difference between identical programs. Splits the launches
// of arm A, in run order, into quads and compares the first and fourth with the second and third;
// as in an ABBA block, linear drift cancels.
struct AaControl {
  enum class State : std::uint8_t { kTooFew, kPassed, kFailed };  // written to disk by name
  State state = State::kTooFew;
  std::size_t pooled_quads = 0;
  double p =
      1;  // signed-rank over all quads, each divided by the robust standard deviation of its case
  // Relative change of A against itself: Hodges-Lehmann over all quads, with its interval; nullopt
  // with too few quads.
  std::optional<double> change = {};
  stats::Interval interval = {};
};
constexpr EnumNames<3> names_of(AaControl::State) {
  return {"too few runs to tell", "passed", "failed"};
}

inline constexpr std::size_t kMinQuads = 20;  // with fewer it never passes

// `cases`: for each case the values of its A launches in run order.
[[nodiscard]] AaControl aa_control(std::span<const std::vector<double>> cases, double alpha = 0.01);

inline constexpr double kControlConfidence = 0.95;  // of `interval`

}  // namespace stepbench::compare
