// SPDX-License-Identifier: Apache-2.0
#include "harness/report/estimate_notes.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/estimate/queue_level.h"
#include "harness/estimate/rare_slow_steps.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr double kMargin = 0.01;      // between mean and median over launches
constexpr double kHostBehind = 0.02;  // of the step: by so much the host was faster than the device

using Lines = std::vector<std::string>;

void add_clock(const estimate::CaseRow& row, Lines& lines) {
  const auto timed = std::count_if(row.measured.begin(), row.measured.end(), [](const auto& each) {
    return each.estimate.device_ns.has_value();
  });
  if (row.clock == estimate::StepClock::kDrained && timed > 0) {
    lines.emplace_back(
        "some launches have no device times: theirs are by the host's clock, from idle device to "
        "idle device");
  } else if (row.clock == estimate::StepClock::kDrained) {
    lines.emplace_back(
        "no device times: `step` is by the host's clock, until the device had done the window's "
        "work");
  }
  if (row.clock != estimate::StepClock::kDevice ||
      !(*row.step_host_ns < *row.step_ns * (1 - kHostBehind))) {
    return;
  }
  std::string text = "the host ran ahead of the device";
  if (row.host_lead_ns)
    text += " by " + text::significant(*row.host_lead_ns / *row.step_ns, 2) + " steps";
  lines.push_back(text + ": its phases are the cost of launching the work");
}

void add_rare_slow_steps(const estimate::CaseRow& row, Lines& lines) {
  const auto rare = estimate::rare_slow_steps(row, kMargin);
  if (!rare) return;
  lines.push_back("rare slow steps: " + text::with_separators(rare->slow) + " of " +
                  text::with_separators(rare->steps) +
                  " are longer than any of a usual launch; with them a step takes " +
                  text::percent(rare->difference) +
                  " % more; active: " + std::to_string(rare->active) + " would hold about ten");
}

void add_file_version(const estimate::CaseRow& row, Lines& lines) {
  const auto any = [&](bool estimate::LaunchEstimate::*member) {
    return std::any_of(row.measured.begin(), row.measured.end(),
                       [&](const estimate::MeasuredLaunch& each) { return each.estimate.*member; });
  };
  if (any(&estimate::LaunchEstimate::uneven)) {
    lines.emplace_back(
        "uneven: from a file before version 1.3, without whole epochs in its windows; steps and "
        "rates depend on where a window lies");
  }
  if (any(&estimate::LaunchEstimate::no_rates)) {
    lines.emplace_back("no rates: unknown when the device finished the window's work");
  }
}

void add_queue_level(const estimate::CaseRow& row, Lines& lines) {
  const auto level = estimate::uneven_queue(row);
  if (!level) return;
  const std::int64_t batches = std::llround(std::abs(level->gained));
  lines.push_back("the loader's queue was not level: " +
                  text::counted(batches, level->gained < 0 ? "fewer batch" : "more batch") +
                  " were ready at the window's end than at its start; steady state takes " +
                  text::duration(level->low_ns) + " to " + text::duration(level->high_ns) +
                  " a step; " + text::counted(level->more_warmup, "more warm-up step") +
                  (level->more_warmup == 1 ? " evens" : " even") + " it out");
}

}  // namespace

std::vector<std::string> estimate_notes(const estimate::CaseRow& row) {
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

std::string flagged_steps(const std::vector<estimate::CaseRow>& rows) {
  std::int64_t steps = 0;
  std::vector<estimate::FlaggedSteps> sums;
  for (const estimate::CaseRow& row : rows) {
    for (const auto& [launch, estimate] : row.measured) {
      steps += estimate.steps;
      for (const estimate::FlaggedSteps& flagged : estimate.flagged) {
        auto found = std::find_if(sums.begin(), sums.end(), [&](const estimate::FlaggedSteps& sum) {
          return sum.flag == flagged.flag;
        });
        if (found == sums.end()) found = sums.insert(sums.end(), {flagged.flag, 0});
        found->steps += flagged.steps;
      }
    }
  }
  if (sums.empty()) return {};
  const std::string kinds = text::join(sums, ", ", [](const estimate::FlaggedSteps& sum) {
    return std::string(sum.flag) + ' ' + text::with_separators(sum.steps);
  });
  return "steps with a flag, all of them part of the numbers: " + kinds + " (of " +
         text::with_separators(steps) + " steps)";
}

std::string epoch_gaps(const std::vector<estimate::CaseRow>& rows) {
  const auto range = [&](std::optional<double> estimate::CaseRow::*member) {
    std::vector<double> values;
    for (const estimate::CaseRow& row : rows) {
      if (row.*member && *(row.*member) > 0) values.push_back(*(row.*member));
    }
    if (values.empty()) return std::string();
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const std::string least = text::duration(*low);
    const std::string most = text::duration(*high);
    return least == most ? least : least + " to " + most;
  };
  const std::string gap = range(&estimate::CaseRow::epoch_gap_ns);
  if (gap.empty()) {
    const bool borders = std::any_of(rows.begin(), rows.end(), [](const estimate::CaseRow& row) {
      return row.epoch_gap_ns.has_value();
    });
    return borders ? "epoch gap: steps at epoch borders wait no longer than others" : "";
  }
  return "epoch gap: " + gap + " at each border, " +
         range(&estimate::CaseRow::epoch_gap_per_step_ns) +
         " spread over the steps; part of `step`";
}

std::string scaled_threads(const std::vector<estimate::CaseRow>& rows) {
  std::set<std::int64_t> of_single;
  std::set<std::int64_t> of_ranks;
  for (const estimate::CaseRow& row : rows) {
    if (!row.scaling_efficiency) continue;
    for (const estimate::MeasuredLaunch& each : row.measured) {
      const auto threads = number_of(each.launch->row.report.effective, "threads.intra_op");
      if (!threads) continue;
      (each.launch->row.world > 1 ? of_ranks : of_single)
          .insert(static_cast<std::int64_t>(*threads));
    }
  }
  if (of_single.empty() || of_ranks.empty() || of_single == of_ranks) return {};
  const auto words = [](const std::set<std::int64_t>& counts) {
    return text::join(counts, " or ", [](std::int64_t count) { return std::to_string(count); });
  };
  return "scaling: one rank computed with " + words(of_single) + " threads, each of several with " +
         words(of_ranks) + ": set threads.intra_op to use the same number for all";
}

}  // namespace stepbench::report
