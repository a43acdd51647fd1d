// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/explain.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/base/error.h"
#include "harness/compare/metric_values.h"
#include "harness/compare/op_changes.h"
#include "harness/compare/phase_prediction.h"
#include "harness/estimate/launch_values.h"
#include "harness/ops/op_frame.h"
#include "harness/ops/op_table.h"
#include "harness/stats/hodges_lehmann.h"
#include "harness/stats/order.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::compare {
namespace {

constexpr double kError = 0.05;              // of all phases of a case together
constexpr std::size_t kFewestToExplain = 6;  // of a side: fewer have no interval
constexpr double kSmallPhase = 0.01;         // of the step, on both sides
constexpr double kShortCallNs = 10'000;      // of an operation that does next to nothing
constexpr double kManyOthers = 0.05;         // of the CPUs, by other programs
constexpr const char* kParts[] = {"loader_decode_ns", "loader_collate_ns", "loader_epoch_begin_ns"};

std::vector<double> logs_of(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) {
    if (value > 0) logs.push_back(std::log(value));
  }
  return logs;
}

TimesRatio ratio_of(const LogRatio& log) {
  return {.value = std::exp(log.centre),
          .interval = {std::exp(log.interval.low), std::exp(log.interval.high)}};
}

TestedMetric phase_metric(const std::string& name) {
  TestedMetric metric;
  metric.name = name;
  metric.kind = MetricKind::kPhase;
  return metric;
}

struct Phases {
  std::vector<std::string> names;
  std::vector<std::string> parts;
};

// Of the host; those that sum to the step, then what the loader reports of its own.
Phases phases_of(const CasePair& pair, const MetricValues& values) {
  Phases phases;
  const auto add = [](std::vector<std::string>& to, const std::string& name) {
    if (std::ranges::find(to, name) == to.end()) to.push_back(name);
  };
  for (const CaseLaunches* side : {&pair.base, &pair.candidate}) {
    for (const auto& estimate : estimate::estimates_of(side->measured)) {
      if (!estimate) continue;
      for (const estimate::PhaseTime& phase : estimate->phases) add(phases.names, phase.name);
    }
  }
  for (const char* part : kParts) {
    const MetricValues::Sides sides = values.reported(part);
    const auto all = [](const std::vector<double>& of) {
      return !of.empty() && std::ranges::all_of(of, [](double value) { return value > 0; });
    };
    if (all(sides.base) && all(sides.candidate)) phases.parts.emplace_back(part);
  }
  return phases;
}

bool is_matrix_product(std::string_view op) {
  constexpr std::string_view kNames[] = {"mm",     "addmm",      "bmm",        "baddbmm",
                                         "linear", "matmul",     "conv",       "mkldnn",
                                         "onednn", "scaled_dot", "_efficient", "einsum"};
  if (op.starts_with("aten::")) op.remove_prefix(6);
  while (op.starts_with('_')) op.remove_prefix(1);
  return std::ranges::any_of(kNames, [&](std::string_view name) { return op.starts_with(name); });
}

std::string_view kind_of_operation(std::string_view name, double ns_per_call) {
  if (ns_per_call < kShortCallNs) return "launch";
  return is_matrix_product(name) ? "gemm" : "memory";
}

// By phase. Empty where no launch recorded operations.
std::map<std::string, KindShares, std::less<>> shares_by_phase(
    const std::vector<const record::Launch*>& profiled, bool of_b) {
  std::map<std::string, KindShares, std::less<>> phases;
  if (profiled.empty()) return phases;
  const ops::OpTable table = ops::op_table_of(profiled.front()->ops);
  for (const ops::OpRow& row : ops::grouped(table.rows, {.phase = true})) {
    if (row.kind != ops::OpKind::kOp || row.calls == 0 || row.self_cpu_ns <= 0) continue;
    const auto ns = static_cast<double>(row.self_cpu_ns);
    KindShares& shares = phases[std::string(table.text(row.phase))];
    shares.of_b = of_b;
    shares.of[kind_of_operation(table.text(row.name), ns / static_cast<double>(row.calls))] += ns;
  }
  for (auto& [phase, shares] : phases) {
    double sum = 0;
    for (const auto& [kind, ns] : shares.of) sum += ns;
    for (auto& [kind, ns] : shares.of) ns /= sum;
  }
  return phases;
}

