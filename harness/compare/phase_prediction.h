// SPDX-License-Identifier: Apache-2.0
// What the controls of two machines say of one phase of a step. Pure; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/controls.h"
#include "harness/stats/interval.h"

namespace stepbench::compare {

// A logarithm of b / a and its interval.
struct LogRatio {
  double centre = 0;
  stats::Interval interval = {};
};

// Of one control, both sides; `confidence` of its interval.
[[nodiscard]] LogRatio log_ratio(const Control& a, const Control& b, double confidence);

// The kinds of work that a phase may consist of.
struct PhaseKinds {
  std::vector<std::string_view> kinds = {};  // controls without "_threads"
  std::string why_not = {};                  // nothing is known of it
};
// By the options of a case, as `loader.num_workers`; a phase, or a metric of the loader.
[[nodiscard]] PhaseKinds kinds_of(std::string_view phase, const OptionValues& options);

// Threads inside an operation; nullopt: not known.
struct UsedThreads {
  std::optional<std::int64_t> a = {};
  std::optional<std::int64_t> b = {};
};

// How long the operations of a phase took on one side, by kind: shares of their sum.
struct KindShares {
  std::map<std::string_view, double> of = {};
  bool of_b = false;  // recorded there
};

struct PhasePrediction {
  LogRatio ratio = {};
  std::vector<std::string> controls = {};
  bool by_operations = false;
  std::string missing = {};  // a control that it would need; then nothing is predicted
};
// Without shares the range of all kinds, with them their mixture.
[[nodiscard]] PhasePrediction predict(const PhaseKinds& kinds, const Controls& a, const Controls& b,
                                      const UsedThreads& threads, const KindShares* shares,
                                      double confidence);

}  // namespace stepbench::compare
