// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/case_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "harness/estimate/case_estimate.h"

namespace stepbench {
namespace {

using CaseKey = std::tuple<std::string, std::string, Pass>;

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
    if (auto estimate = estimate_of(launch)) {
      to.measured.push_back({&launch, std::move(*estimate)});
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
    for (CaseRow& each : rows_) estimate_case(each);
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