std::optional<std::int64_t> threads_of(const ComparisonSide& side, const record::LaunchRow& row) {
  for (const record::WorkerRow& worker : side.results->workers) {
    if (worker.worker_id != row.worker_id) continue;
    if (const auto threads = number_of(worker.environment, "intra_op_threads")) {
      return static_cast<std::int64_t>(*threads);
    }
  }
  const auto threads = number_of(row.report.effective, "threads.intra_op");
  const auto asked = number_of(row.options, "threads.intra_op");
  if (!threads && !asked) return std::nullopt;
  return static_cast<std::int64_t>(threads ? *threads : *asked);
}

void judge_rest(PhaseSplit& split, const LogRatio& measured, const LogRatio& predicted) {
  const double centre = measured.centre - predicted.centre;
  const double low = measured.interval.low - predicted.interval.high;
  const double high = measured.interval.high - predicted.interval.low;
  split.rest = ratio_of({.centre = centre, .interval = {low, high}});
  const double alike = std::log1p(kAlike);
  if (low > alike) {
    split.told = Told::kSlower;
  } else if (high < -alike) {
    split.told = Told::kFaster;
  } else if (std::abs(centre) <= alike && high - low <= std::log(kWide)) {
    split.told = Told::kAsPredicted;
  } else {
    split.told = Told::kWithin;
  }
}

class CaseExplainer {
 public:
  CaseExplainer(const CasePair& pair, const ExplainSide& a, const ExplainSide& b)
      : pair_(pair), a_(a), b_(b), values_(pair) {}

  CaseSplit split() {
    CaseSplit split{.of = pair_.base.first,
                    .a_launches = pair_.base.measured.size(),
                    .b_launches = pair_.candidate.measured.size()};
    split.why_not = why_not(split);
    if (split.a_launches == 0 || split.b_launches == 0) return split;
    const Phases phases = phases_of(pair_, values_);
    confidence_ = 1 - kError / static_cast<double>(phases.names.size() + phases.parts.size() + 1);
    split.step =
        measured("step", {.base = values_.steps().base, .candidate = values_.steps().candidate});
    shares_ = shares_by_phase(ProfiledLaunches(*a_.side.results).of(id(pair_.base), ""), false);
    if (shares_.empty()) {
      shares_ =
          shares_by_phase(ProfiledLaunches(*b_.side.results).of(id(pair_.candidate), ""), true);
    }
    for (const std::string& name : phases.names) {
      split.phases.push_back(explained(measured(name, values_.of(phase_metric(name))), split));
    }
    for (const std::string& name : phases.parts) {
      PhaseSplit part = measured(name, values_.reported(name));
      part.part = false;
      split.phases.push_back(explained(std::move(part), split));
    }
    std::ranges::stable_sort(split.phases, [](const PhaseSplit& x, const PhaseSplit& y) {
      return std::pair(!x.part, -std::max(x.a_ns, x.b_ns)) <
             std::pair(!y.part, -std::max(y.a_ns, y.b_ns));
    });
    sum_up(split);
    return split;
  }

 private:
  static std::string_view id(const CaseLaunches& launches) { return launches.first->key.case_id; }

  std::string why_not(const CaseSplit& split) const {
    const auto nothing = [](const CaseLaunches& side, const char* name) {
      return std::string("nothing was measured of it on ") + name +
             (side.reason.empty() ? "" : ": " + side.reason);
    };
    if (split.a_launches == 0) return nothing(pair_.base, "A");
    if (split.b_launches == 0) return nothing(pair_.candidate, "B");
    if (std::min(split.a_launches, split.b_launches) < kFewestToExplain) {
      return "A has " + text::counted(static_cast<std::int64_t>(split.a_launches), "launch") +
             " and B " + std::to_string(split.b_launches) + "; intervals take " +
             std::to_string(kFewestToExplain) + " of each";
    }
    if (values_.is_mixed() || values_.steps().clock != estimate::StepClock::kHost) {
      return "the step ran on a GPU, of which there is no control";
    }
    for (const ExplainSide* side : {&a_, &b_}) {
      if (side->controls.all.empty()) return side->no_controls;
    }
    return {};
  }

