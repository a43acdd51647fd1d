// SPDX-License-Identifier: Apache-2.0
// Rules about steps: unstable durations, and first or last steps that differ from the others.
#include <algorithm>
#include <cmath>

#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/traces/rules.h"

namespace stepbench::traces {
namespace {

constexpr std::int64_t kMinStepsForSpread = 4;
constexpr double kLargeSpread = 0.25;
constexpr std::string_view kDataPart = "idle_data_loading";
// Share of the step's time from which waits for data are a separate finding.
constexpr double kMinWaits = 0.05;
// Share of the step's time below which a spread is not reported.
constexpr double kMinShare = 0.05;

// "idle: host op"; without a device, the prefix is omitted because the host is not idle.
std::string describe(std::string_view part, bool on_device) {
  constexpr std::string_view kIdle = "idle_";
  std::string words(part);
  if (words.starts_with(kIdle)) words = (on_device ? "idle: " : "") + words.substr(kIdle.size());
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::int64_t wall_of(const StepTime& step) { return step.wall_ns; }
std::int64_t without_waits(const StepTime& step) { return step.wall_ns - step.data_exposed_ns(); }

double spread_of(const Summary& steps) { return steps.median > 0 ? steps.iqr / steps.median : 0; }

std::string differing(const Summary& steps, std::string_view what) {
  return formatted("{}, from {} to {}, the middle half of them by {} of the median", what,
                   text::duration(steps.min), text::duration(steps.max),
                   text::percent_text(spread_of(steps)));
}

}  // namespace

RuleResult unstable_steps(const RuleInput& in) {
  const Summary all = in.idle.summary(in.analysis.steps, wall_of);
  if (all.n < kMinStepsForSpread) {
    return in.undecided(
        formatted("the spread of the steps needs at least four steps; there are {}", all.n));
  }
  // Waits for data are a separate finding, so judge the spread without them.
  const bool waits = in.share(in.idle_ns(IdleCause::kDataLoading)) >= kMinWaits;
  const Summary rest = waits ? in.idle.summary(in.analysis.steps, without_waits) : all;
  // The spread of work that is short relative to the waits does not matter.
  const bool matters = rest.iqr >= kMinShare * all.median;
  if (spread_of(rest) < in.threshold || !matters) {
    if (spread_of(all) < in.threshold) return std::nullopt;
    Finding symptom =
        in.of_value(spread_of(all), Severity::kInfo,
                    differing(all, "steps differ") + "; the waits for data vary, not the work");
    symptom.remedy =
        "Workers that take turns deliver in bursts, and some samples cost more than others: the "
        "spread disappears with the waits.";
    return symptom;
  }
  const StepPart* varies = nullptr;
  double most = 0;
  for (const StepPart& part : step_parts()) {
    if (waits && part.name == kDataPart) continue;
    const double spread = in.idle.summary(in.analysis.steps, part.of).iqr;
    if (spread > most) {
      most = spread;
      varies = &part;
    }
  }
  std::string text =
      differing(rest, waits ? "steps differ in more than their waits for data" : "steps differ");
  if (varies != nullptr)
    text += formatted("; mostly {} varies", describe(varies->name, in.on_device()));
  const double ratio = spread_of(rest);
  Finding finding = in.of_value(ratio, Severity::kWarning, std::move(text));
  finding.remedy =
      "Find what the slow steps do differently (--steps), and repeat: a busy machine, changing "
      "clocks and changing shapes look alike in one trace.";
  in.gain(finding, (rest.mean - rest.min) * in.steps);
  finding.severity = ratio >= kLargeSpread ? Severity::kProblem : Severity::kWarning;
  return finding;
}

RuleResult edge_step_bias(const RuleInput& in) {
  constexpr double kSpreads = 3;
  constexpr std::int64_t kMinInterior = 2;
  const Summary interior = in.idle.summary(in.analysis.steps, wall_of);
  if (in.analysis.steps.chosen || interior.n < kMinInterior || interior.median <= 0) {
    return std::nullopt;
  }
  const double limit = std::max(in.threshold, kSpreads * interior.mad / interior.median);
  const std::vector<Step>& steps = in.analysis.steps.steps;
  std::vector<std::size_t> deviating;
  std::vector<std::string> changes;
  double largest = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].edge || steps[i].truncated) continue;
    const double change = double(in.idle.steps[i].wall_ns) / interior.median - 1;
    if (std::abs(change) < limit) continue;
    deviating.push_back(i);
    changes.push_back(formatted("{} recorded step took {} %", i == 0 ? "the first" : "the last",
                                text::signed_percent(change)));
    largest = std::max(largest, std::abs(change));
  }
  if (deviating.empty()) return std::nullopt;
  Finding finding = in.of_value(
      largest, Severity::kInfo,
      formatted("{} against the median of the others, and {} left out of all numbers above",
                text::join_and(changes), deviating.size() > 1 ? "both are" : "is"));
  finding.remedy = "Record more steps, after a longer warm-up (schedule(warmup=...)).";
  for (const std::size_t i : deviating) {
    in.add_row(finding, in.step_name(i), steps[i].window, i);
  }
  return finding;
}

}  // namespace stepbench::traces
