// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/explain_files.h"

#include <algorithm>
#include <utility>

#include "harness/base/error.h"
#include "harness/campaign/compare_key.h"
#include "harness/campaign/kept_machine.h"

namespace stepbench::campaign {
namespace {

compare::ExplainSide side_of(const record::Results& results, const std::string& where,
                             const std::string& file, const char* name,
                             const machine::Variables& variables) {
  compare::ExplainSide side{.side = {&results, where}};
  if (!file.empty()) {
    side.controls = read_controls(file);
    return side;
  }
  for (const record::RunRow& run : results.runs) {
    compare::Controls controls = compare::controls_of_run(run);
    if (!controls.all.empty()) side.controls = std::move(controls);
  }
  if (!side.controls.all.empty()) return side;
  const std::string host =
      results.runs.empty() ? std::string() : text_of(results.runs.front().context, "host");
  std::string why;
  if (host == machine::host_name("/")) {
    KeptMachine kept = kept_machine(variables, machine_identity("/"));
    if (kept.noise && !kept.noise->controls.all.empty()) {
      side.controls = std::move(kept.noise->controls);
      return side;
    }
    why = kept.problem;
  }
  const std::string letter(1, static_cast<char>(name[0] - 'A' + 'a'));
  side.no_controls = std::string("there are no controls of ") + name +
                     (why.empty() ? "" : " (" + why + ")") + ": `stepbench doctor --measure` on " +
                     (host.empty() ? "its machine" : host) +
                     " measures them, runs made after it carry them, and --" + letter +
                     "-controls FILE names the file that it keeps";
  return side;
}

void keep_named_cases(const std::vector<std::string>& beginnings,
                      compare::Explanation& explanation) {
  if (beginnings.empty()) return;
  for (const std::string& beginning : beginnings) {
    const bool known = std::ranges::any_of(explanation.cases, [&](const compare::CaseSplit& one) {
      return one.of->key.case_id.starts_with(beginning);
    });
    if (!known) throw ConfigError("--case", "no case on both sides begins with " + beginning);
  }
  std::erase_if(explanation.cases, [&](const compare::CaseSplit& one) {
    return std::ranges::none_of(beginnings, [&](const std::string& beginning) {
      return one.of->key.case_id.starts_with(beginning);
    });
  });
  explanation.only_a.clear();
  explanation.only_b.clear();
}

}  // namespace

ExplainedRuns explain_runs(const ExplainRequest& request, const Catalogue& catalogue,
                           const machine::Variables& variables) {
  ExplainedRuns runs{.a = std::make_unique<const record::Results>(record::read_results(request.a)),
                     .b = std::make_unique<const record::Results>(record::read_results(request.b))};
  const compare::ExplainSide a = side_of(*runs.a, request.a, request.a_controls, "A", variables);
  const compare::ExplainSide b = side_of(*runs.b, request.b, request.b_controls, "B", variables);
  const record::Results* const all[] = {runs.a.get(), runs.b.get()};
  std::vector<std::string> ignored;
  compare::CaseKey key = [](const record::LaunchRow& row) { return row.key.case_id; };
  if (!request.ignore.empty()) {
    ignored = full_names(request.ignore, all);
    key = key_without(ignored, catalogue);
  }
  runs.explanation = compare::explain(a, b, key, ignored);
  if (runs.explanation.cases.empty()) {
    const std::string why =
        ignored.empty() ? why_nothing_joins(*runs.a, *runs.b, catalogue) : std::string();
    throw ConfigError(
        request.b, "has no case that " + request.a + " has, too" + (why.empty() ? "" : ": " + why));
  }
  keep_named_cases(request.cases, runs.explanation);
  runs.a_controls = a.controls;
  runs.b_controls = b.controls;
  return runs;
}

}  // namespace stepbench::campaign