  [[nodiscard]] PhaseSplit measured(std::string name, const MetricValues::Sides& sides) const {
    PhaseSplit split{.phase = std::move(name)};
    const std::vector<double> a = logs_of(sides.base);
    const std::vector<double> b = logs_of(sides.candidate);
    if (a.empty() || b.empty()) {
      split.why_not = "only one side has it";
      if (!a.empty()) split.a_ns = std::exp(stats::median(a));
      if (!b.empty()) split.b_ns = std::exp(stats::median(b));
      return split;
    }
    split.a_ns = std::exp(stats::median(a));
    split.b_ns = std::exp(stats::median(b));
    const stats::HodgesLehmann shift = stats::hodges_lehmann(a, b, confidence_);
    split.ratio = ratio_of({.centre = shift.centre, .interval = shift.interval});
    return split;
  }

  [[nodiscard]] PhaseSplit explained(PhaseSplit split, const CaseSplit& whole) const {
    if (!split.why_not.empty()) return split;
    if (!whole.why_not.empty()) {
      split.why_not = whole.why_not;
      return split;
    }
    if (split.part && split.a_ns < kSmallPhase * whole.step.a_ns &&
        split.b_ns < kSmallPhase * whole.step.b_ns) {
      split.why_not = "less than 1 % of the step";
      return split;
    }
    const PhaseKinds kinds = kinds_of(split.phase, pair_.base.first->options);
    const PhaseKinds kinds_b = kinds_of(split.phase, pair_.candidate.first->options);
    if (!kinds.why_not.empty() || kinds.kinds != kinds_b.kinds) {
      split.why_not = kinds.why_not.empty() ? "the two sides read other data" : kinds.why_not;
      return split;
    }
    // A loader reads a batch in one thread, whatever operations use.
    const bool in_step = split.part && split.phase != "data_wait";
    const UsedThreads threads =
        in_step ? UsedThreads{.a = threads_of(a_.side, pair_.base.measured.front()->row),
                              .b = threads_of(b_.side, pair_.candidate.measured.front()->row)}
                : UsedThreads{.a = 1, .b = 1};
    const bool has_operations = kinds.kinds.size() > 1 && in_step;
    const auto shares = has_operations ? shares_.find(split.phase) : shares_.end();
    const bool mixes =
        shares != shares_.end() && std::ranges::all_of(shares->second.of, [&](const auto& share) {
          return std::ranges::find(kinds.kinds, share.first) != kinds.kinds.end();
        });
    const PhasePrediction prediction = predict(kinds, a_.controls, b_.controls, threads,
                                               mixes ? &shares->second : nullptr, confidence_);
    if (!prediction.missing.empty()) {
      split.why_not = "the control " + prediction.missing + " was not measured on both machines";
      return split;
    }
    split.controls = prediction.controls;
    split.by_operations = prediction.by_operations;
    split.predicted = ratio_of(prediction.ratio);
    const LogRatio of_phase{
        .centre = std::log(split.ratio.value),
        .interval = {std::log(split.ratio.interval.low), std::log(split.ratio.interval.high)}};
    judge_rest(split, of_phase, prediction.ratio);
    return split;
  }

  static void sum_up(CaseSplit& split) {
    for (const PhaseSplit& phase : split.phases) {
      if (!phase.part) continue;
      if (!phase.predicted) {
        split.unknown_ns += phase.b_ns - phase.a_ns;
        continue;
      }
      split.predicted_ns += phase.a_ns * (phase.predicted->value - 1);
      split.predicted_interval_ns.low += phase.a_ns * (phase.predicted->interval.low - 1);
      split.predicted_interval_ns.high += phase.a_ns * (phase.predicted->interval.high - 1);
      split.rest_ns += phase.b_ns - phase.a_ns * phase.predicted->value;
    }
  }

  const CasePair& pair_;
  const ExplainSide& a_;
  const ExplainSide& b_;
  MetricValues values_;
  double confidence_ = 0.95;
  std::map<std::string, KindShares, std::less<>> shares_ = {};
};

std::vector<ControlRatio> control_ratios(const Controls& a, const Controls& b) {
  std::vector<ControlRatio> ratios;
  for (const ControlKind& kind : control_kinds()) {
    const Control* of_a = a.find(kind.name);
    const Control* of_b = b.find(kind.name);
    if (of_a == nullptr || of_b == nullptr) continue;
    ratios.push_back({.name = std::string(kind.name),
                      .a_ns = of_a->step_ns,
                      .b_ns = of_b->step_ns,
                      .ratio = ratio_of(log_ratio(*of_a, *of_b, 1 - kError))});
  }
  return ratios;
}

