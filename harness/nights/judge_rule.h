// SPDX-License-Identifier: Apache-2.0
// Input of the judge of a series: the rule of the series, and the two programs of a night. Plain
// data; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/track/margins.h"

namespace stepbench::nights {

using track::kMargin;
inline constexpr double kLayout = .005;  // until enough builds are measured
inline constexpr double kError = .006;   // error of a bound: 2.5 standard errors
inline constexpr double kNoisyCv = .02;  // launch CV above which small changes are found late
inline constexpr std::size_t kManySeries = 200;  // the error is divided for more series than this

struct JudgeRule {
  double margin = kMargin;  // the change that does not matter
  bool larger_is_better = false;
  bool has_layout = true;  // false: bytes and counts, which code layout does not affect
  double error = kError;
};
struct Tonight {
  std::string run = {};
  std::string run_utc = {};
  std::string build = {};
  std::string reference = {};
  std::string reference_run = {};  // the run that the reference program is from
  std::string environment = {};
};

}  // namespace stepbench::nights
