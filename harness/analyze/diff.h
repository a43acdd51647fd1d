// SPDX-License-Identifier: Apache-2.0
// Per-step differences between two traces of one job: step time, operators, kernels, calls and
// findings. Each side keeps a value for each counted step. A difference is one of means, so the
// differences of a step's parts sum exactly to the step's. Pure; any thread.
//
//   const DiffSide base = diff_side("base.json", base_trace, analyse(base_trace), base_findings);
//   const DiffSide next = diff_side("new.json", new_trace, analyse(new_trace), new_findings);
//   const TraceDiff diff = compare_traces(base, next);
//
// Steps of one trace are not independent samples: a change is a difference that the spread of these
// steps does not explain. It makes no claim about the next run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analyze/analysis.h"
#include "harness/analyze/internal/step_costs.h"
#include "harness/base/enum_names.h"
#include "harness/findings/finding.h"

namespace stepbench::analyze {

// One side: one trace, or several of one case with their steps concatenated.
struct DiffSide {
  std::vector<std::string> paths = {};
  WindowKind window = WindowKind::kHostStep;
  IdleScope scope = IdleScope::kHost;
  std::vector<std::string> devices = {};  // names of the devices that ran work, if recorded
  std::optional<bool> with_shapes = {};
  std::optional<bool> with_stack = {};
  std::optional<bool> with_memory = {};
  bool python_rows = false;
  std::int64_t resolution_ns = 1;
  std::optional<std::int64_t> rank = {};
  std::optional<std::int64_t> world = {};
  std::vector<std::string> damage = {};    // integrity errors that block the numbers
  std::int64_t doubts = 0;                 // number of warnings about the traces
  bool only_edges = false;                 // some trace has only its first and last step
  std::vector<std::size_t> steps_of = {};  // number of entries in `steps` from each trace
  std::vector<StepTime> steps = {};        // counted steps of all traces
  std::vector<NamedCost> costs = {};       // sorted by kind, name and phase
  std::vector<Finding> findings = {};      // findings of the first trace

  // Appends the steps of another trace of the case; settings and findings are kept.
  void append(DiffSide more);
};

// `device` as in Analysis::idle_of.
[[nodiscard]] DiffSide diff_side(const std::string& path, const trace::Trace& trace,
                                 const Analysis& analysis, const std::vector<Finding>& findings,
                                 std::optional<int> device = {});

enum class DiffChange : std::uint8_t {
  kNone,  // within the spread of the steps
  kAppeared,
  kVanished,
  kGrew,
  kShrank,
  kMoreOften,  // same total time, more calls
  kLessOften
};
constexpr EnumNames<7> names_of(DiffChange) {
  return {"none", "appeared", "vanished", "grew", "shrank", "more_often", "less_often"};
}

struct DiffRow {
  std::string name = {};
  std::string phase = {};  // phase of an operator, if known
  DiffChange change = DiffChange::kNone;
  double base_ns = 0;  // means over the steps
  double new_ns = 0;
  double base_count = 0;  // 0 for the step and its parts
  double new_count = 0;
  std::optional<double> base_rate = {};  // per ns: FLOP of shapes, bus bytes of collectives
  std::optional<double> new_rate = {};
  // Smallest difference that counts as a change; absent: too few steps to estimate their spread.
  std::optional<double> noise_ns = {};

  [[nodiscard]] double difference_ns() const { return new_ns - base_ns; }
  [[nodiscard]] bool changed() const { return change != DiffChange::kNone; }
};

// All rows of one kind, sorted by descending difference.
struct DiffTable {
  CostKind kind = CostKind::kOperator;
  std::vector<DiffRow> rows = {};
  DiffRow sum = {};  // sum of all rows
};

struct DiffFinding {
  std::string id = {};
  DiffChange change = DiffChange::kNone;  // appeared, vanished, grew, shrank
  Severity severity = Severity::kInfo;
  std::string text = {};            // text of the new side; of the base if the finding vanished
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
  WindowKind window = WindowKind::kHostStep;  // the new side's
  IdleScope scope = IdleScope::kHost;
  std::int64_t base_steps = 0;
  std::int64_t new_steps = 0;
  std::vector<DiffNote> notes = {};  // sorted by severity; errors make the traces not comparable
  DiffRow step = {};
  std::vector<DiffRow> parts = {};  // as step_parts(), without parts that neither side has
  std::vector<DiffTable> tables = {};
  std::vector<DiffFinding> findings = {};  // changed findings only

  [[nodiscard]] bool comparable() const;
  [[nodiscard]] bool doubtful() const;  // has errors or warnings
  [[nodiscard]] bool nothing_changed() const;
};

// A difference counts as a change from three standard errors on: of the steps or, with at least
// three traces per side, of the trace means, because launches differ by more than the steps of one.
// It must also reach 2 % of the larger value and 0.1 % of the base's step; with fewer than three
// steps on a side, 5 % of the larger value.
inline constexpr double kDiffErrors = 3;
inline constexpr double kDiffShare = 0.02;
inline constexpr double kDiffShareOfFewSteps = 0.05;
inline constexpr double kDiffShareOfStep = 0.001;
inline constexpr std::size_t kStepsForSpread = 3;
inline constexpr std::size_t kTracesForSpread = 3;
// A difference in calls needs the same standard errors and at least one call in ten steps.
inline constexpr double kDiffCalls = 0.1;

[[nodiscard]] TraceDiff compare_traces(const DiffSide& base, const DiffSide& next);

}  // namespace stepbench::analyze
