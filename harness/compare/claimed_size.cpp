// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/claimed_size.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "harness/compare/usable_samples.h"
#include "harness/stats/hodges_lehmann.h"

namespace stepbench::compare {
namespace {

// The largest p-value that Benjamini and Hochberg would have rejected, were this test the only one
// of the family to change.
double level_of(const VerdictRule& rule, const TestFamily& family, const TestResult& test) {
  std::size_t rejected = family.rejected_slower + family.rejected_faster;
  if (!is_rejected(test, rule.q)) ++rejected;
  return rule.q * static_cast<double>(rejected) / static_cast<double>(family.tested);
}

}  // namespace

std::optional<Look> look_at(const PairedSamples& samples, const VerdictRule& rule,
                            const TestFamily& family, const TestResult& test) {
  if (std::isnan(test.p) || rule.design != Design::kInterleaved || test.pairs < 2) {
    return std::nullopt;
  }
  const std::vector<double> differences =
      log_differences(usable_samples(samples, rule.design), samples.direction);
  const auto none = [](double value) { return std::abs(value) >= kNoPercentage; };
  if (std::any_of(differences.begin(), differences.end(), none)) return std::nullopt;
  const double margin = std::log1p(samples.margin);
  const stats::HodgesLehmann seen = stats::hodges_lehmann(differences, rule.confidence);
  const stats::Interval tested =
      stats::hodges_lehmann(differences, 1 - level_of(rule, family, test)).interval;
  const boost::math::students_t law(static_cast<double>(differences.size() - 1));
  const double reach = boost::math::quantile(law, (1 + rule.confidence) / 2);
  return Look{.pairs = static_cast<double>(differences.size()),
              .centre = seen.centre,
              .standard_error = (seen.interval.high - seen.interval.low) / (2 * reach),
              .worse_from = seen.centre + std::max(margin - seen.interval.low, -tested.low),
              .better_from = seen.centre - std::max(margin + seen.interval.high, tested.high),
              .verdict = test.verdict};
}

std::optional<double> corrected_change(std::span<const Look> looks, const PairedSamples& samples,
                                       const TestResult& last) {
  const bool worse = last.verdict == Verdict::kRegression;
  if (looks.empty() || (!worse && last.verdict != Verdict::kImprovement)) return std::nullopt;
  const double side = worse ? 1 : -1;  // times a log ratio: beyond the bound is larger
  std::vector<stats::ClaimLook> done;
  for (const Look& look : looks) {
    // A look at no further pairs saw nothing new.
    if (!done.empty() && look.pairs <= done.back().values) done.pop_back();
    done.push_back({.values = look.pairs,
                    .bound = side * (worse ? look.worse_from : look.better_from),
                    .claimed = look.verdict == last.verdict});
  }
  const double sign = sign_of(samples.direction);
  const double end = worse == (sign > 0) ? last.interval.high : last.interval.low;
  const stats::Interval range{std::log1p(samples.margin), side * sign * std::log1p(end)};
  const Look& now = looks.back();
  const double size = stats::size_given_claim(side * now.centre, now.standard_error, done, range);
  return std::expm1(sign * side * size);
}

}  // namespace stepbench::compare
