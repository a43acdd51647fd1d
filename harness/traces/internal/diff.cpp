// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/compare_traces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "harness/base/format.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/words.h"

namespace stepbench::traces {
namespace {

using enum IntegrityLevel;

struct SideSample {
  double mean = 0;
  double error = 0;  // standard error of the mean, assuming independent steps or traces
  std::size_t n = 0;
};

double error_of_mean(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  return stats::standard_deviation(values) / std::sqrt(double(values.size()));
}

// Returns the mean of each trace; `values` holds the traces' steps one after another.
std::vector<double> means_of_traces(const std::vector<double>& values,
                                    const std::vector<std::size_t>& steps_of) {
  std::vector<double> means;
  auto begin = values.begin();
  for (const std::size_t steps : steps_of) {
    if (steps == 0) continue;
    const auto end = begin + std::ptrdiff_t(steps);
    means.push_back(std::accumulate(begin, end, 0.0) / double(steps));
    begin = end;
  }
  return means;
}

SideSample sample_of(const DiffSide& side, const std::vector<double>& values) {
  SideSample out{.n = values.size()};
  if (values.empty()) return out;
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
  const std::vector<double> traces = means_of_traces(values, side.steps_of);
  out.error = error_of_mean(traces.size() >= kTracesForSpread ? traces : values);
  return out;
}

// Sample of one part of a cost; zeros if the cost is missing.
SideSample sample_of(const DiffSide& side, const NamedCost* cost, std::int64_t StepShare::*part) {
  if (cost == nullptr) return {.n = side.steps.size()};
  std::vector<double> values(side.steps.size());
  for (const auto& [step, share] : cost->steps) values[step] = double(share.*part);
  return sample_of(side, values);
}

bool spread_is_known(const SideSample& a, const SideSample& b) {
  return std::min(a.n, b.n) >= kStepsForSpread;
}

double noise_of(const SideSample& a, const SideSample& b) {
  return kDiffErrors * std::hypot(a.error, b.error);
}

DiffRow row_of(const SideSample& base, const SideSample& next, double base_step_ns) {
  DiffRow row{.base_ns = base.mean, .new_ns = next.mean};
  const double larger_ns = std::max(base.mean, next.mean);
  double limit_ns = kDiffShareOfStep * base_step_ns;
  if (spread_is_known(base, next)) {
    limit_ns = std::max({limit_ns, kDiffShare * larger_ns, noise_of(base, next)});
    row.noise_ns = limit_ns;
  } else {
    limit_ns = std::max(limit_ns, kDiffShareOfFewSteps * larger_ns);
  }
  const double difference_ns = row.difference_ns();
  if (difference_ns != 0 && std::abs(difference_ns) >= limit_ns) {
    row.change = difference_ns > 0 ? DiffChange::kGrew : DiffChange::kShrank;
  }
  return row;
}

// Adds the number of calls to a row that has one.
void count_calls(const SideSample& base, const SideSample& next, DiffRow& row) {
  row.base_count = base.mean;
  row.new_count = next.mean;
  const double difference = next.mean - base.mean;
  const double limit = spread_is_known(base, next) ? noise_of(base, next) : 0;
  const bool counts = std::abs(difference) >= std::max(limit, kDiffCalls);
  if (!counts && !row.changed()) return;
  if (base.mean == 0 && next.mean > 0) {
    row.change = DiffChange::kAppeared;
  } else if (next.mean == 0 && base.mean > 0) {
    row.change = DiffChange::kVanished;
  } else if (!row.changed()) {
    row.change = difference > 0 ? DiffChange::kMoreOften : DiffChange::kLessOften;
  }
}

bool larger_first(const DiffRow& a, const DiffRow& b) {
  if (a.changed() != b.changed()) return a.changed();
  const double a_ns = std::abs(a.difference_ns());
  const double b_ns = std::abs(b.difference_ns());
  if (a_ns != b_ns) return a_ns > b_ns;
  const double a_count = std::abs(a.new_count - a.base_count);
  const double b_count = std::abs(b.new_count - b.base_count);
  return std::tie(b_count, a.name, a.phase) < std::tie(a_count, b.name, b.phase);
}

class Comparison {
 public:
  Comparison(const DiffSide& base, const DiffSide& next) : base_(base), next_(next) {}

  TraceDiff take() {
    out_.base_paths = base_.paths;
    out_.new_paths = next_.paths;
    out_.window = next_.window;
    out_.scope = next_.scope;
    out_.base_steps = std::ssize(base_.steps);
    out_.new_steps = std::ssize(next_.steps);
    add_notes();
    add_parts();
    add_tables();
    add_findings();
    std::ranges::stable_sort(out_.notes, std::greater{}, &DiffNote::level);
    return std::move(out_);
  }

