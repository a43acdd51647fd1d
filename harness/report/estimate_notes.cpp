// SPDX-License-Identifier: Apache-2.0
#include "harness/report/estimate_notes.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/base/value.h"
#include "harness/estimate/rare_slow_steps.h"
#include "harness/stats/order.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

constexpr double kMargin = 0.01;      // between mean and median over launches
constexpr double kHostBehind = 0.02;  // of the step: the host needed less time than the device
constexpr double kWaits = 0.02;       // of the host's step: less, and the loader decides nothing
constexpr double kLevelQueue = 0.02;  // of the window's steps

using Lines = std::vector<std::string>;

void add_clock(const CaseRow& row, Lines& lines) {
  const auto timed = std::count_if(row.measured.begin(), row.measured.end(), [](const auto& each) {
    return each.estimate.device_ns.has_value();
  });
  if (row.clock == StepClock::kDrained && timed > 0) {
    lines.emplace_back(
        "not every launch has device times: the others are by the host's clock, from an idle "
        "device "
        "until it was idle again");
  } else if (row.clock == StepClock::kDrained) {
    lines.emplace_back(
        "no device times: `step` is by the host's clock, until the device had done the window's "
        "work");
  }
  if (row.clock != StepClock::kDevice || !(*row.step_host_ns < *row.step_ns * (1 - kHostBehind))) {
    return;
  }
  std::string text = "the host ran ahead of the device";
  if (row.host_lead_ns)
    text += " by " + significant(*row.host_lead_ns / *row.step_ns, 2) + " steps";
  lines.push_back(text + ": its phases are what launching the work cost");
}

void add_rare_slow_steps(const CaseRow& row, Lines& lines) {
  const auto rare = rare_slow_steps(row, kMargin);
  if (!rare) return;
  lines.push_back("rare slow steps: " + with_separators(rare->slow) + " of " +
                  with_separators(rare->steps) +
                  " are longer than any of a usual launch; with them a step takes " +
                  percent(rare->difference) + " % more; active: " + std::to_string(rare->active) +
                  " would hold about ten");
}

void add_file_version(const CaseRow& row, Lines& lines) {
  const auto any = [&](bool LaunchEstimate::*member) {
    return std::any_of(row.measured.begin(), row.measured.end(),
                       [&](const MeasuredLaunch& each) { return each.estimate.*member; });
  };
  if (any(&LaunchEstimate::uneven)) {
    lines.emplace_back(
        "uneven: from a file before version 1.3, without whole epochs in its windows; steps and "
        "rates depend on where a window lies");
  }
  if (any(&LaunchEstimate::no_rates)) {
    lines.emplace_back("no rates: nothing tells when the device had finished the window's work");
  }
}

std::optional<double> metric(const Launch& launch, std::string_view name) {
  const auto found = launch.row.report.metrics.find(name);
  return found == launch.row.report.metrics.end() ? std::nullopt : found->second;
}

// Batches that lay ready before the window are taken in it without having been made in it, and
// the other way round: the rate of making them lies between both counts.
void add_queue_level(const CaseRow& row, Lines& lines) {
  std::vector<double> at_begin;
  std::vector<double> gained;
  std::vector<double> steps;
  for (const auto& [launch, estimate] : row.measured) {
    const auto begin = metric(*launch, "loader_ready_at_begin");
    const auto end = metric(*launch, "loader_ready_at_end");
    if (!begin || !end) return;
    const double windows =
        std::max(1.0, number_of(launch->row.report.schedule, "cycles").value_or(1));
    at_begin.push_back(*begin / windows);
    gained.push_back((*end - *begin) / windows);
    steps.push_back(static_cast<double>(estimate.steps) / windows);
  }
  const bool never_waits = row.data_wait_share.value_or(1) < kWaits;
  if (gained.empty() || never_waits) return;
  const double difference = median(gained);
  const double taken = median(steps);
  if (!(std::abs(difference) > kLevelQueue * taken) || !(taken + difference > 0)) return;
  const double made_ns = *row.step_ns * taken / (taken + difference);
  const double more =
      difference < 0 ? taken * median(at_begin) / -difference : std::max(taken, difference);
  lines.push_back(
      "the loader's queue was not level: " +
      counted(std::llround(std::abs(difference)), difference < 0 ? "fewer batch" : "more batch") +
      " lay ready at the window's end than at its begin; steady state takes " +
      duration(std::min(*row.step_ns, made_ns)) + " to " +
      duration(std::max(*row.step_ns, made_ns)) + " a step; " +
      counted(std::llround(more), "more warm-up step") +
      (std::llround(more) == 1 ? " evens" : " even") + " it out");
}

}  // namespace

std::vector<std::string> estimate_notes(const CaseRow& row) {
  Lines lines;
  if (row.measured.empty()) return lines;
  add_clock(row, lines);
  add_file_version(row, lines);
  if (row.smoke) return lines;
  add_rare_slow_steps(row, lines);
  add_queue_level(row, lines);
  if (row.mfu_refused) {
    lines.emplace_back(
        "MFU above 100 % left out: the device's peak or the count of operations is wrong");
  }
  return lines;
}

std::string flagged_steps(const std::vector<CaseRow>& rows) {
  std::int64_t steps = 0;
  std::vector<FlaggedSteps> sums;
  for (const CaseRow& row : rows) {
    for (const auto& [launch, estimate] : row.measured) {
      steps += estimate.steps;
      for (const FlaggedSteps& flagged : estimate.flagged) {
        auto found = std::find_if(sums.begin(), sums.end(), [&](const FlaggedSteps& sum) {
          return sum.flag == flagged.flag;
        });
        if (found == sums.end()) found = sums.insert(sums.end(), {flagged.flag, 0});
        found->steps += flagged.steps;
      }
    }
  }
  if (sums.empty()) return {};
  const std::string kinds = join(sums, ", ", [](const FlaggedSteps& sum) {
    return std::string(sum.flag) + ' ' + with_separators(sum.steps);
  });
  return "steps with a flag, all of them part of the numbers: " + kinds + " (of " +
         with_separators(steps) + " steps)";
}

std::string epoch_gaps(const std::vector<CaseRow>& rows) {
  const auto range = [&](std::optional<double> CaseRow::*member) {
    std::vector<double> values;
    for (const CaseRow& row : rows) {
      if (row.*member && *(row.*member) > 0) values.push_back(*(row.*member));
    }
    if (values.empty()) return std::string();
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const std::string least = duration(*low);
    const std::string most = duration(*high);
    return least == most ? least : least + " to " + most;
  };
  const std::string gap = range(&CaseRow::epoch_gap_ns);
  if (gap.empty()) {
    const bool borders = std::any_of(
        rows.begin(), rows.end(), [](const CaseRow& row) { return row.epoch_gap_ns.has_value(); });
    return borders ? "epoch gap: a step at a border waits no longer than others" : "";
  }
  return "epoch gap: " + gap + " at each border, " + range(&CaseRow::epoch_gap_per_step_ns) +
         " spread over the steps; part of `step`";
}

}  // namespace stepbench
