// SPDX-License-Identifier: Apache-2.0
// Two results side by side: what `stepbench compare` says, as values. One was measured after the
// other, so that the design is sequential and nothing is confirmed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/compare/aa_control.h"
#include "harness/compare/case_metrics.h"
#include "harness/compare/case_pairs.h"
#include "harness/compare/cause.h"
#include "harness/compare/environment_match.h"
#include "harness/compare/gates.h"
#include "harness/compare/judge.h"
#include "harness/compare/op_changes.h"
#include "harness/compare/same_work.h"

namespace stepbench::compare {

struct CompareOptions {
  CaseKey key = {};  // empty: by case_id
  TestedMetrics tested = default_metrics();
  // Options that may differ, by full name; `key` leaves them out.
  std::vector<std::string> ignore = {};
  // Environment fields that may differ; "all"; "missing" cases; names of gates.
  std::vector<std::string> allow = {};
  bool allow_inconclusive = false;
  // Counts that repeat exactly decide, and nothing else does: see count_gate.h.
  bool gate_counts = false;
  double count_margin = 0;  // relative change of a count that does not matter
};

struct MetricResult {
  std::string name;    // "step", "step_p99"
  std::string metric;  // "step_ns", "step_p99_ns"
  std::string unit;
  bool primary = false;
  double margin = 0;
  TestResult test = {};
  bool timed = true;     // the machine's speed is in it
  bool of_step = false;  // the step's time, or a rate that follows from it
  bool decides = true;   // takes part in the verdict of the whole
};

struct CaseResult {
  std::string case_id;
  std::string candidate_case_id;  // another one only when options are ignored
  std::string workload;
  OptionValues options;  // of the base
  std::vector<MetricResult> metrics = {};
  std::vector<PhaseChange> cause = {};  // of a changed step: the phases that explain it
  // Where phases changed on some ranks of a group only: who holds whom up, as far as it is known.
  std::vector<std::string> who_waits = {};
  std::vector<std::string> notes = {};
  std::vector<OpChange> ops = {};  // of a changed step, where both sides have profiled launches
  std::optional<FingerprintDifference> fingerprint = {};
  std::size_t ended_at = 0;  // pairs at the look that ended it; 0 outside `ab`
  // Of a side without any measured launch, and why: "arm B: killed by signal 9"; empty: both have.
  std::string without_data = {};
};

struct MissingCase {
  std::string case_id;
  std::string workload;
  OptionValues options;
  // The most similar case of the other side and in what it differs: "853070 but for
  // loader.engine (thread -> inline)"; empty: none is near, or nobody looked.
  std::string nearest = {};
};

struct Comparison {
  std::string base = {};
  std::string candidate = {};
  std::vector<std::string> swept = {};  // options that the base's plan varied, in its order
  VerdictRule rule = {};
  std::vector<std::size_t> looks = {};     // of `ab`: pairs after which the rule ran
  std::optional<std::uint64_t> seed = {};  // of the order of its launches
  std::vector<CaseResult> cases = {};
  std::vector<MissingCase> only_base = {};
  std::vector<MissingCase> only_candidate = {};
  std::vector<EnvironmentDifference> environment = {};
  std::vector<std::string> warnings = {};
  AaControl aa_control = {};     // of the base
  std::vector<Gate> gates = {};  // those that did not pass, and the drift of a campaign
  std::size_t tested = 0;
  std::size_t rejected_slower = 0;
  std::size_t rejected_faster = 0;
  Verdict verdict = Verdict::kNoData;
  int exit_code = 0;
  std::set<std::string> hosts = {};  // on which the runs were made; "" for one that does not say
  // Of a metric that is not decided: what this machine can show, see machine_noise.h. Empty where
  // nobody measured it.
  std::string machine = {};
  // The command line that judges the same launches again, to be ended by "--allow GATE"; empty
  // where nobody gave it.
  std::string judge_again = {};
};

// Throws ConfigError for sides that may not be compared.
[[nodiscard]] Comparison compare(const ComparisonSide& base, const ComparisonSide& candidate,
                                 const CompareOptions& options);

// Each of several results against the same base, in their order. All their tests are one family:
// `tested` of each is its size, and a change that chance alone would show somewhere among so many
// is claimed nowhere.
[[nodiscard]] std::vector<Comparison> compare_several(const ComparisonSide& base,
                                                      std::span<const ComparisonSide> candidates,
                                                      const CompareOptions& options);

// The place of the comparison that decides over all: the one with the worst verdict, of equal ones
// the first. There is at least one.
[[nodiscard]] std::size_t worst_of(std::span<const Comparison> comparisons);

}  // namespace stepbench::compare
