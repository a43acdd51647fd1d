// SPDX-License-Identifier: Apache-2.0
// A check of the whole campaign: an A/A comparison made of the launches of arm A. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/stats/interval.h"

namespace stepbench::compare {

// Whether a campaign would find a difference where there is none: launches of arm A alone, in run
// order, in quads, the first and fourth against the second and third. Linear drift cancels, as it
// does in an ABBA block.
struct AaControl {
  enum class State : std::uint8_t { kTooFew, kPassed, kFailed };  // written to disk by name
  State state = State::kTooFew;
  std::size_t pooled_quads = 0;
  double p =
      1;  // signed-rank over all cases' quads, each divided by its case's robust standard deviation
  // How much A differs from itself, as a relative change: Hodges-Lehmann over all quads, and its
  // interval; nothing where there are too few for one.
  std::optional<double> change = {};
  stats::Interval interval = {};
};
constexpr EnumNames<3> names_of(AaControl::State) {
  return {"too few runs to tell", "passed", "failed"};
}

inline constexpr std::size_t kMinQuads = 20;  // with fewer it is never said to have passed

// One entry for each case: the values of its A launches in run order.
[[nodiscard]] AaControl aa_control(std::span<const std::vector<double>> cases, double alpha = 0.01);

inline constexpr double kControlConfidence = 0.95;  // of its interval

}  // namespace stepbench::compare
