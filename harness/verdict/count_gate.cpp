// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/ops/op_table.h"
#include "harness/stats/order_statistics.h"
#include "harness/verdict/internal/cause.h"

namespace stepbench::verdict {
namespace {

constexpr std::string_view kOpCalls = "op_calls";
constexpr std::string_view kCpuBytes = "cpu_allocated_bytes";
constexpr std::string_view kCpuAllocations = "cpu_allocations";
constexpr std::string_view kInstructions = "instructions_per_step";
// Instruction counts repeat within this: addresses and system time vary.
constexpr double kInstructionMargin = 0.001;
constexpr std::size_t kMinCountedLaunches = 2;  // per side: a single launch cannot show variation
// These metrics describe the model, not the work of a step.
constexpr std::string_view kOfModel = "model_";

// Values by name, one per launch that has the count.
using CountsOfSide = std::map<std::string, std::vector<double>, std::less<>>;

// Adds counts per step from the recorded operations. Adds nothing if records were lost.
void add_op_counts(const record::Launch& launch, CountsOfSide& counts) {
  if (launch.ops.empty()) return;
  const ops::OpTable table = ops::op_table_of(launch.ops);
  std::set<std::int64_t> steps;
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  std::int64_t allocations = 0;
  for (const ops::OpRow& row : table.rows) {
    if (row.step < 0) continue;
    steps.insert(row.step);
    if (row.kind != ops::OpKind::kOp) continue;
    calls += row.calls;
    bytes += row.own_cpu_allocated_bytes;
    allocations += row.own_cpu_allocations;
  }
  if (steps.empty() || table.dropped > 0) return;
  const auto per_step = [&](std::int64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(steps.size());
  };
  counts[std::string(kOpCalls)].push_back(per_step(calls));
  if (bytes > 0) counts[std::string(kCpuBytes)].push_back(per_step(bytes));
  if (allocations > 0) counts[std::string(kCpuAllocations)].push_back(per_step(allocations));
}

CountsOfSide counts_of(const CountedLaunches& side, const std::vector<Metric>& columns) {
  CountsOfSide counts;
  for (const Metric& metric : columns) {
    if (!metric.exact || metric.name.starts_with(kOfModel)) continue;
    // Prefer values reported by timed launches over those of profiled ones.
    for (const auto* launches : {&side.timed, &side.profiled}) {
      if (counts.contains(metric.name)) break;
      for (const record::Launch* launch : *launches) {
        const auto found = launch->row.report.metrics.find(metric.name);
        if (found == launch->row.report.metrics.end() || !found->second) continue;
        counts[metric.name].push_back(*found->second);
      }
    }
  }
  for (const record::Launch* launch : side.profiled) add_op_counts(*launch, counts);
  return counts;
}

struct InstructionCounts {
  std::string engine = {};  // effective value of profile.counts; empty if nothing counted
  std::vector<double> values = {};
};

InstructionCounts instructions_of(const CountedLaunches& side) {
  InstructionCounts counts;
  for (const auto* launches : {&side.counted, &side.timed}) {
    for (const record::Launch* launch : *launches) {
      const record::LaunchReport& report = launch->row.report;
      const auto found = report.metrics.find(kInstructions);
      if (found == report.metrics.end() || !found->second) continue;
      counts.engine = text_of(report.effective, "profile.counts");
      counts.values.push_back(*found->second);
    }
    if (!counts.values.empty()) break;
  }
  return counts;
}

std::string count_text(double value) { return stepbench::to_text(Value{value}); }

std::string range_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low == *high ? count_text(*low) : count_text(*low) + " to " + count_text(*high);
}

MetricResult count_result(const std::string& name, const std::vector<Metric>& columns,
                          double margin) {
  MetricResult result{.name = name, .metric = name, .unit = {}, .margin = margin, .timed = false};
  if (name == kCpuBytes) result.unit = "bytes";
  for (const Metric& metric : columns) {
    if (metric.name == name) result.unit = metric.unit;
  }
  return result;
}

Direction direction_of(const std::string& name, const std::vector<Metric>& columns) {
  for (const Metric& metric : columns) {
    if (metric.name == name && metric.direction == Direction::kHigherIsBetter) {
      return Direction::kHigherIsBetter;
    }
  }
  return Direction::kLowerIsBetter;
}

// Turns changes within the margin into kOk.
void apply_margin(double margin, TestResult& test) {
  if (!test.change || !(std::abs(*test.change) <= margin) || *test.change == 0) return;
  test.verdict = Verdict::kOk;
  test.reason = TestReason::kBelowMargin;
}

MetricResult no_counts() {
  MetricResult result{.name = "counts", .metric = "counts", .unit = {}, .timed = false};
  result.test.verdict = Verdict::kNoData;
  result.test.base_median = std::numeric_limits<double>::quiet_NaN();
  result.test.candidate_median = result.test.base_median;
  return result;
}

class CaseCounts {
 public:
  CaseCounts(const CountGateInput& input, const CountedLaunches& base,
             const CountedLaunches& candidate)
      : input_(input),
        base_(counts_of(base, input.columns)),
        candidate_(counts_of(candidate, input.columns)),
        base_instructions_(instructions_of(base)),
        candidate_instructions_(instructions_of(candidate)) {}

