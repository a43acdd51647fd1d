// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/ranking.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>

#include "harness/text/words.h"

namespace stepbench::estimate {
namespace {

// A loader without workers always has this engine, whichever engine other rows use.
constexpr std::string_view kEngineOption = "loader.engine";
constexpr std::string_view kEngineWithoutWorkers = "inline";
// Options of how a row was measured, which do not define the case.
constexpr std::array<std::string_view, 6> kNotTheCase = {"name",    "launches", "schedule.",
                                                         "limits.", "profile.", "compare."};

// Pairs of rows of a table, in all.
constexpr std::size_t kMostCompared = 100'000'000;

bool has_rate(const CaseRow& row) {
  return row.samples_per_s.value_or(0) > 0 && row.step_ns && !row.latency_ns;
}

bool is_measured(const CaseRow& row, bool by_rate) {
  return row.headline_ns().value_or(0) > 0 && (!by_rate || has_rate(row));
}

Judged judged_of(const CaseRow& a, const CaseRow& b, bool by_rate) {
  if (by_rate) return Judged::kSamplesRate;
  return a.latency_ns && b.latency_ns ? Judged::kLatency : Judged::kStep;
}

bool is_solid(std::string_view option, const Value* value) {
  if (value == nullptr) return false;
  return option != kEngineOption || to_text(*value) != kEngineWithoutWorkers;
}

bool proposes(const std::vector<Finding::Set>& set, std::string_view option) {
  return std::any_of(set.begin(), set.end(),
                     [&](const Finding::Set& each) { return each.option == option; });
}

bool has_all(const CaseRow& row, const std::vector<Finding::Set>& set) {
  return std::all_of(set.begin(), set.end(), [&](const Finding::Set& each) {
    const Value* value = row.option(each.option);
    return value != nullptr && to_text(*value) == each.value;
  });
}

// Parses a number as YAML writes it.
std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

std::string key_of(const CaseRow& row) { return row.case_id + '/' + row.arm; }

bool is_candidate(const CaseRow& row, const CaseRow& of) {
  return &row != &of && row.pass == Pass::kTiming && row.arm == of.arm && !row.smoke;
}

std::optional<double> number_at(const CaseRow& row, std::string_view option) {
  const Value* value = row.option(option);
  return value == nullptr ? std::nullopt : number_of(*value);
}

// Distance of the row from the proposal: 0 if it matches, nullopt if it does not lie in the
// direction from `own` to the proposal.
std::optional<double> distance_to(const CaseRow& row, const CaseRow& own,
                                  const std::vector<Finding::Set>& set) {
  if (has_all(row, set)) return 0.0;
  if (set.size() != 1) return std::nullopt;
  const std::optional<double> from = number_at(own, set.front().option);
  const std::optional<double> to = number_in(set.front().value);
  const std::optional<double> here = number_at(row, set.front().option);
  if (!from || !to || !here) return std::nullopt;
  if ((*here > *from) != (*to > *from) || *here == *from || *to == *from) return std::nullopt;
  return std::abs(*here - *to);
}

// nullopt if either row was not measured yet.
std::optional<ProposalAnswer> compared(const CaseRow& own, const CaseRow& other) {
  const bool by_rate = has_rate(own) && (has_rate(other) || !other.headline_ns());
  if (!is_measured(own, by_rate)) return std::nullopt;
  if (is_measured(other, by_rate)) {
    const Judged by = judged_of(own, other, by_rate);
    const Ratio ratio = *speed_up(other, own, by);
    ProposalAnswer answer{.row = &other,
                          .kind = difference_between(other, own, by),
                          .ratio = ratio.value,
                          .by_rate = by_rate};
    constexpr double kWorthSaying = 0.1;
    if (answer.kind == Difference::kSame && !ratio.interval &&
        std::abs(ratio.value - 1) >= kWorthSaying) {
      answer.few_launches = std::min(own.measured.size(), other.measured.size());
    }
    return answer;
  }
  if (other.failed.empty() && other.skipped.empty()) return std::nullopt;
  return ProposalAnswer{.row = &other, .kind = Difference::kNoNumbers};
}

}  // namespace

Proposals::Proposals(const std::vector<CaseRow>& rows, const record::Results& results)
    : rows_(rows),
      has_runs_(RowNames(rows, results).has_runs()),
      digits_(estimate::id_digits(rows)) {
  std::set<std::string> swept;
  for (const record::RunRow& run : results.runs) swept.insert(run.swept.begin(), run.swept.end());
  swept_.assign(swept.begin(), swept.end());
  varying_ = varying_options(rows, results);
  std::erase_if(varying_, [&](const std::string& name) {
    return !swept.contains(name) &&
           std::any_of(kNotTheCase.begin(), kNotTheCase.end(), [&](std::string_view prefix) {
             return prefix.ends_with('.') ? name.starts_with(prefix) : name == prefix;
           });
  });
  for (const std::string& name : varying_) {
    if (std::all_of(rows.begin(), rows.end(),
                    [&](const CaseRow& row) { return is_solid(name, row.option(name)); })) {
      solid_.push_back(name);
    }
  }
  std::map<std::string, std::vector<const CaseRow*>> measured;
  by_rate_ = true;
  for (const CaseRow& row : rows) {
    if (row.pass != Pass::kTiming) continue;
    timed_.emplace(key_of(row) + '/' + run_of(row), &row);
    if (!row.headline_ns() || row.smoke) continue;
    measured[run_of(row)].push_back(&row);
    by_rate_ = by_rate_ && has_rate(row);
  }
  for (const auto& [run, of_run] : measured) {
    if (of_run.size() < 2) continue;
    for (const CaseRow* row : of_run) {
      if (!is_measured(*row, by_rate_)) continue;
      const CaseRow*& best = best_.try_emplace(run, row).first->second;
      if (speed_up(*row, *best, judged_of(*row, *best, by_rate_))->value > 1) best = row;
    }
  }
}

std::string Proposals::run_of(const CaseRow& row) const { return has_runs_ ? row.run_id : ""; }

const CaseRow& Proposals::timed(const CaseRow& row) const {
  if (row.pass == Pass::kTiming) return row;
  const auto found = timed_.find(key_of(row) + '/' + run_of(row));
  return found == timed_.end() ? row : *found->second;
}

bool Proposals::is_best(const CaseRow& row) const {
  const CaseRow& own = timed(row);
  const auto found = best_.find(run_of(row));
  if (found == best_.end() || !is_measured(own, by_rate_)) return false;
  const CaseRow& best = *found->second;
  const Judged by = judged_of(own, best, by_rate_);
  if (speed_up(own, best, by)->value >= 1) return true;
  const bool can_compare = own.measured.size() > 1 && best.measured.size() > 1;
  return can_compare && difference_between(own, best, by) == Difference::kSame;
}

std::string Proposals::signature(const CaseRow& row, const std::vector<Finding::Set>& set) const {
  std::string text = row.workload + '\n' + row.arm + '\n' + run_of(row);
  for (const std::string& name : solid_) {
    if (!proposes(set, name)) text += '\n' + to_text(*row.option(name));
  }
  return text;
}

const Proposals::Buckets& Proposals::buckets(const std::vector<Finding::Set>& set) const {
  const std::string key = text::join(set, " ", [](const auto& each) { return each.option; });
  const auto [at, is_new] = buckets_.try_emplace(key);
  if (is_new) {
    for (const CaseRow& row : rows_) {
      Bucket& bucket = at->second[signature(row, set)];
      bucket.rows.push_back(&row);
      const Value* value = set.size() == 1 ? row.option(set.front().option) : nullptr;
      if (const auto number = value == nullptr ? std::nullopt : number_in(to_text(*value))) {
        bucket.by_value.emplace(*number, &row);
      }
    }
  }
  return at->second;
}

bool Proposals::equal_but_for(const CaseRow& a, const CaseRow& b,
                              const std::vector<Finding::Set>& set) const {
  return std::all_of(varying_.begin(), varying_.end(), [&](const std::string& name) {
    const Value* left = a.option(name);
    const Value* right = b.option(name);
    return proposes(set, name) || !is_solid(name, left) || !is_solid(name, right) ||
           *left == *right;
  });
}

// Finds the row nearest to the proposal; the fastest among equally near ones. Options that some row
// lacks leave all rows in one bucket: of very many, each row looks only at the first ones.
class Proposals::Search {
 public:
  Search(const Proposals& all, const CaseRow& own, const std::vector<Finding::Set>& set)
      : all_(all), own_(own), set_(set), left_(kMostCompared / (all.rows_.size() + 1) + 1) {}

