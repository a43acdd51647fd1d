// SPDX-License-Identifier: Apache-2.0
// The comparison that `stepbench compare` reports, as values. One side was measured after the
// other: the design is sequential and confirms nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/compare/case_metrics.h"
#include "harness/compare/case_pairs.h"
#include "harness/compare/cause.h"
#include "harness/compare/comparability.h"
#include "harness/compare/gates.h"
#include "harness/compare/judge.h"

namespace stepbench::compare {

struct CompareOptions {
  CaseKey key = {};  // empty: match by case_id
  TestedMetrics tested = default_metrics();
  // Full names of options that may differ; `key` excludes them.
  std::vector<std::string> ignore = {};
  // Environment fields that may differ; "all"; "missing" for missing cases; names of gates.
  std::vector<std::string> allow = {};
  bool allow_inconclusive = false;
  // Only exact counts decide; see count_gate.h.
  bool gate_counts = false;
  double count_margin = 0;  // largest relative change of a count that does not matter
};

struct MetricResult {
  std::string name;    // "step", "step_p99"
  std::string metric;  // "step_ns", "step_p99_ns"
  std::string unit;
  bool primary = false;
  double margin = 0;
  TestResult test = {};
  bool timed = true;     // depends on the machine's speed
  bool of_step = false;  // the step's time or a rate derived from it
  bool decides = true;   // part of the overall verdict
};

struct CaseResult {
  std::string case_id;
  std::string candidate_case_id;  // differs from case_id only if options are ignored
  std::string workload;
  OptionValues options;  // as in the base
  std::vector<MetricResult> metrics = {};
  std::vector<PhaseChange> cause = {};  // for a changed step: the phases that explain it
  // If phases changed on only some ranks of a process group: which rank delays which, if known.
  std::vector<std::string> waiting_ranks = {};
  std::optional<FaultChange> page_faults = {};  // for a changed step: if they explain it
  std::vector<std::string> notes = {};
  std::vector<OpChange> ops = {};  // for a changed step with profiled launches on both sides
  std::optional<FingerprintDifference> fingerprint = {};
  std::size_t ended_at = 0;  // pairs at the look that ended it; 0 except in `ab`
  // Reason why a side has no measured launch, "arm B: killed by signal 9"; empty if both have some.
  std::string without_data = {};
};

struct MissingCase {
  std::string case_id;
  std::string workload;
  OptionValues options;
  // How the most similar case of the other side differs: "loader.engine (thread -> inline)"; empty
  // if none is close or if not searched.
  std::string nearest = {};
};

struct Comparison {
  std::string base = {};
  std::string candidate = {};
  std::vector<std::string> swept = {};  // options varied by the base's plan, in its order
  VerdictRule rule = {};
  std::vector<std::size_t> looks = {};     // `ab` only: pairs after which the rule was applied
  std::optional<std::uint64_t> seed = {};  // of the launch order
  std::vector<CaseResult> cases = {};
  std::vector<MissingCase> only_base = {};
  std::vector<MissingCase> only_candidate = {};
  std::vector<EnvironmentDifference> environment = {};
  std::vector<std::string> warnings = {};
  AaControl aa_control = {};     // of the base
  std::vector<Gate> gates = {};  // gates that did not pass, and the drift gate of a campaign
  std::size_t tested = 0;
  std::size_t rejected_slower = 0;
  std::size_t rejected_faster = 0;
  Verdict verdict = Verdict::kNoData;
  int exit_code = 0;
  std::set<std::string> hosts = {};  // hosts of the runs; "" for a run without a recorded host
  // For undecided metrics: the smallest change that this machine can show, see detectable_change.h.
  // Empty if it was not measured.
  std::string machine = {};
  // Command line that judges the same launches again, to be completed with "--allow GATE"; empty if
  // not supplied.
  std::string judge_again = {};
};

// Throws ConfigError for sides that must not be compared.
[[nodiscard]] Comparison compare(const ComparisonSide& base, const ComparisonSide& candidate,
                                 const CompareOptions& options);

// Compares each candidate with the same base, in their order. All tests form one family, and
// `tested` of each comparison is its size: a change that chance would produce among so many tests
// is not claimed in any of them.
[[nodiscard]] std::vector<Comparison> compare_several(const ComparisonSide& base,
                                                      std::span<const ComparisonSide> candidates,
                                                      const CompareOptions& options);

// Index of the comparison with the worst verdict, the first of equals. `comparisons` must not be
// empty.
[[nodiscard]] std::size_t worst_of(std::span<const Comparison> comparisons);

}  // namespace stepbench::compare
