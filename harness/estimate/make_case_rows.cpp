// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/case_rows.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/format.h"
#include "harness/estimate/internal/case_estimate.h"

namespace stepbench::estimate {
namespace {

// The texts are views into the Results.
using RowKey = std::tuple<std::string_view, std::string_view, std::string_view, Pass>;

// True if the runs are shards of one plan, measured on several machines.
bool are_shards(const std::vector<record::RunRow>& runs) {
  return std::all_of(runs.begin(), runs.end(), [&](const record::RunRow& run) {
    return !run.config_hash.empty() && run.config_hash == runs.front().config_hash &&
           text_of(run.context, "shard", "1of1") != "1of1";
  });
}

class Gatherer {
 public:
  explicit Gatherer(const record::Results& results) : results_(results) {
    for (const record::WorkerRow& worker : results.workers)
      workers_.emplace(worker.worker_id, &worker);
  }

  CaseRow& row(const record::LaunchKey& key, std::size_t of_run, int place) {
    const record::RunRow* run = of_run < results_.runs.size() ? &results_.runs[of_run] : nullptr;
    const std::string_view run_id = run == nullptr ? std::string_view() : run->run_id;
    const auto [at, is_new] =
        index_.try_emplace(RowKey(run_id, key.case_id, key.arm, key.pass), rows_.size());
    if (is_new) {
      rows_.push_back({.case_id = key.case_id,
                       .run_id = std::string(run_id),
                       .arm = key.arm,
                       .pass = key.pass,
                       .run = run});
      order_.push_back({of_run, key.pass, place});
    }
    return rows_[at->second];
  }

