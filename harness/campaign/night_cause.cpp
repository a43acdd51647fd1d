// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/night_cause.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/compare/ab_pairs.h"
#include "harness/compare/cause.h"
#include "harness/compare/op_changes.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

constexpr double kConfidence = 0.95;  // of the changes of phases
constexpr std::size_t kPhases = 2;
constexpr std::size_t kOps = 2;

}  // namespace

std::string night_cause(const record::Results& results, const std::string& case_id, int first) {
  record::Results pairs;  // as a campaign of two arms
  pairs.runs = results.runs;
  pairs.columns = results.columns;
  pairs.workers = results.workers;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchKey& key = launch.row.key;
    const bool reference = key.arm == record::kReferenceArm;
    if (key.case_id != case_id || !(reference || key.arm.empty())) continue;
    if (key.pass == Pass::kTiming && key.launch < first) continue;
    pairs.launches.push_back(launch);
    pairs.launches.back().row.key.arm = reference ? compare::kArmA : compare::kArmB;
  }
  const auto measured =
      compare::ab_pairs(pairs, {{.point_id = case_id, .a_case = case_id, .b_case = case_id}});
  std::vector<std::string> parts;
  const std::vector<compare::PhaseChange> phases =
      compare::explaining_phases(measured.front().pair, kConfidence, compare::Design::kInterleaved);
  for (std::size_t i = 0; i < std::min(phases.size(), kPhases); ++i) {
    parts.push_back(phase_text(phases[i]) + ' ' + text::signed_duration(phases[i].change_ns) +
                    ", " + text::percent_text(phases[i].share) + " of the change");
  }
  const compare::ProfiledLaunches profiled(pairs);
  const std::vector<compare::OpChange> ops = compare::op_changes(
      profiled.of(case_id, compare::kArmA), profiled.of(case_id, compare::kArmB), true);
  for (std::size_t i = 0; i < std::min(ops.size(), kOps); ++i) {
    const double calls = ops[i].candidate_calls - ops[i].base_calls;
    std::string text = ops[i].name;
    if (calls != 0) text += (calls > 0 ? " +" : " ") + text::significant(calls) + " calls/step";
    if (ops[i].change_ns) text += ' ' + text::signed_duration(*ops[i].change_ns) + " per step";
    if (!ops[i].phase.empty()) text += " in " + ops[i].phase;
    parts.push_back(std::move(text));
  }
  return text::join(parts, "; ");
}

}  // namespace stepbench::campaign