  void judge_into(CaseResult& one) {
    for (MetricResult& metric : one.metrics) metric.decides = false;
    const bool base_has = !base_.empty() || !base_instructions_.values.empty();
    const bool candidate_has = !candidate_.empty() || !candidate_instructions_.values.empty();
    if (!base_has || !candidate_has) {
      const bool neither = !base_has && !candidate_has;
      one.notes.push_back(
          formatted("no counts in {}: measure with --profile, as in `stepbench run FILE --profile`",
                    neither     ? "either side"
                    : !base_has ? input_.base
                                : input_.candidate));
      one.metrics.push_back(no_counts());
      return;
    }
    for (const auto& [name, values] : base_) {
      const auto other = candidate_.find(name);
      if (other == candidate_.end()) {
        one.notes.push_back(formatted("{} was counted in {} alone", name, input_.base));
      } else {
        judge_count(name, values, other->second, one);
      }
    }
    for (const auto& [name, values] : candidate_) {
      if (!base_.contains(name)) {
        one.notes.push_back(formatted("{} was counted in {} alone", name, input_.candidate));
      }
    }
    judge_instructions(one);
    // The sides have no count in common.
    if (std::none_of(one.metrics.begin(), one.metrics.end(),
                     [](const MetricResult& metric) { return metric.decides; }) &&
        (base_.empty() || candidate_.empty())) {
      one.metrics.push_back(no_counts());
    }
  }

 private:
  void judge_count(const std::string& name, const std::vector<double>& base,
                   const std::vector<double>& candidate, CaseResult& one) {
    if (!constant(base) || !constant(candidate)) {
      one.notes.push_back(varies_text(name, base, candidate));
      return;
    }
    add_judged(name, base, candidate, input_.options.count_margin, one);
  }

  void add_judged(const std::string& name, const std::vector<double>& base,
                  const std::vector<double>& candidate, double margin, CaseResult& one) {
    MetricResult result = count_result(name, input_.columns, margin);
    const std::size_t pairs = std::min(base.size(), candidate.size());
    const PairedSamples samples{
        .base = {base.begin(), base.begin() + std::ptrdiff_t(pairs)},
        .candidate = {candidate.begin(), candidate.begin() + std::ptrdiff_t(pairs)},
        .direction = direction_of(name, input_.columns),
        .margin = margin,
        .exact = true};
    // Counts do not drift, so the order in time is irrelevant.
    result.test = judge({&samples, 1}, {.design = Design::kInterleaved}).tests.front();
    apply_margin(margin, result.test);
    if (pairs < kMinCountedLaunches && is_change(result.test)) {
      result.test.verdict = Verdict::kSuspect;
      one.notes.push_back(
          formatted("{} was counted in one launch of a side, so its variation is unknown; "
                    "--profile {} counts more launches",
                    name, kMinCountedLaunches));
    }
    one.metrics.push_back(std::move(result));
  }

