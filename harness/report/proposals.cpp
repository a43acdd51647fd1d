// SPDX-License-Identifier: Apache-2.0
#include "harness/report/proposals.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>

#include "harness/stats/mean_ratio.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// Single launches have no interval: below this a difference is taken for none.
constexpr double kNoise = 0.05;
// Of the interval by which the means of two rows' launches are told apart.
constexpr double kRowConfidence = 0.99;
// Without workers a loader has this engine, whichever the workers of other rows use.
constexpr std::string_view kEngineOption = "loader.engine";
constexpr std::string_view kEngineWithoutWorkers = "inline";
// What a row was measured with, not what it is.
constexpr std::array<std::string_view, 6> kNotTheCase = {"name",    "launches", "schedule.",
                                                         "limits.", "profile.", "compare."};

struct RowSpeed {
  double centre = 0;
  std::vector<double> costs = {};                // of each launch, in the same terms
  std::optional<stats::Interval> interval = {};  // that of the table, over six launches or more
};

bool has_rate(const estimate::CaseRow& row) {
  return row.samples_per_s && row.step_ns && !row.latency_ns;
}

std::optional<RowSpeed> row_speed(const estimate::CaseRow& row, bool by_rate) {
  const std::optional<double> headline_ns = row.headline_ns();
  if (!headline_ns || *headline_ns <= 0 || (by_rate && !has_rate(row))) return std::nullopt;
  const double work = by_rate ? *row.samples_per_s * *row.step_ns : 1;
  RowSpeed speed{.centre = work / *headline_ns};
  for (const auto& [launch, measured] : row.measured) {
    speed.costs.push_back(estimate::headline_ns(measured, row.clock) / work);
  }
  if (row.spread == estimate::Spread::kOverLaunches && row.interval_ns.low > 0) {
    speed.interval = {work / row.interval_ns.high, work / row.interval_ns.low};
  }
  return speed;
}

// By the intervals of the table where there are such, so that what it shows as a tie is one. Else
// by the interval of the means of the launches, which must not contradict their medians: a range of
// a few launches is no interval, two such lie apart by chance in one of three tries.
AnswerKind kind_of(const RowSpeed& base, const RowSpeed& other) {
  const double ratio = other.centre / base.centre;
  if (base.interval && other.interval) {
    if (base.interval->high < other.interval->low) return AnswerKind::kBetter;
    return other.interval->high < base.interval->low ? AnswerKind::kWorse : AnswerKind::kSame;
  }
  if (base.costs.size() < 2 || other.costs.size() < 2) {
    if (std::abs(ratio - 1) < kNoise) return AnswerKind::kSame;
    return ratio > 1 ? AnswerKind::kBetter : AnswerKind::kWorse;
  }
  const stats::Interval apart = stats::mean_ratio(base.costs, other.costs, kRowConfidence).interval;
  if (apart.high < 1 && ratio > 1) return AnswerKind::kBetter;
  if (apart.low > 1 && ratio < 1) return AnswerKind::kWorse;
  return AnswerKind::kSame;
}

const Value* value_of(const estimate::CaseRow& row, std::string_view option) {
  const auto found = row.options().find(option);
  return found == row.options().end() || is_null(found->second) ? nullptr : &found->second;
}

bool is_solid(std::string_view option, const Value* value) {
  if (value == nullptr) return false;
  return option != kEngineOption || to_text(*value) != kEngineWithoutWorkers;
}

bool proposes(const std::vector<Finding::Set>& set, std::string_view option) {
  return std::any_of(set.begin(), set.end(),
                     [&](const Finding::Set& each) { return each.option == option; });
}

bool has_all(const estimate::CaseRow& row, const std::vector<Finding::Set>& set) {
  return std::all_of(set.begin(), set.end(), [&](const Finding::Set& each) {
    const Value* value = value_of(row, each.option);
    return value != nullptr && to_text(*value) == each.value;
  });
}

// A text that is a number, as YAML writes one.
std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

std::string key_of(const estimate::CaseRow& row) { return row.case_id + '/' + row.arm; }

bool is_candidate(const estimate::CaseRow& row, const estimate::CaseRow& of) {
  return &row != &of && row.pass == Pass::kTiming && row.arm == of.arm && !row.smoke;
}

std::optional<double> number_at(const estimate::CaseRow& row, std::string_view option) {
  const Value* value = value_of(row, option);
  return value == nullptr ? std::nullopt : number_of(*value);
}

