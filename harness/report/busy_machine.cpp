// SPDX-License-Identifier: Apache-2.0
#include "harness/report/busy_machine.h"

#include <algorithm>

#include "harness/base/launch_flags.h"
#include "harness/base/value.h"
#include "harness/stats/order.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr double kOthersRan = 0.01;
// From here on a title says it, and findings name it.
constexpr double kWorthATitle = 0.05;
constexpr double kMayExplain = 0.1;

bool had_to_wait(const record::LaunchRow& row) {
  const auto& flags = row.report.flags;
  return std::find(flags.begin(), flags.end(), launch_flag::kWaitedForCpu) != flags.end();
}

std::optional<double> waited(const record::LaunchRow& row) {
  const auto in_windows = number_of(row.machine, "window_run_queue_wait_ns");
  const auto windows = number_of(row.machine, "window_ns");
  if (in_windows && windows && *windows > 0) return *in_windows / *windows;
  const auto in_all = number_of(row.machine, "run_queue_wait_ns");
  if (!in_all || row.wall_ns <= 0) return std::nullopt;
  return *in_all / static_cast<double>(row.wall_ns);
}

// "2.1 to 62.0 %"
std::string range_text(double low, double high) {
  const std::string text = text::percent_text(high);
  return text::percent_text(low) == text ? text : text::percent(low) + " to " + text;
}

// "the machine was busy: the training thread waited 2.1 to 62.0 % of its time for a CPU; ..."
std::string sizes_text(const std::vector<double>& waits, const std::vector<double>& others) {
  const auto range = [](const std::vector<double>& all) {
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    return range_text(*low, *high);
  };
  const bool alone =
      !others.empty() && *std::max_element(others.begin(), others.end()) < kOthersRan;
  std::string text = alone ? "more threads than CPUs: " : "the machine was busy: ";
  text += "the training thread waited " + range(waits) + " of its time for a CPU";
  if (alone) {
    text += ", and nothing else ran";
  } else if (!others.empty()) {
    text += "; other programs used " + range(others) + " of the CPUs";
  }
  return text;
}

}  // namespace

std::optional<BusyMachine> busy_machine(const estimate::CaseRow& row) {
  std::vector<double> waits;
  std::vector<double> others;
  std::size_t flagged = 0;
  for (const estimate::MeasuredLaunch& each : row.measured) {
    if (had_to_wait(each.launch->row)) ++flagged;
    if (const auto share = waited(each.launch->row)) waits.push_back(*share);
    if (const auto share = number_of(each.launch->row.machine, "others_cpu_share")) {
      others.push_back(*share);
    }
  }
  if (waits.empty() || 2 * flagged < row.measured.size()) return std::nullopt;
  BusyMachine busy{.waited = stats::quantile(waits, 0.5)};
  if (!others.empty()) busy.others = stats::quantile(others, 0.5);
  return busy;
}

bool others_may_explain(const estimate::CaseRow& row) {
  const auto busy = busy_machine(row);
  return busy && busy->others.value_or(0) >= kMayExplain &&
         (busy->waited >= kWorthATitle || row.data_wait_share.value_or(0) >= kMayExplain);
}

std::string busy_title(const std::vector<estimate::CaseRow>& rows) {
  std::optional<BusyMachine> busiest;
  for (const estimate::CaseRow& row : rows) {
    const auto busy = busy_machine(row);
    if (busy && (!busiest || busy->waited > busiest->waited)) busiest = busy;
  }
  if (!busiest || busiest->waited < kWorthATitle) return {};
  const std::string wait =
      "waited " + text::percent_text(busiest->waited) + " of its time for a CPU";
  if (busiest->others && *busiest->others < kOthersRan) return "more threads than CPUs: " + wait;
  return "busy machine: " + wait +
         (busiest->others ? ", other programs used " + text::percent_text(*busiest->others) : "");
}

std::string busy_note(const std::vector<estimate::CaseRow>& rows) {
  std::vector<double> waits;
  std::vector<double> others;
  for (const estimate::CaseRow& row : rows) {
    const auto busy = busy_machine(row);
    if (!busy) continue;
    waits.push_back(busy->waited);
    if (busy->others) others.push_back(*busy->others);
  }
  if (waits.empty()) return {};
  std::string text = sizes_text(waits, others);
  if (waits.size() < rows.size()) {
    text += " (" + std::to_string(waits.size()) + " of " + text::counted(std::ssize(rows), "case") +
            ")";
  }
  return text;
}

std::string busy_launches_note(const estimate::CaseRow& row) {
  std::vector<double> waits;
  std::vector<double> others;
  for (const estimate::MeasuredLaunch& each : row.measured) {
    const auto share = waited(each.launch->row);
    if (!share || !had_to_wait(each.launch->row)) continue;
    waits.push_back(*share);
    if (const auto of_others = number_of(each.launch->row.machine, "others_cpu_share")) {
      others.push_back(*of_others);
    }
  }
  if (waits.empty()) return {};
  return sizes_text(waits, others) + " (in " + std::to_string(waits.size()) + " of " +
         text::counted(std::ssize(row.measured), "launch") + ")";
}

}  // namespace stepbench::report
