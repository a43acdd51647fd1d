// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "harness/base/exit_status.h"
#include "harness/report/trace_analysis.h"

namespace stepbench::report {
namespace {

bool fails_on(const TraceGate& gate, Severity severity) {
  return gate.fail_on && severity >= *gate.fail_on;
}

bool fails(const TraceGate& gate, const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.undecided.empty() && fails_on(gate, finding.severity);
  });
}

bool has_integrity_problem(const TraceGate& gate, const traces::Analysis& analysis) {
  return analysis.blocked() ||
         (gate.strict &&
          std::ranges::any_of(analysis.integrity, [](const traces::IntegrityNote& note) {
            return note.level != traces::IntegrityLevel::kNote;
          }));
}

}  // namespace

int status_of(const TraceGate& gate, const AnalysedTrace& analysed) {
  if (has_integrity_problem(gate, analysed.analysis)) return kExitNothingMeasured;
  return fails(gate, analysed.findings) ? kExitSomeFailed : kExitOk;
}

int status_of(const TraceGate& gate, const traces::TraceDiff& diff) {
  if (!diff.comparable() || (gate.strict && diff.doubtful())) return kExitNothingMeasured;
  const bool fails = std::ranges::any_of(diff.findings, [&](const traces::DiffFinding& finding) {
    const bool worse = finding.change == traces::DiffChange::kAppeared ||
                       (finding.is_gain && finding.change == traces::DiffChange::kGrew);
    return worse && fails_on(gate, finding.severity);
  });
  return fails ? kExitSomeFailed : kExitOk;
}

}  // namespace stepbench::report
