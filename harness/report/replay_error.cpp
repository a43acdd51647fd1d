// SPDX-License-Identifier: Apache-2.0
#include "harness/report/replay_error.h"

#include <cmath>
#include <utility>

#include "harness/estimate/busy_machine.h"
#include "harness/estimate/ranking.h"
#include "harness/estimate/replayed.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

using estimate::CaseRow;
using estimate::find_replayed;
using estimate::Replayed;

std::string change(double share) { return text::signed_percent(share) + " %"; }

// A step that waits for data may wait for a CPU meanwhile: there the two do not add up.
constexpr double kMostDataWait = 0.05;
constexpr double kWorthSaying = 0.01;

// The CPU that a loader takes is not played back: on a machine where CPUs are short the step waits
// longer for one beside the loader.
std::string cpu_words(const CaseRow& as_is, const CaseRow& recorded) {
  const auto beside = estimate::window_wait(as_is);
  const auto alone = estimate::window_wait(recorded);
  if (!beside || !alone || std::abs(*beside - *alone) < kWorthSaying) return {};
  if (as_is.data_wait_share.value_or(1) > kMostDataWait ||
      recorded.data_wait_share.value_or(1) > kMostDataWait) {
    return {};
  }
  const double left = *recorded.step_ns * (1 - *alone) / (*as_is.step_ns * (1 - *beside)) - 1;
  return "; its thread waited for a CPU " + text::percent_text(*beside) +
         " of the time beside the loader and " + text::percent_text(*alone) +
         " when replayed, and without that it is " + change(left);
}

std::string error_line(const CaseRow& as_is, const CaseRow& recorded) {
  const double is_ns = *as_is.step_ns;
  std::string text = "replayed arrivals give " + text::duration(*recorded.step_ns) +
                     " where the loader gives " + text::duration(is_ns) + ": " +
                     change(*recorded.step_ns / is_ns - 1);
  if (as_is.spread == estimate::Spread::kOverLaunches &&
      recorded.spread == estimate::Spread::kOverLaunches) {
    text += " (" + change((recorded.interval_ns.low - as_is.interval_ns.high) / is_ns) + " to " +
            change((recorded.interval_ns.high - as_is.interval_ns.low) / is_ns) + ")";
  }
  return text + cpu_words(as_is, recorded);
}

}  // namespace

std::vector<std::string> replay_error_lines(const std::vector<CaseRow>& rows,
                                            const record::Results& results) {
  std::vector<std::pair<const CaseRow*, const CaseRow*>> pairs;
  for (const CaseRow& row : rows) {
    if (estimate::replayed(row) != Replayed::kNot || !estimate::is_timed(row)) continue;
    const CaseRow* recorded = find_replayed(rows, row, Replayed::kRecorded);
    if (recorded != nullptr) pairs.emplace_back(&row, recorded);
  }
  const estimate::RowNames names(rows, results);
  std::vector<std::string> lines;
  for (const auto& [as_is, recorded] : pairs) {
    lines.push_back((pairs.size() > 1 ? names.name(*as_is) + ": " : "") +
                    error_line(*as_is, *recorded));
  }
  return lines;
}

}  // namespace stepbench::report
