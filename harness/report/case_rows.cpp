// SPDX-License-Identifier: Apache-2.0
#include "harness/report/case_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "harness/number.h"
#include "harness/report/number_text.h"
#include "harness/stats/order.h"

namespace stepbench {
namespace {

using CaseKey = std::tuple<std::string, std::string, Pass>;

template <typename Get>
std::optional<double> median_over(const std::vector<MeasuredLaunch>& launches, Get get) {
  std::vector<double> values;
  for (const MeasuredLaunch& each : launches) {
    if (const std::optional<double> value = get(each.summary)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return median(values);
}

std::optional<Interval> within_launch(const MeasuredLaunch& only) {
  const Fields& schedule = only.launch->row.report.schedule;
  const auto low = number_of(schedule, "within_launch_low_ns");
  const auto high = number_of(schedule, "within_launch_high_ns");
  if (!low || !high) return std::nullopt;
  return Interval{*low, *high};
}

void add_spread(CaseRow& row, const std::vector<double>& medians) {
  constexpr double kConfidence = 0.95;
  if (const auto interval = median_interval(medians, kConfidence)) {
    row.spread = Spread::kOverLaunches;
    row.interval_ns = *interval;
  } else if (medians.size() > 1) {
    const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
    row.spread = Spread::kRange;
    row.interval_ns = {*low, *high};
  } else if (const auto within = within_launch(row.measured.front())) {
    row.spread = Spread::kWithinLaunch;
    row.interval_ns = *within;
  }
}

void estimate(CaseRow& row) {
  if (row.measured.empty()) return;
  std::vector<double> medians;
  for (const MeasuredLaunch& each : row.measured) medians.push_back(each.summary.step_median_ns);
  row.step_ns = median(medians);
  add_spread(row, medians);
  using Summary = LaunchSummary;
  const auto has_data_wait = [](const Summary& summary) {
    return std::any_of(summary.phases.begin(), summary.phases.end(),
                       [](const PhaseSummary& phase) { return phase.name == "data_wait"; });
  };
  row.data_wait_share = median_over(row.measured, [&](const Summary& s) {
    return has_data_wait(s) ? std::optional(s.data_wait_share) : std::nullopt;
  });
  row.p90_ns =
      median_over(row.measured, [](const Summary& s) { return std::optional(s.step_p90_ns); });
  row.p99_ns =
      median_over(row.measured, [](const Summary& s) { return std::optional(s.step_p99_ns); });
  row.achieved_flops_per_s =
      median_over(row.measured, [](const Summary& s) { return s.achieved_flops_per_s; });
  row.mfu = median_over(row.measured, [](const Summary& s) { return s.mfu; });
  row.device_step_ns = median_over(row.measured, [](const Summary& s) { return s.device_step_ns; });
  row.samples_per_s = median_over(row.measured, [](const Summary& s) { return s.samples_per_s; });
  row.tokens_per_s = median_over(row.measured, [](const Summary& s) { return s.tokens_per_s; });
  row.epoch_gap_ns = median_over(row.measured, [](const Summary& s) { return s.epoch_gap_ns; });
}

class Gatherer {
 public:
  CaseRow& row(const LaunchKey& key) {
    const auto [at, is_new] =
        index_.try_emplace(CaseKey(key.case_id, key.arm, key.pass), rows_.size());
    if (is_new)
      rows_.push_back({.case_id = key.case_id, .arm = key.arm, .pass = key.pass, .workload = {}});
    return rows_[at->second];
  }

  void add(const Launch& launch) {
    CaseRow& to = row(launch.row.key);
    if (to.options.empty()) to.options = launch.row.options;
    to.workload = launch.row.workload;
    to.smoke = to.smoke || launch.row.smoke;
    switch (launch.row.outcome.kind) {
      case Outcome::Kind::kSkipped:
        to.skipped.push_back(&launch);
        return;
      case Outcome::Kind::kFailed:
        to.failed.push_back(&launch);
        return;
      case Outcome::Kind::kMeasured:
        break;
    }
    if (launch.row.key.rank != 0) return;
    if (auto summary = summarise(launch)) {
      to.measured.push_back({&launch, std::move(*summary)});
    } else {
      to.failed.push_back(&launch);
    }
  }

  void add(const StartRow& unfinished) {
    CaseRow& to = row(unfinished.key);
    if (to.options.empty()) to.options = unfinished.options;
    ++to.unfinished;
  }

  std::vector<CaseRow> take() {
    for (CaseRow& each : rows_) estimate(each);
    return std::move(rows_);
  }

 private:
  std::vector<CaseRow> rows_;
  std::map<CaseKey, std::size_t> index_;
};

}  // namespace

std::vector<CaseRow> case_rows(const Results& results) {
  Gatherer gatherer;
  for (const Launch& launch : results.launches) gatherer.add(launch);
  for (const StartRow& start : results.unfinished) gatherer.add(start);
  return gatherer.take();
}

std::vector<CaseRow> take_profiled(std::vector<CaseRow>& rows) {
  const auto timed_beside = [&](const CaseRow& row) {
    return std::any_of(rows.begin(), rows.end(), [&](const CaseRow& other) {
      return other.pass == Pass::kTiming && other.case_id == row.case_id && other.arm == row.arm;
    });
  };
  std::vector<CaseRow> timed;
  std::vector<CaseRow> profiled;
  for (const CaseRow& row : rows) {
    const bool profiling = row.pass == Pass::kNative || row.pass == Pass::kKineto;
    (profiling && timed_beside(row) ? profiled : timed).push_back(row);
  }
  rows = std::move(timed);
  return profiled;
}

Results only_case(const Results& results, const CaseRow& row) {
  const auto is_of = [&](const LaunchKey& key) {
    return CaseKey(key.case_id, key.arm, key.pass) == CaseKey(row.case_id, row.arm, row.pass);
  };
  Results only = results;
  std::erase_if(only.launches, [&](const Launch& launch) { return !is_of(launch.row.key); });
  std::erase_if(only.unfinished, [&](const StartRow& start) { return !is_of(start.key); });
  return only;
}

std::string spread_name(const CaseRow& row) {
  switch (row.spread) {
    case Spread::kOverLaunches:
      return "95 % interval";
    case Spread::kRange:
      return "range (n=" + std::to_string(row.measured.size()) + ')';
    case Spread::kWithinLaunch:
      return "within one launch";
    case Spread::kNone:
      break;
  }
  return {};
}

std::vector<std::string> varying_options(const std::vector<CaseRow>& rows, const Results& results) {
  std::map<std::string, std::set<std::string>> seen;
  for (const CaseRow& row : rows) {
    for (const auto& [name, value] : row.options) {
      if (!is_null(value)) seen[name].insert(to_text(value));
    }
  }
  const bool one_plan = std::all_of(
      results.runs.begin(), results.runs.end(),
      [&](const RunRow& run) { return run.plan_digest == results.runs.front().plan_digest; });
  std::vector<std::string> varying;
  if (one_plan && !results.runs.empty() && !results.runs.front().swept.empty()) {
    // Also those that differ only in what was not measured yet.
    for (const std::string& name : results.runs.front().swept) {
      if (seen.contains(name)) varying.push_back(name);
    }
    return varying;
  }
  for (const auto& [name, values] : seen) {
    if (values.size() > 1) varying.push_back(name);
  }
  return varying;
}

std::string short_name(const std::string& name, const std::vector<std::string>& names) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return name;
  const std::string last = name.substr(dot + 1);
  const auto alike = std::count_if(names.begin(), names.end(), [&](const std::string& other) {
    return other == last || other.ends_with('.' + last);
  });
  return alike > 1 ? name : last;
}

std::size_t id_digits(const std::vector<CaseRow>& rows) {
  std::set<std::string> ids;
  for (const CaseRow& row : rows) ids.insert(row.case_id);
  std::size_t digits = 6;
  for (; digits < 16; ++digits) {
    std::set<std::string> prefixes;
    for (const std::string& id : ids) prefixes.insert(id.substr(0, digits));
    if (prefixes.size() == ids.size()) break;
  }
  return digits;
}

std::string case_label(const CaseRow& row, const std::vector<std::string>& varying) {
  std::string label;
  for (const std::string& name : varying) {
    const auto found = row.options.find(name);
    if (found == row.options.end() || is_null(found->second)) continue;
    label += (label.empty() ? "" : " ") + short_name(name, varying) + '=' + to_text(found->second);
  }
  return label.empty() ? "case " + row.case_id : label;
}

}  // namespace stepbench