  void judge_instructions(CaseResult& one) {
    const auto& [engine, before] = base_instructions_;
    const auto& [other_engine, after] = candidate_instructions_;
    const std::string name(kInstructions);
    if (before.empty() && after.empty()) return;
    if (before.empty() || after.empty()) {
      one.notes.push_back(formatted("{} was counted in {} alone", name,
                                    before.empty() ? input_.candidate : input_.base));
      return;
    }
    if (engine != other_engine) {
      one.notes.push_back(formatted(
          "{} was counted by {} in {} and by {} in {}, which count differently: it decides nothing",
          name, engine, input_.base, other_engine, input_.candidate));
      return;
    }
    const double margin = std::max(input_.options.count_margin, kInstructionMargin);
    if (!repeats_within(margin, before) || !repeats_within(margin, after)) {
      one.notes.push_back(varies_text(name, before, after));
      return;
    }
    one.notes.push_back(formatted("{} was counted by {}{}", name, engine,
                                  engine == "valgrind" ? ", on one thread" : ""));
    const std::size_t launches = std::min(before.size(), after.size());
    add_judged(name, std::vector(launches, stats::median(before)),
               std::vector(launches, stats::median(after)), margin, one);
  }

  static bool repeats_within(double margin, const std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return *high - *low <= margin * *low;
  }

  static std::string varies_text(const std::string& name, const std::vector<double>& base,
                                 const std::vector<double>& candidate) {
    return formatted(
        "{} varies between launches and decides nothing: {} in the base, {} in the candidate", name,
        range_of(base), range_of(candidate));
  }

  const CountGateInput& input_;
  CountsOfSide base_;
  CountsOfSide candidate_;
  InstructionCounts base_instructions_;
  InstructionCounts candidate_instructions_;
};

// Environment fields that change counts although the program is the same.
bool changes_counts(std::string_view field) {
  constexpr std::array<std::string_view, 5> kFields = {
      "cpu_capability", "torch", "intra_op_threads", "inter_op_threads", "openmp"};
  return std::find(kFields.begin(), kFields.end(), field) != kFields.end() ||
         field.starts_with("threads.") || field.starts_with("schedule.warmup") ||
         field == "profile.warmup";
}

bool is_allowed(std::string_view field, const std::vector<std::string>& allow) {
  return std::any_of(allow.begin(), allow.end(),
                     [&](const std::string& each) { return each == field || each == "all"; });
}

[[noreturn]] void refuse_field(const CountGateInput& input, std::string_view field,
                               const std::string& base, const std::string& candidate) {
  throw ConfigError(input.candidate,
                    formatted("differs from {} in {} ({} and {}), which changes counts of the same "
                              "program; measure both alike, or add --allow {}",
                              input.base, field, base, candidate, field));
}

// Warm-up steps, from the first launch that records them.
std::string warmup_of(const std::vector<const record::Launch*>& launches) {
  for (const record::Launch* launch : launches) {
    const std::string steps = text_of(launch->row.report.schedule, "warmup");
    if (!steps.empty()) return steps;
  }
  return {};
}

}  // namespace

void refuse_unlike_counting(const CountGateInput& input,
                            std::span<const EnvironmentDifference> environment) {
  for (const EnvironmentDifference& difference : environment) {
    if (!changes_counts(difference.field)) continue;
    if (is_allowed(difference.field, input.options.allow)) continue;
    refuse_field(input, difference.field, difference.base, difference.candidate);
  }
}

void judge_counts(const CountGateInput& input, const CountedLaunches& base,
                  const CountedLaunches& candidate, CaseResult& one) {
  for (const auto launches : {&CountedLaunches::profiled, &CountedLaunches::counted}) {
    const std::string before = warmup_of(base.*launches);
    const std::string after = warmup_of(candidate.*launches);
    const bool warmed_alike = before == after || before.empty() || after.empty();
    if (!warmed_alike && !is_allowed("schedule.warmup", input.options.allow)) {
      refuse_field(input, "schedule.warmup", before, after);
    }
  }
  CaseCounts(input, base, candidate).judge_into(one);
  const auto changed = [](const MetricResult& metric) {
    return metric.decides && metric.test.change != 0.0;
  };
  if (!one.ops.empty() || std::none_of(one.metrics.begin(), one.metrics.end(), changed)) return;
  one.ops = op_changes(base.profiled, candidate.profiled, false);
  // Drop operations whose share of the time changed but not their calls.
  std::erase_if(one.ops, [](const OpChange& op) { return op.base_calls == op.candidate_calls; });
}

}  // namespace stepbench::verdict
