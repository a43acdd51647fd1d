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

using RowKey = std::tuple<std::string, std::string, Pass>;

class Gatherer {
 public:
  CaseRow& row(const LaunchKey& key) {
    const auto [at, is_new] =
        index_.try_emplace(RowKey(key.case_id, key.arm, key.pass), rows_.size());
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
  std::map<RowKey, std::size_t> index_;
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
    (is_profiling(row.pass) && timed_beside(row) ? profiled : timed).push_back(row);
  }
  rows = std::move(timed);
  return profiled;
}

Results only_case(const Results& results, const CaseRow& row) {
  const auto is_of = [&](const LaunchKey& key) {
    return RowKey(key.case_id, key.arm, key.pass) == RowKey(row.case_id, row.arm, row.pass);
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

std::string reason_of(const Launch& launch) {
  if (!launch.row.outcome.reason.empty()) {
    std::string reason = launch.row.outcome.reason;
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    return reason;
  }
  if (launch.row.outcome.kind == Outcome::Kind::kMeasured) return "it holds no steps";
  return "no reason given";
}

std::vector<std::string> varying_options(std::span<const Fields* const> cases,
                                         std::span<const std::string> swept) {
  std::map<std::string, std::set<std::string>> seen;
  for (const Fields* options : cases) {
    for (const auto& [name, value] : *options) {
      if (!is_null(value)) seen[name].insert(to_text(value));
    }
  }
  std::vector<std::string> varying;
  // Also those that differ only in what was not measured yet.
  for (const std::string& name : swept) {
    if (seen.contains(name)) varying.push_back(name);
  }
  if (!swept.empty()) return varying;
  for (const auto& [name, values] : seen) {
    if (values.size() > 1) varying.push_back(name);
  }
  return varying;
}

std::vector<std::string> varying_options(const std::vector<CaseRow>& rows, const Results& results) {
  std::vector<const Fields*> cases;
  for (const CaseRow& row : rows) cases.push_back(&row.options);
  const std::vector<RunRow>& runs = results.runs;
  const bool one_plan = std::all_of(runs.begin(), runs.end(), [&](const RunRow& run) {
    return run.plan_digest == runs.front().plan_digest;
  });
  if (!one_plan || runs.empty()) return varying_options(cases, {});
  return varying_options(cases, runs.front().swept);
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
  return id_digits(ids);
}

std::size_t id_digits(const std::set<std::string>& ids) {
  std::size_t digits = 6;
  for (; digits < 16; ++digits) {
    std::set<std::string> prefixes;
    for (const std::string& id : ids) prefixes.insert(id.substr(0, digits));
    if (prefixes.size() == ids.size()) break;
  }
  return digits;
}

std::string case_label(const Fields& options, const std::vector<std::string>& varying,
                       const std::string& case_id) {
  std::string label;
  for (const std::string& name : varying) {
    const auto found = options.find(name);
    if (found == options.end() || is_null(found->second)) continue;
    label += (label.empty() ? "" : " ") + short_name(name, varying) + '=' + to_text(found->second);
  }
  return label.empty() && !case_id.empty() ? "case " + case_id : label;
}

}  // namespace stepbench