 private:
  void note(IntegrityLevel level, std::string text) {
    out_.notes.push_back({level, std::move(text)});
  }

  void add_notes() {
    for (const auto& [side, name] : {std::pair(&base_, "base"), std::pair(&next_, "new")}) {
      for (const std::string& damage : side->damage) {
        note(kError, std::string(name) + ": " + damage);
      }
      if (side->damage.empty() && side->doubts > 0) {
        note(kWarning,
             std::string(name) +
                 ": this trace has warnings; `stepbench analyze` of this trace alone shows them");
      }
      if (side->only_edges) {
        note(kWarning, std::string(name) +
                           " has only a first and a last step, which often differ from all others");
      }
    }
    for (const auto& [side, name] : {std::pair(&base_, "base"), std::pair(&next_, "new")}) {
      if (side->steps.empty()) note(kError, std::string(name) + " has no step");
    }
    add_settings();
    if (std::min(base_.steps.size(), next_.steps.size()) < kStepsForSpread) {
      note(kWarning,
           "a side has fewer than three steps: the spread of its steps is unknown, and only "
           "changes from 5 % count");
    }
    if (base_.steps.size() != next_.steps.size()) {
      note(kNote, formatted("the sides have different numbers of steps (base {}, new {}): all "
                            "values are means of one step",
                            base_.steps.size(), next_.steps.size()));
    }
  }

  void add_settings() {
    if (base_.window != next_.window) {
      note(kError, formatted("the sides define a step differently: window {} in base, {} in new",
                             name_of(base_.window), name_of(next_.window)));
    }
    if ((base_.scope == IdleScope::kHost) != (next_.scope == IdleScope::kHost)) {
      note(kError,
           formatted("only {} has device rows", base_.scope == IdleScope::kHost ? "new" : "base"));
    } else if (base_.devices != next_.devices && !base_.devices.empty() && !next_.devices.empty()) {
      note(kError, formatted("the devices differ: {} in base, {} in new", text::join(base_.devices),
                             text::join(next_.devices)));
    } else if (base_.devices.empty() != next_.devices.empty()) {
      note(kWarning, formatted("only {} names its device", base_.devices.empty() ? "new" : "base"));
    }
    setting("shapes", base_.with_shapes, next_.with_shapes);
    setting("stacks", base_.with_stack, next_.with_stack);
    setting("memory", base_.with_memory, next_.with_memory);
    if (!(base_.with_stack && next_.with_stack)) {
      setting("Python rows", base_.python_rows, next_.python_rows);
    }
    if (base_.resolution_ns != next_.resolution_ns) {
      note(kWarning,
           "the times of one side are whole microseconds: differences of short rows may be "
           "rounding");
    }
    if (base_.world != next_.world && base_.world && next_.world) {
      note(kError,
           formatted("the jobs differ: {} ranks in base, {} in new", *base_.world, *next_.world));
    } else if (base_.rank != next_.rank && base_.rank && next_.rank) {
      note(kWarning,
           formatted("the ranks differ: {} in base, {} in new", *base_.rank, *next_.rank));
    }
  }

  void setting(const char* what, std::optional<bool> base, std::optional<bool> next) {
    if (base.value_or(false) == next.value_or(false)) return;
    note(kError, formatted("only {} recorded {}, which takes time: record both sides alike",
                           base.value_or(false) ? "base" : "new", what));
  }

  static SideSample of_steps(const DiffSide& side, std::int64_t (*part)(const StepTime&)) {
    std::vector<double> values;
    for (const StepTime& step : side.steps) values.push_back(double(part(step)));
    return sample_of(side, values);
  }

  void add_parts() {
    const auto wall = [](const StepTime& step) { return step.wall_ns; };
    const SideSample base = of_steps(base_, wall);
    step_ns_ = base.mean;
    out_.step = row_of(base, of_steps(next_, wall), step_ns_);
    out_.step.name = "step";
    for (const StepPart& part : step_parts()) {
      DiffRow row = row_of(of_steps(base_, part.of), of_steps(next_, part.of), step_ns_);
      if (row.base_ns == 0 && row.new_ns == 0) continue;
      row.name = std::string(part.name);
      out_.parts.push_back(std::move(row));
    }
  }

