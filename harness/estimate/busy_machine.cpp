// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/busy_machine.h"

#include <algorithm>

#include "harness/base/launch_flags.h"
#include "harness/base/value.h"
#include "harness/stats/order.h"

namespace stepbench::estimate {
namespace {

constexpr double kOthersRan = 0.01;
// From here on a title says it, and findings name it.
constexpr double kWorthATitle = 0.05;
constexpr double kMayExplain = 0.1;

bool had_to_wait(const record::LaunchRow& row) {
  const auto& flags = row.report.flags;
  return std::find(flags.begin(), flags.end(), launch_flag::kWaitedForCpu) != flags.end();
}

std::optional<double> waited_in_windows(const record::LaunchRow& row) {
  const auto in_windows = number_of(row.machine, "window_run_queue_wait_ns");
  const auto windows = number_of(row.machine, "window_ns");
  if (!in_windows || !windows || *windows <= 0) return std::nullopt;
  return *in_windows / *windows;
}

std::optional<double> waited(const record::LaunchRow& row) {
  if (const auto share = waited_in_windows(row)) return share;
  const auto in_all = number_of(row.machine, "run_queue_wait_ns");
  if (!in_all || row.wall_ns <= 0) return std::nullopt;
  return *in_all / static_cast<double>(row.wall_ns);
}

std::optional<double> others_of(const record::LaunchRow& row) {
  return number_of(row.machine, "others_cpu_share");
}

}  // namespace

bool BusyMachine::alone() const { return others && *others < kOthersRan; }

std::optional<BusyMachine> busy_machine(const CaseRow& row) {
  std::vector<double> waits;
  std::vector<double> others;
  std::size_t flagged = 0;
  for (const MeasuredLaunch& each : row.measured) {
    if (had_to_wait(each.launch->row)) ++flagged;
    if (const auto share = waited(each.launch->row)) waits.push_back(*share);
    if (const auto share = others_of(each.launch->row)) {
      others.push_back(*share);
    }
  }
  if (waits.empty() || 2 * flagged < row.measured.size()) return std::nullopt;
  BusyMachine busy{.waited = stats::quantile(waits, 0.5)};
  if (!others.empty()) busy.others = stats::quantile(others, 0.5);
  return busy;
}

bool others_may_explain(const CaseRow& row) {
  const auto busy = busy_machine(row);
  return busy && busy->others.value_or(0) >= kMayExplain &&
         (busy->waited >= kWorthATitle || row.data_wait_share.value_or(0) >= kMayExplain);
}

std::vector<BusyMachine> busy_launches(const CaseRow& row) {
  std::vector<BusyMachine> busy;
  for (const MeasuredLaunch& each : row.measured) {
    const auto share = waited(each.launch->row);
    if (share && had_to_wait(each.launch->row))
      busy.push_back({*share, others_of(each.launch->row)});
  }
  return busy;
}

std::optional<BusyMachine> busiest(std::span<const CaseRow> rows) {
  std::optional<BusyMachine> most;
  for (const CaseRow& row : rows) {
    const auto busy = busy_machine(row);
    if (busy && (!most || busy->waited > most->waited)) most = busy;
  }
  return most && most->waited >= kWorthATitle ? most : std::nullopt;
}

}  // namespace stepbench::estimate
