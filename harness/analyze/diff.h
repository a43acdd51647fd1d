// SPDX-License-Identifier: Apache-2.0
// What changed between two traces of one job, per step: where the step's time went, by operator,
// kernel, call and finding. Each side keeps a value for each of its counted steps; a difference is
// one of means, so that the parts of a step differ by exactly what the step does. Pure; any thread.
//
//   const DiffSide base = diff_side("base.json", base_trace, analyse(base_trace), base_findings);
//   const DiffSide next = diff_side("new.json", new_trace, analyse(new_trace), new_findings);
//   const TraceDiff diff = compare_traces(base, next);
//
// Steps of one trace are no independent repeats: a change here is one that the spread of these
// steps does not explain, and no claim about the next run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analyze/analysis.h"
#include "harness/analyze/step_costs.h"
#include "harness/base/enum_names.h"
#include "harness/findings/finding.h"

namespace stepbench::analyze {

// One side: a trace, or several of one case, whose steps are put together.
struct DiffSide {
  std::vector<std::string> paths = {};
  WindowKind window = WindowKind::kHostStep;
  IdleScope scope = IdleScope::kHost;
  std::vector<std::string> devices = {};  // names of those that ran work, where the traces say
  std::optional<bool> with_shapes = {};
  std::optional<bool> with_stack = {};
  std::optional<bool> with_memory = {};
  bool python_rows = false;
  std::int64_t resolution_ns = 1;
  std::optional<std::int64_t> rank = {};
  std::optional<std::int64_t> world = {};
  std::vector<std::string> damage = {};    // what blocks the numbers, in words
  std::int64_t doubts = 0;                 // warnings about the traces
  bool only_edges = false;                 // a trace has no step but the first and the last
  std::vector<std::size_t> steps_of = {};  // how many of `steps` each trace has
  std::vector<StepTime> steps = {};        // counted ones of all traces
  std::vector<NamedCost> costs = {};       // by kind, name and phase
  std::vector<Finding> findings = {};      // of the first trace

  // Of the same case: its steps behind these; settings and findings stay those of the first.
  void append(DiffSide more);
};

// `device` as for Analysis::idle_of.
[[nodiscard]] DiffSide diff_side(const std::string& path, const trace::Trace& trace,
                                 const Analysis& analysis, const std::vector<Finding>& findings,
                                 std::optional<int> device = {});

enum class DiffChange : std::uint8_t {
  kNone,  // within what the steps themselves differ by
  kAppeared,
  kVanished,
  kGrew,
  kShrank,
  kMoreOften,  // as long in sum, more calls
  kLessOften
};
constexpr EnumNames<7> names_of(DiffChange) {
  return {"none", "appeared", "vanished", "grew", "shrank", "more_often", "less_often"};
}

struct DiffRow {
  std::string name = {};
  std::string phase = {};  // of operators, where known
  DiffChange change = DiffChange::kNone;
  double base_ns = 0;  // means over the steps
  double new_ns = 0;
  double base_count = 0;  // 0 for the step and its parts
  double new_count = 0;
  std::optional<double> base_rate = {};  // of shapes FLOP, of collectives bytes on the bus, per ns
  std::optional<double> new_rate = {};
  // From here on a difference counts; absent: too few steps to know their spread.
  std::optional<double> noise_ns = {};

  [[nodiscard]] double difference_ns() const { return new_ns - base_ns; }
  [[nodiscard]] bool changed() const { return change != DiffChange::kNone; }
};

// All rows of a kind; the largest difference first.
struct DiffTable {
  CostKind kind = CostKind::kOperator;
  std::vector<DiffRow> rows = {};
  DiffRow sum = {};  // of all rows
};

struct DiffFinding {
  std::string id = {};
  DiffChange change = DiffChange::kNone;  // appeared, vanished, grew, shrank
  Severity severity = Severity::kInfo;
  std::string text = {};            // of the new side, or of the base where it vanished
  std::optional<double> base = {};  // gain per step in ns, or the value
  std::optional<double> next = {};
  bool is_gain = false;
};

enum class DiffLevel : std::uint8_t { kNote, kWarning, kError };
constexpr EnumNames<3> names_of(DiffLevel) { return {"note", "warning", "error"}; }
struct DiffNote {
  DiffLevel level = DiffLevel::kNote;
  std::string text = {};
};

struct TraceDiff {
  std::vector<std::string> base_paths = {};
  std::vector<std::string> new_paths = {};
  WindowKind window = WindowKind::kHostStep;  // of the new side
  IdleScope scope = IdleScope::kHost;
  std::int64_t base_steps = 0;
  std::int64_t new_steps = 0;
  std::vector<DiffNote> notes = {};  // errors first: what cannot be compared
  DiffRow step = {};
  std::vector<DiffRow> parts = {};  // as step_parts(), those that either side has
  std::vector<DiffTable> tables = {};
  std::vector<DiffFinding> findings = {};  // that changed

  [[nodiscard]] bool comparable() const;
  [[nodiscard]] bool doubtful() const;  // errors or warnings
  [[nodiscard]] bool nothing_changed() const;
};

// A difference counts from three standard errors on, of the steps or, with three traces or more on
// a side, of the means of its traces: launches differ by more than the steps of one do. And from 2
// % of the larger value and 0.1 % of the base's step; with fewer than three steps on a side from 5
// % of the larger value on.
inline constexpr double kDiffErrors = 3;
inline constexpr double kDiffShare = 0.02;
inline constexpr double kDiffShareOfFewSteps = 0.05;
inline constexpr double kDiffShareOfStep = 0.001;
inline constexpr std::size_t kStepsForSpread = 3;
inline constexpr std::size_t kTracesForSpread = 3;
// A number of calls: from the same errors on, and from one call in ten steps.
inline constexpr double kDiffCalls = 0.1;

[[nodiscard]] TraceDiff compare_traces(const DiffSide& base, const DiffSide& next);

}  // namespace stepbench::analyze
