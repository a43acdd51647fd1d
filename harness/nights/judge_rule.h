// SPDX-License-Identifier: Apache-2.0
// What the judge of a series is told: the rule of the series, and the two programs of a night.
// Plain data; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/track/margins.h"

namespace stepbench::nights {

using track::kMargin;
inline constexpr double kLayout = .005;  // until builds tell it
inline constexpr double kError = .006;   // of a bound: 2.5 standard errors
inline constexpr double kNoisyCv = .02;  // of one launch: beyond it small changes are found late
inline constexpr std::size_t kManySeries = 200;  // from here on the error is divided

// Of a series, for all its nights.
struct JudgeRule {
  double margin = kMargin;  // the change that does not matter
  bool larger_is_better = false;
  bool has_layout = true;  // false: bytes and counts, which no layout of code moves
  double error = kError;
};
// The two programs of a night.
struct Tonight {
  std::string run = {};
  std::string run_utc = {};
  std::string build = {};
  std::string reference = {};
  std::string reference_run = {};  // the run whose program that is
  std::string environment = {};
};

}  // namespace stepbench::nights