// How far the row is from what is proposed: 0 where it is that, nothing where it is not on the way
// from `own` to it or beyond.
std::optional<double> distance_to(const estimate::CaseRow& row, const estimate::CaseRow& own,
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

// Nothing where one of them was not measured yet.
std::optional<Answer> compared(const estimate::CaseRow& own, const estimate::CaseRow& other) {
  const bool by_rate = has_rate(own) && (has_rate(other) || !other.headline_ns());
  const std::optional<RowSpeed> base = row_speed(own, by_rate);
  const std::optional<RowSpeed> speed = row_speed(other, by_rate);
  if (!base) return std::nullopt;
  if (speed) {
    return Answer{.row = &other,
                  .kind = kind_of(*base, *speed),
                  .ratio = speed->centre / base->centre,
                  .by_rate = by_rate};
  }
  if (other.failed.empty() && other.skipped.empty()) return std::nullopt;
  return Answer{.row = &other, .kind = AnswerKind::kNoNumbers};
}

std::string ratio_text(double ratio) {
  constexpr double kSmall = 0.1;
  return (ratio < kSmall ? text::significant(ratio, 2) : text::short_number(ratio)) + 'x';
}

}  // namespace

std::string_view name_of(AnswerKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"better", "same", "worse", "no_numbers"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Proposals::Proposals(const std::vector<estimate::CaseRow>& rows, const record::Results& results)
    : rows_(rows),
      has_runs_(estimate::RowNames(rows, results).has_runs()),
      digits_(estimate::id_digits(rows)) {
  std::set<std::string> swept;
  for (const record::RunRow& run : results.runs) swept.insert(run.swept.begin(), run.swept.end());
  swept_.assign(swept.begin(), swept.end());
  varying_ = estimate::varying_options(rows, results);
  std::erase_if(varying_, [&](const std::string& name) {
    return !swept.contains(name) &&
           std::any_of(kNotTheCase.begin(), kNotTheCase.end(), [&](std::string_view prefix) {
             return prefix.ends_with('.') ? name.starts_with(prefix) : name == prefix;
           });
  });
  for (const std::string& name : varying_) {
    if (std::all_of(rows.begin(), rows.end(), [&](const estimate::CaseRow& row) {
          return is_solid(name, value_of(row, name));
        })) {
      solid_.push_back(name);
    }
  }
  std::map<std::string, std::vector<const estimate::CaseRow*>> measured;
  by_rate_ = true;
  for (const estimate::CaseRow& row : rows) {
    if (row.pass != Pass::kTiming) continue;
    timed_.emplace(key_of(row) + '/' + run_of(row), &row);
    if (!row.headline_ns() || row.smoke) continue;
    measured[run_of(row)].push_back(&row);
    by_rate_ = by_rate_ && has_rate(row);
  }
  for (const auto& [run, of_run] : measured) {
    if (of_run.size() < 2) continue;
    double most = 0;
    for (const estimate::CaseRow* row : of_run) {
      const std::optional<RowSpeed> speed = row_speed(*row, by_rate_);
      if (!speed || !(speed->centre > most)) continue;
      most = speed->centre;
      best_[run] = row;
    }
  }
}

std::string Proposals::run_of(const estimate::CaseRow& row) const {
  return has_runs_ ? row.run_id : "";
}

const estimate::CaseRow& Proposals::timed(const estimate::CaseRow& row) const {
  if (row.pass == Pass::kTiming) return row;
  const auto found = timed_.find(key_of(row) + '/' + run_of(row));
  return found == timed_.end() ? row : *found->second;
}

bool Proposals::is_best(const estimate::CaseRow& row) const {
  const std::optional<RowSpeed> speed = row_speed(timed(row), by_rate_);
  const auto best = best_.find(run_of(row));
  if (!speed || best == best_.end()) return false;
  const RowSpeed fastest = *row_speed(*best->second, by_rate_);
  if (speed->centre >= fastest.centre) return true;
  const bool can_tell = speed->costs.size() > 1 && fastest.costs.size() > 1;
  return can_tell && kind_of(*speed, fastest) == AnswerKind::kSame;
}

std::string Proposals::signature(const estimate::CaseRow& row,
                                 const std::vector<Finding::Set>& set) const {
  std::string text = row.workload + '\n' + row.arm + '\n' + run_of(row);
  for (const std::string& name : solid_) {
    if (!proposes(set, name)) text += '\n' + to_text(*value_of(row, name));
  }
  return text;
}

const Proposals::Buckets& Proposals::buckets(const std::vector<Finding::Set>& set) const {
  const std::string key = text::join(set, " ", [](const auto& each) { return each.option; });
  const auto [at, is_new] = buckets_.try_emplace(key);
  if (is_new) {
    for (const estimate::CaseRow& row : rows_) {
      Bucket& bucket = at->second[signature(row, set)];
      bucket.rows.push_back(&row);
      const Value* value = set.size() == 1 ? value_of(row, set.front().option) : nullptr;
      if (const auto number = value == nullptr ? std::nullopt : number_in(to_text(*value))) {
        bucket.by_value.emplace(*number, &row);
      }
    }
  }
  return at->second;
}

bool Proposals::equal_but_for(const estimate::CaseRow& a, const estimate::CaseRow& b,
                              const std::vector<Finding::Set>& set) const {
  return std::all_of(varying_.begin(), varying_.end(), [&](const std::string& name) {
    const Value* left = value_of(a, name);
    const Value* right = value_of(b, name);
    return proposes(set, name) || !is_solid(name, left) || !is_solid(name, right) ||
           *left == *right;
  });
}

// The nearest row to what is proposed, and of several as near the fastest.
class Proposals::Search {
 public:
  Search(const Proposals& all, const estimate::CaseRow& own, const std::vector<Finding::Set>& set)
      : all_(all), own_(own), set_(set) {}

  void look_at(const estimate::CaseRow& other) {
    const std::optional<double> distance = distance_to(other, own_, set_);
    if (!distance || is_beyond(*distance) || !is_candidate(other, own_)) return;
    if (!all_.equal_but_for(own_, other, set_)) return;
    std::optional<Answer> found = compared(own_, other);
    if (!found || (*distance > 0 && found->kind == AnswerKind::kNoNumbers)) return;
    if (best_ && *distance == distance_ && found->ratio <= best_->ratio) return;
    best_ = found;
    best_->is_exact = *distance == 0;
    distance_ = *distance;
  }
  [[nodiscard]] bool is_beyond(double distance) const { return best_ && distance > distance_; }
  [[nodiscard]] const std::optional<Answer>& best() const { return best_; }

 private:
  const Proposals& all_;
  const estimate::CaseRow& own_;
  const std::vector<Finding::Set>& set_;
  std::optional<Answer> best_;
  double distance_ = 0;
};

std::optional<Answer> Proposals::answer(const estimate::CaseRow& row,
                                        const Finding& finding) const {
  if (finding.set.empty()) return std::nullopt;
  const estimate::CaseRow& own = timed(row);
  const Buckets& all = buckets(finding.set);
  const auto found = all.find(signature(own, finding.set));
  if (found == all.end()) return std::nullopt;
  const Bucket& bucket = found->second;
  Search search(*this, own, finding.set);
  const auto to = finding.set.size() == 1 ? number_in(finding.set.front().value) : std::nullopt;
  if (!to) {
    for (const estimate::CaseRow* other : bucket.rows) search.look_at(*other);
    return search.best();
  }
  // Away from the proposed value on both sides, until one is found: a sweep may have many values.
  const auto at = bucket.by_value.lower_bound(*to);
  for (auto above = at; above != bucket.by_value.end(); ++above) {
    if (search.is_beyond(above->first - *to)) break;
    search.look_at(*above->second);
  }
  for (auto below = std::make_reverse_iterator(at); below != bucket.by_value.rend(); ++below) {
    if (search.is_beyond(*to - below->first)) break;
    search.look_at(*below->second);
  }
  return search.best();
}

std::string Proposals::text_of(const Answer& answer, const Finding& finding) const {
  std::vector<std::string> names = varying_;
  for (const Finding::Set& each : finding.set) names.push_back(each.option);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text = text::join(finding.set, " ", [&](const Finding::Set& each) {
    const Value* value = value_of(*answer.row, each.option);
    return estimate::short_name(each.option, names) + '=' +
           (value == nullptr ? each.value : to_text(*value));
  });
  if (answer.kind == AnswerKind::kNoNumbers) {
    if (answer.row->failed.empty()) {
      return text + " was skipped: " + estimate::reason_of(*answer.row->skipped.front());
    }
    return text + " failed: " + estimate::reason_of(*answer.row->failed.front());
  }
  text += " was measured: ";
  text += ratio_text(answer.ratio) + (answer.by_rate ? " the samples/s" : " the speed");
  if (answer.kind == AnswerKind::kSame) {
    text += ", no clear difference";
  } else if (answer.kind == AnswerKind::kBetter) {
    text += ", case " + answer.row->case_id.substr(0, digits_);
  }
  return text;
}

std::string Proposals::arguments(const estimate::CaseRow& row, const Finding& finding) const {
  return text::join(finding.set, " ", [&](const Finding::Set& each) {
    if (std::find(swept_.begin(), swept_.end(), each.option) == swept_.end()) {
      return "--set " + each.option + '=' + each.value;
    }
    const Value* own = value_of(row, each.option);
    return "--sweep " + each.option + '=' + (own == nullptr ? "" : to_text(*own) + ',') +
           each.value;
  });
}

}  // namespace stepbench::report