  void add_tables() {
    for (std::size_t kind = 0; kind < kCostKinds; ++kind) {
      out_.tables.push_back({.kind = static_cast<CostKind>(kind), .sum = {.name = "sum"}});
    }
    for_each_key(base_.costs, next_.costs,
                 [&](const NamedCost* base, const NamedCost* next) { add_row(base, next); });
    for (DiffTable& table : out_.tables) {
      std::ranges::sort(table.rows, larger_first);
    }
  }

  void add_row(const NamedCost* base, const NamedCost* next) {
    const NamedCost& either = base == nullptr ? *next : *base;
    DiffRow row = row_of(sample_of(base_, base, &StepShare::ns),
                         sample_of(next_, next, &StepShare::ns), step_ns_);
    count_calls(sample_of(base_, base, &StepShare::calls),
                sample_of(next_, next, &StepShare::calls), row);
    row.name = either.name;
    row.phase = either.phase;
    row.base_rate = rate_of(base);
    row.new_rate = rate_of(next);
    DiffTable& table = out_.tables[std::size_t(either.kind)];
    table.sum.base_ns += row.base_ns;
    table.sum.new_ns += row.new_ns;
    table.sum.base_count += row.base_count;
    table.sum.new_count += row.new_count;
    table.rows.push_back(std::move(row));
  }

  static std::optional<double> rate_of(const NamedCost* cost) {
    if (cost == nullptr || cost->work <= 0) return std::nullopt;
    std::int64_t ns = 0;
    for (const auto& [step, share] : cost->steps) ns += share.ns;
    return ns > 0 ? std::optional(cost->work / double(ns)) : std::nullopt;
  }

  static const Finding* find_made(const std::vector<Finding>& findings, const std::string& id) {
    const auto found = std::ranges::find_if(
        findings, [&](const Finding& each) { return each.id == id && each.undecided.empty(); });
    return found == findings.end() ? nullptr : &*found;
  }

  void add_findings() {
    for (const Finding& finding : next_.findings) {
      if (finding.undecided.empty()) add_finding(find_made(base_.findings, finding.id), &finding);
    }
    for (const Finding& finding : base_.findings) {
      if (!finding.undecided.empty()) continue;
      if (find_made(next_.findings, finding.id) == nullptr) add_finding(&finding, nullptr);
    }
  }

  void add_finding(const Finding* base, const Finding* next) {
    const Finding& shown = next == nullptr ? *base : *next;
    DiffFinding out{.id = shown.id,
                    .severity = shown.severity,
                    .text = shown.text,
                    .is_gain = shown.gain_ns.has_value()};
    const auto size_of = [&](const Finding* finding) -> std::optional<double> {
      if (finding == nullptr) return std::nullopt;
      return out.is_gain ? finding->gain_ns : std::optional(finding->value);
    };
    out.base = size_of(base);
    out.next = size_of(next);
    if (base == nullptr || next == nullptr) {
      out.change = base == nullptr ? DiffChange::kAppeared : DiffChange::kVanished;
    } else {
      // Same rule as for step parts of unknown spread.
      const double change = out.next.value_or(0) - out.base.value_or(0);
      const double larger =
          std::max(std::abs(out.next.value_or(0)), std::abs(out.base.value_or(0)));
      const double least_ns = out_.step.noise_ns.value_or(kDiffShareOfStep * step_ns_);
      const bool small = out.is_gain && std::abs(change) < least_ns;
      if (small || std::abs(change) < kDiffShareOfFewSteps * larger || change == 0) return;
      out.change = change > 0 ? DiffChange::kGrew : DiffChange::kShrank;
    }
    out_.findings.push_back(std::move(out));
  }

  const DiffSide& base_;
  const DiffSide& next_;
  double step_ns_ = 0;  // step time of the base
  TraceDiff out_;
};

}  // namespace

bool TraceDiff::comparable() const {
  return std::ranges::none_of(notes, [](const DiffNote& each) { return each.level == kError; });
}

bool TraceDiff::doubtful() const {
  return std::ranges::any_of(notes, [](const DiffNote& each) { return each.level != kNote; });
}

bool TraceDiff::nothing_changed() const {
  const auto changed = [](const DiffRow& row) { return row.changed(); };
  return !step.changed() && std::ranges::none_of(parts, changed) && findings.empty() &&
         std::ranges::none_of(tables, [&](const DiffTable& table) {
           return std::ranges::any_of(table.rows, changed);
         });
}

TraceDiff compare_traces(const DiffSide& base, const DiffSide& next) {
  return Comparison(base, next).take();
}

}  // namespace stepbench::traces