// What a machine is, and where, and numbers of threads, which the controls know; all else may be
// what is slower.
bool is_the_machines(const EnvironmentDifference& difference) {
  const std::string& field = difference.field;
  if (difference.field_class == FieldClass::kInformative) return true;
  for (const char* begin :
       {"cpu", "gpu", "memory.", "numa", "host", "kernel", "cuda_driver", "intra_op_threads",
        "threads.intra_op", "env.OMP_NUM_THREADS", "env.MKL_NUM_THREADS"}) {
    if (field.starts_with(begin)) return true;
  }
  return false;
}

void doubt_controls(const ExplainSide& side, const char* name, std::vector<std::string>& doubts) {
  const Controls& controls = side.controls;
  if (controls.all.empty() || side.side.results->runs.empty()) return;
  const std::string host = text_of(side.side.results->runs.front().context, "host");
  const std::string there = text_of(controls.machine, "host");
  if (!host.empty() && !there.empty() && host != there) {
    doubts.push_back(std::string(name) + " was measured on " + host + ", its controls on " + there);
  }
  for (const record::WorkerRow& worker : side.side.results->workers) {
    for (const auto& [field, what] :
         {std::pair("cpu.model", "cpu.model"), std::pair("torch", "torch")}) {
      const std::string was = text_of(controls.machine, field);
      const std::string is = text_of(worker.environment, field);
      if (was.empty() || is.empty() || was == is) continue;
      doubts.push_back(std::string(name) + " ran with " + what + ' ' + is + ", its controls with " +
                       was);
    }
  }
}

void doubt_load(const ExplainSide& side, const char* name, std::vector<std::string>& doubts) {
  for (const auto& [field, who] : {std::pair("others_cpu_share", "other programs used "),
                                   std::pair("steal_share", "the hypervisor took ")}) {
    std::vector<double> shares;
    for (const record::Launch& launch : side.side.results->launches) {
      if (const auto share = number_of(launch.row.machine, field)) shares.push_back(*share);
    }
    if (shares.empty() || stats::median(shares) < kManyOthers) continue;
    doubts.push_back(std::string(who) + text::percent_text(stats::median(shares)) +
                     " of the CPUs while " + name +
                     " was measured: that is in its times, and "
                     "only by chance in its controls");
  }
}

}  // namespace

std::string_view name_of(Told told) {
  switch (told) {
    case Told::kAsPredicted:
      return "as_predicted";
    case Told::kSlower:
      return "slower";
    case Told::kFaster:
      return "faster";
    case Told::kWithin:
      return "within";
    case Told::kUnknown:
      return "unknown";
  }
  return {};
}

bool Explanation::tells() const {
  return std::ranges::any_of(cases, [](const CaseSplit& one) {
    return std::ranges::any_of(one.phases, [](const PhaseSplit& phase) {
      return phase.told != Told::kUnknown && phase.told != Told::kWithin;
    });
  });
}

Explanation explain(const ExplainSide& a, const ExplainSide& b, const CaseKey& key,
                    std::span<const std::string> ignored) {
  const CasePairs pairs = pair_cases(a.side, b.side, key);
  Explanation explanation{.controls = control_ratios(a.controls, b.controls)};
  for (const CasePair& pair : pairs.both) {
    explanation.cases.push_back(CaseExplainer(pair, a, b).split());
  }
  for (const CaseLaunches& one : pairs.only_base) {
    explanation.only_a.push_back(one.first->key.case_id);
  }
  for (const CaseLaunches& one : pairs.only_candidate) {
    explanation.only_b.push_back(one.first->key.case_id);
  }
  const std::string all[] = {"all"};
  explanation.differences = environment_differences(a.side, b.side, pairs, all, ignored);
  std::erase_if(explanation.differences, is_the_machines);
  doubt_controls(a, "A", explanation.doubts);
  doubt_controls(b, "B", explanation.doubts);
  doubt_load(a, "A", explanation.doubts);
  doubt_load(b, "B", explanation.doubts);
  return explanation;
}

}  // namespace stepbench::compare