  void add(const record::Launch& launch) {
    CaseRow& to = row(launch.row.key, launch.run, launch.row.place);
    if (to.options().empty()) to.asked = &launch.row.options;
    if (to.worker == nullptr) to.worker = worker_of(launch.row.worker_id);
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

  void add(const record::StartRow& unfinished) {
    CaseRow& to = row(unfinished.key, unfinished.run, unfinished.place);
    if (to.options().empty()) to.asked = &unfinished.options;
    if (unfinished.running) {
      to.running.push_back(unfinished.key.launch);
    } else {
      ++to.unfinished;
    }
  }

  std::vector<CaseRow> take() {
    std::vector<std::size_t> sorted(rows_.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::ranges::stable_sort(sorted, {}, [this](std::size_t row) { return order_[row]; });
    std::vector<CaseRow> rows;
    rows.reserve(sorted.size());
    for (const std::size_t row : sorted) rows.push_back(std::move(rows_[row]));
    std::vector<CaseRow>().swap(rows_);  // before the estimates take memory
    for (CaseRow& each : rows) estimate_case(each);
    add_scaling(rows);
    return rows;
  }

 private:
  using Order = std::tuple<std::size_t, Pass, int>;  // run, pass, position in the plan

  [[nodiscard]] const record::WorkerRow* worker_of(const std::string& id) const {
    const auto found = workers_.find(id);
    return found == workers_.end() ? nullptr : found->second;
  }

  const record::Results& results_;
  std::map<std::string_view, const record::WorkerRow*> workers_;
  std::vector<CaseRow> rows_;
  std::map<RowKey, std::size_t> index_;
  std::vector<Order> order_;  // of each row
};

std::size_t digits_of(std::vector<std::string_view> ids) {
  constexpr std::size_t kMin = 6;
  constexpr std::size_t kMax = 16;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::size_t digits = kMin;
  // Ids are sorted: the longest common prefix is between neighbours.
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const std::string_view before = ids[i - 1];
    const auto common = std::mismatch(before.begin(), before.end(), ids[i].begin(), ids[i].end());
    digits = std::max(digits, static_cast<std::size_t>(common.first - before.begin()) + 1);
  }
  return std::min(digits, kMax);
}

}  // namespace

std::vector<CaseRow> case_rows(const record::Results& results) {
  Gatherer gatherer(results);
  for (const record::Launch& launch : results.launches) gatherer.add(launch);
  for (const record::StartRow& start : results.unfinished) gatherer.add(start);
  return gatherer.take();
}

bool counts_instructions(const CaseRow& row) {
  const auto counts = [](const record::Launch& launch) {
    return text_of(launch.row.report.effective, "profile.counts") == "valgrind";
  };
  if (row.pass != Pass::kWrapped) return false;
  return std::any_of(row.measured.begin(), row.measured.end(),
                     [&](const auto& measured) { return counts(*measured.launch); }) ||
         std::any_of(row.failed.begin(), row.failed.end(),
                     [&](const record::Launch* launch) { return counts(*launch); });
}

std::vector<CaseRow> take_profiled(std::vector<CaseRow>& rows) {
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> timed_cases;
  for (const CaseRow& row : rows) {
    if (row.pass == Pass::kTiming) timed_cases.insert({row.case_id, row.arm, row.run_id});
  }
  // `timed_cases` holds views into the rows, so test all rows before moving any.
  std::vector<bool> explains;
  explains.reserve(rows.size());
  for (const CaseRow& row : rows) {
    explains.push_back((is_profiling(row.pass) || counts_instructions(row)) &&
                       timed_cases.contains({row.case_id, row.arm, row.run_id}));
  }
  std::vector<CaseRow> timed;
  std::vector<CaseRow> profiled;
  timed.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    (explains[i] ? profiled : timed).push_back(std::move(rows[i]));
  }
  rows = std::move(timed);
  return profiled;
}

bool was_skipped(const CaseRow& row) {
  return !row.skipped.empty() && row.measured.empty() && row.failed.empty() &&
         row.running.empty() && row.unfinished == 0;
}

std::string spread_name(const CaseRow& row) {
  switch (row.spread) {
    case Spread::kOverLaunches:
      return "95 % interval";
    case Spread::kRange:
      return formatted("range (n={})", row.measured.size());
    case Spread::kWithinLaunch:
      return "within one launch";
    case Spread::kNone:
      break;
  }
  return {};
}

std::string reason_of(const record::Launch& launch) {
  if (!launch.row.outcome.reason.empty()) {
    std::string reason = launch.row.outcome.reason;
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    return reason;
  }
  if (launch.row.outcome.kind == Outcome::Kind::kMeasured) return "it holds no steps";
  return "no reason given";
}

std::vector<std::string> varying_options(std::span<const OptionValues* const> cases,
                                         std::span<const std::string> swept) {
  std::vector<std::string> varying;
  // Include options that differ only in cases that were not measured yet.
  for (const std::string& name : swept) {
    const bool any = std::any_of(cases.begin(), cases.end(), [&](const OptionValues* options) {
      const auto found = options->find(name);
      return found != options->end() && !is_null(found->second);
    });
    if (any) varying.push_back(name);
  }
  if (!swept.empty()) return varying;
  struct Seen {
    const Value* first = nullptr;
    bool varies = false;
  };
  std::map<std::string_view, Seen> seen;
  // Lookup by position in the previous case: most cases have the same options in the same order.
  std::vector<std::pair<std::string_view, Seen*>> before;
  for (const OptionValues* options : cases) {
    std::size_t place = 0;
    for (const auto& [name, value] : *options) {
      if (place == before.size()) before.emplace_back();
      auto& [known, one] = before[place++];
      if (one == nullptr || known != name) {
        known = name;
        one = &seen[name];
      }
      if (is_null(value) || one->varies) continue;
      if (one->first == nullptr) one->first = &value;
      one->varies = value != *one->first && to_text(value) != to_text(*one->first);
    }
  }
  for (const auto& [name, one] : seen) {
    if (one.varies) varying.emplace_back(name);
  }
  return varying;
}

std::vector<std::string> varying_options(const std::vector<CaseRow>& rows,
                                         const record::Results& results) {
  std::vector<const OptionValues*> cases;
  for (const CaseRow& row : rows) cases.push_back(&row.options());
  const std::vector<record::RunRow>& runs = results.runs;
  const bool one_plan = std::all_of(runs.begin(), runs.end(), [&](const record::RunRow& run) {
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
  std::vector<std::string_view> ids;
  for (const CaseRow& row : rows) ids.push_back(row.case_id);
  return digits_of(std::move(ids));
}

std::size_t id_digits(const std::set<std::string>& ids) {
  return digits_of({ids.begin(), ids.end()});
}

RowNames::RowNames(const std::vector<CaseRow>& rows, const record::Results& results)
    : varying_(varying_options(rows, results)) {
  std::set<std::string> ids;
  for (const CaseRow& row : rows) ids.insert(row.run_id);
  runs_ = ids.size() > 1 && !are_shards(results.runs);
  if (!runs_) return;
  constexpr std::string_view kStamp = "20260131-120000";
  const auto ending = [&](const std::string& id) {
    return id.substr(std::min(kStamp.size(), id.size()));
  };
  ending_ = ending(*ids.begin());
  const bool same = std::all_of(ids.begin(), ids.end(), [&](const std::string& id) {
    return id.size() > kStamp.size() && ending(id) == ending_;
  });
  if (!same) ending_.clear();
}

std::string RowNames::run(const CaseRow& row) const {
  return row.run_id.substr(0, row.run_id.size() - ending_.size());
}

std::string RowNames::name(const CaseRow& row) const {
  std::string name = case_name(row.options(), row.workload, varying_, row.case_id);
  if (!row.arm.empty()) name += " (arm " + row.arm + ')';
  if (runs_) name += " (run " + run(row) + ')';
  return name;
}

std::string case_subject(const OptionValues& options, const std::string& workload) {
  const auto text_in = [&](std::string_view name) {
    const auto found = options.find(name);
    return found == options.end() || is_null(found->second) ? std::string()
                                                            : to_text(found->second);
  };
  if (std::string benchmark = text_in("benchmark"); !benchmark.empty()) return benchmark;
  const std::string script = text_in("script.path");
  return script.empty() ? workload : script.substr(script.rfind('/') + 1);
}

std::string case_label(const OptionValues& options, const std::vector<std::string>& varying) {
  std::string label;
  for (const std::string& name : varying) {
    const auto found = options.find(name);
    if (found == options.end() || is_null(found->second)) continue;
    label += (label.empty() ? "" : " ") + short_name(name, varying) + '=' + to_text(found->second);
  }
  return label;
}

std::string case_name(const OptionValues& options, const std::string& workload,
                      const std::vector<std::string>& varying, std::string_view case_id) {
  std::string name = case_label(options, varying);
  if (name.empty()) name = case_subject(options, workload);
  return name.empty() && !case_id.empty() ? "case " + std::string(case_id) : name;
}

}  // namespace stepbench::estimate
