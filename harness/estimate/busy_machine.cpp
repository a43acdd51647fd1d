// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/busy_machine.h"

#include "harness/record/quality.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::estimate {
namespace {

using record::Fact;
using record::FactLevel;
using record::Quality;

bool is_from(Fact fact, double value, FactLevel level) {
  return record::row_of(fact).level(value) >= level;
}

}  // namespace

bool BusyMachine::only_own_threads() const {
  return others && !is_from(Fact::kOthers, *others, FactLevel::kSeen);
}

std::optional<BusyMachine> busy_machine(const CaseRow& row) {
  std::vector<double> waits;
  std::vector<double> others;
  std::size_t reported = 0;
  for (const MeasuredLaunch& each : row.measured) {
    const Quality quality(each.launch->row);
    if (quality.reported(Fact::kWaited)) ++reported;
    if (const auto share = quality.value(Fact::kWaited)) waits.push_back(*share);
    if (const auto share = quality.value(Fact::kOthers)) others.push_back(*share);
  }
  if (waits.empty() || 2 * reported < row.measured.size()) return std::nullopt;
  BusyMachine busy{.waited = stats::quantile(waits, 0.5)};
  if (!others.empty()) busy.others = stats::quantile(others, 0.5);
  return busy;
}

bool others_may_explain(const CaseRow& row) {
  constexpr double kMuchWaitForData = 0.1;
  const auto busy = busy_machine(row);
  return busy && busy->others && is_from(Fact::kOthers, *busy->others, FactLevel::kDoubtful) &&
         (is_from(Fact::kWaited, busy->waited, FactLevel::kDoubtful) ||
          row.data_wait_share.value_or(0) >= kMuchWaitForData);
}

std::vector<BusyMachine> busy_launches(const CaseRow& row) {
  std::vector<BusyMachine> busy;
  for (const MeasuredLaunch& each : row.measured) {
    const Quality quality(each.launch->row);
    const auto share = quality.value(Fact::kWaited);
    if (share && quality.reported(Fact::kWaited))
      busy.push_back({*share, quality.value(Fact::kOthers)});
  }
  return busy;
}

std::optional<BusyMachine> busiest(std::span<const CaseRow> rows) {
  std::optional<BusyMachine> most;
  for (const CaseRow& row : rows) {
    const auto busy = busy_machine(row);
    if (busy && (!most || busy->waited > most->waited)) most = busy;
  }
  return most && is_from(Fact::kWaited, most->waited, FactLevel::kDoubtful) ? most : std::nullopt;
}

}  // namespace stepbench::estimate
