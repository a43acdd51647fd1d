// SPDX-License-Identifier: Apache-2.0
// How large a claimed change is, once it is taken into account that it was claimed. Pure; any
// thread.
#pragma once

#include <optional>
#include <span>

#include "harness/compare/judge.h"
#include "harness/stats/claimed_size.h"

namespace stepbench::compare {

// What one look at one metric saw, and from where on it would have claimed a change, if the pairs
// lay elsewhere and differed among themselves as they do. Log ratios, larger is worse.
struct Look {
  double pairs = 0;
  double centre = 0;
  double standard_error = 0;
  double worse_from = 0;   // infinity: so few pairs claim nothing
  double better_from = 0;  // minus infinity
  Verdict verdict = Verdict::kInconclusive;
};

// `family`: the tests of this look, of which `test` is one; what it claims of the others is held
// fixed. nullopt: nothing was tested by ranks.
[[nodiscard]] std::optional<Look> look_at(const PairedSamples& samples, const VerdictRule& rule,
                                          const TestFamily& family, const TestResult& test);

// The change of the raw metric that is as often too small as too large among all campaigns that
// claim one of this sign at the last look and did at the others what these did. nullopt: the last
// look claims nothing. Never within the margin, nor beyond the interval.
[[nodiscard]] std::optional<double> corrected_change(std::span<const Look> looks,
                                                     const PairedSamples& samples,
                                                     const TestResult& last);

}  // namespace stepbench::compare
