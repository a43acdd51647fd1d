// SPDX-License-Identifier: Apache-2.0
// Why one machine is slower than another: each phase's ratio between two runs, split into what the
// controls of both machines predict and the rest. A phase does work of several kinds in unknown
// parts, and a sum of them changes by no less than the kind that changed least and no more than the
// one that changed most: without a profile that range is the prediction. With recorded operations
// it is their mixture. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/case_pairs.h"
#include "harness/compare/controls.h"
#include "harness/compare/environment_match.h"
#include "harness/stats/interval.h"

namespace stepbench::compare {

// A ratio b / a and its interval.
struct TimesRatio {
  double value = 1;
  stats::Interval interval = {};
};

enum class Told : std::uint8_t {  // written to disk by name
  kAsPredicted,                   // the rest is nothing, or less than controls can tell
  kSlower,                        // than predicted
  kFaster,
  kWithin,  // the prediction is too wide to tell
  kUnknown  // why_not says why
};
[[nodiscard]] std::string_view name_of(Told told);

// A rest that lies within this is none: controls resemble the work, they are not it.
inline constexpr double kAlike = 0.05;
// A rest whose interval spans more than this factor tells nothing where it holds 1.
inline constexpr double kWide = 1.3;

struct PhaseSplit {
  std::string phase = {};
  bool part = true;  // of the step: these sum to it. Else a metric that says more of a part
  double a_ns = 0;   // median over launches
  double b_ns = 0;
  TimesRatio ratio = {};
  std::vector<std::string> controls = {};  // that speak of it
  bool by_operations = false;              // mixed as recorded operations say
  std::optional<TimesRatio> predicted = {};
  std::optional<TimesRatio> rest = {};  // ratio over predicted
  Told told = Told::kUnknown;
  std::string why_not = {};
};

struct CaseSplit {
  const record::LaunchRow* of = nullptr;  // in the Results of A
  std::size_t a_launches = 0;
  std::size_t b_launches = 0;
  PhaseSplit step = {};
  std::vector<PhaseSplit> phases = {};  // the longest first
  // Parts of b - a, in ns a step: by phases of which something is told, and of which nothing is.
  double predicted_ns = 0;
  stats::Interval predicted_interval_ns = {};
  double rest_ns = 0;
  double unknown_ns = 0;
  std::string why_not = {};  // nothing is told of the case
};

// A control on both machines.
struct ControlRatio {
  std::string name = {};
  double a_ns = 0;
  double b_ns = 0;
  TimesRatio ratio = {};
};

struct ExplainSide {
  ComparisonSide side = {};
  Controls controls = {};
  std::string no_controls = {};  // why there are none
};

struct Explanation {
  std::vector<CaseSplit> cases = {};
  std::vector<ControlRatio> controls = {};
  // What differs besides the machine, by name: the rest holds that, too.
  std::vector<EnvironmentDifference> differences = {};
  std::vector<std::string> doubts = {};
  std::vector<std::string> only_a = {};  // ids of cases
  std::vector<std::string> only_b = {};
  [[nodiscard]] bool tells() const;  // of the phases of a case
};

// 95 %, of all phases of a case together. Throws ConfigError for what may not be compared.
[[nodiscard]] Explanation explain(const ExplainSide& a, const ExplainSide& b, const CaseKey& key,
                                  std::span<const std::string> ignored);

}  // namespace stepbench::compare
