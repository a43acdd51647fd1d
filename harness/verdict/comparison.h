// SPDX-License-Identifier: Apache-2.0
// Comparisons as values: what `stepbench compare` reports and, for alternating launches
// (ab_campaign.h), `stepbench ab`; the results of cases, the overall verdict and the exit code. If
// one side was measured after the other, the design is sequential and confirms nothing. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/exit_status.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/verdict/internal/case_metrics.h"
#include "harness/verdict/internal/case_pairs.h"
#include "harness/verdict/internal/cause.h"
#include "harness/verdict/internal/comparability.h"
#include "harness/verdict/internal/gates.h"
#include "harness/verdict/internal/judge.h"

namespace stepbench::verdict {

struct CompareOptions {
  CaseKey key = {};  // empty: match by case_id
  TestedMetrics tested = default_metrics();
  // Full names of options that may differ; `key` excludes them.
  std::vector<std::string> ignore = {};
  // Environment fields that may differ; "all"; "missing" for missing cases; names of gates.
  std::vector<std::string> allow = {};
  bool allow_inconclusive = false;
  // Only exact counts decide; see judge_counts().
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

// The result of one case and the overall verdict of a comparison, as `compare` and `ab` share them,
// and the exit code of their commands. Pure.

// Adds notes on launches without a measurement and sets `without_data` for a side without any
// measured launch. `base`, `candidate`: names of the sides.
void note_missing_launches(const CasePair& pair, const std::string& base,
                           const std::string& candidate, CaseResult& result);

// Fills everything except metrics and cause: ids, options, notes on launches without a measurement,
// unequal step counts and differing results. Both sides need a first launch.
[[nodiscard]] CaseResult begin_case_result(const CasePair& pair);

[[nodiscard]] MetricResult metric_result(const MetricSamples& asked);

[[nodiscard]] bool is_change(const TestResult& test);

// Adds noise gates for both sides, named `base` and `candidate`, from the step times of their
// launches.
void add_noise_gates(const CasePair& pair, const estimate::StepTimes& times, std::string_view base,
                     std::string_view candidate, std::vector<Gate>& gates);

// If the step or a rate changed, adds the phases and operations that explain it. `interleaved`:
// profiled launches with equal indexes are adjacent in time.
void explain_change(const CasePair& pair, const VerdictRule& rule,
                    const std::vector<const record::Launch*>& base_profiled,
                    const std::vector<const record::Launch*>& candidate_profiled, CaseResult& one);

void add_hosts(const record::Results& results, std::set<std::string>& hosts);

// Sets the overall verdict and exit code from all metrics.
void conclude(const CompareOptions& options, bool missing_cases, Comparison& comparison);

struct GateInput {
  std::span<const TestResult> tests;  // primary and exact metrics
  bool campaign_invalid = false;
  bool missing_cases = false;  // a case has results on one side only
  bool allow_inconclusive = false;
};

// Exit code of the most severe verdict. No data is never success.
[[nodiscard]] int exit_code(const GateInput& input);
// Verdict of the test that determines the exit code.
[[nodiscard]] Verdict overall(const GateInput& input);

// Larger is worse; defines the order used by overall().
[[nodiscard]] int severity(Verdict verdict);

// Judges counts per step: operator calls, kernel launches, bytes copied, memory allocated. They do
// not depend on the machine's load, so that even a sequential comparison can find a regression.

struct CountGateInput {
  std::string base;  // names of the sides, for people
  std::string candidate;
  const std::vector<Metric>& columns;  // of both sides
  const CompareOptions& options;
};

// Throws ConfigError naming the field if the sides differ in something that changes counts although
// the program is the same: cpu_capability, torch, numbers of threads; unless options.allow names
// it.
void refuse_unlike_counting(const CountGateInput& input,
                            std::span<const EnvironmentDifference> environment);

// Adds the counts of a case to its metrics, with their verdicts; metrics tested before no longer
// decide. Counts come from launches that recorded operations (run --profile): metrics declared
// exact, and op_calls and cpu_allocated_bytes derived from the operations. A count that varies
// between launches of a side becomes a note; one from a single launch is at most suspect. A case
// with a side without counts has no data. Throws as above if the sides had different numbers of
// warm-up steps.
void judge_counts(const CountGateInput& input, const CountedLaunches& base,
                  const CountedLaunches& candidate, CaseResult& one);

}  // namespace stepbench::verdict