  void add_candidate(const CaseRow& other) {
    --left_;
    const std::optional<double> distance = distance_to(other, own_, set_);
    if (!distance || is_beyond(*distance) || !is_candidate(other, own_)) return;
    if (!all_.equal_but_for(own_, other, set_)) return;
    std::optional<ProposalAnswer> found = compared(own_, other);
    if (!found || (*distance > 0 && found->kind == Difference::kNoNumbers)) return;
    if (best_ && *distance == distance_ && found->ratio <= best_->ratio) return;
    best_ = found;
    best_->is_exact = *distance == 0;
    distance_ = *distance;
  }
  [[nodiscard]] bool is_beyond(double distance) const {
    return left_ == 0 || (best_ && distance > distance_);
  }
  [[nodiscard]] const std::optional<ProposalAnswer>& best() const { return best_; }

 private:
  const Proposals& all_;
  const CaseRow& own_;
  const std::vector<Finding::Set>& set_;
  std::optional<ProposalAnswer> best_;
  double distance_ = 0;
  std::size_t left_;  // candidates
};

std::optional<ProposalAnswer> Proposals::answer(const CaseRow& row, const Finding& finding) const {
  if (finding.set.empty()) return std::nullopt;
  const CaseRow& own = timed(row);
  const Buckets& all = buckets(finding.set);
  const auto found = all.find(signature(own, finding.set));
  if (found == all.end()) return std::nullopt;
  const Bucket& bucket = found->second;
  Search search(*this, own, finding.set);
  const auto to = finding.set.size() == 1 ? number_in(finding.set.front().value) : std::nullopt;
  if (!to) {
    for (const CaseRow* other : bucket.rows) {
      if (search.is_beyond(0)) break;
      search.add_candidate(*other);
    }
    return search.best();
  }
  // Search outwards from the proposed value until a row is found: a sweep may have many values.
  const auto at = bucket.by_value.lower_bound(*to);
  for (auto above = at; above != bucket.by_value.end(); ++above) {
    if (search.is_beyond(above->first - *to)) break;
    search.add_candidate(*above->second);
  }
  for (auto below = std::make_reverse_iterator(at); below != bucket.by_value.rend(); ++below) {
    if (search.is_beyond(*to - below->first)) break;
    search.add_candidate(*below->second);
  }
  return search.best();
}

}  // namespace stepbench::estimate
