// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/step_requests.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/bisect/pair_values.h"
#include "harness/bisect/search_words.h"
#include "harness/campaign/run_folder.h"
#include "harness/text/words.h"

namespace stepbench::bisect {
namespace {

std::int64_t profiled_launches(const BisectRequest& request, const SearchStep& step) {
  if (counts_only(request) && step.kind != SearchStep::Kind::kEnds) return 1;
  return counts_only(request) || step.kind == SearchStep::Kind::kCulprit ? kProfiledLaunches : 0;
}

}  // namespace

bool counts_only(const BisectRequest& request) { return request.metric == kCounts; }

bool reads_trees(const BisectRequest& request) {
  return !request.script.empty() ||
         std::any_of(request.arms.set.begin(), request.arms.set.end(),
                     [](const auto& set) { return set.find("{worktree}") != std::string::npos; });
}

campaign::ArmsRequest arms_of(const BisectRequest& request, const SearchStep& step,
                              const std::vector<Commit>& commits, const BuiltProgram& base,
                              const BuiltProgram& candidate) {
  campaign::ArmsRequest arms = request.arms;
  arms.set.clear();
  for (const std::string& set : request.arms.set) {
    if (set.find('{') == std::string::npos) {
      arms.set.push_back(set);
      continue;
    }
    arms.a_set.push_back(filled_in(set, commits[step.base], base.tree));
    arms.b_set.push_back(filled_in(set, commits[step.candidate], candidate.tree));
  }
  if (!request.script.empty()) {
    arms.a_set.push_back("script.path=" + (base.tree / request.script).string());
    arms.b_set.push_back("script.path=" + (candidate.tree / request.script).string());
  }
  arms.a = base.worker.string();
  arms.b = candidate.worker.string();
  arms.profile = profiled_launches(request, step);
  return arms;
}

campaign::AbRequest pairs_of(const BisectRequest& request, const SearchStep& step,
                             const std::vector<Commit>& commits, campaign::ArmsRequest arms,
                             const std::filesystem::path& folder, std::uint64_t seed) {
  campaign::AbRequest ab{.arms = std::move(arms),
                         .pairs = static_cast<std::int64_t>(kMostPairs),
                         .seed = seed + step.candidate,
                         .metrics = {request.metric},
                         .results = (folder / folder_of(step, commits)).string(),
                         .lock = request.lock,
                         .purpose = "bisect",
                         .context = {{"bisect_base", commits[step.base].id},
                                     {"bisect_candidate", commits[step.candidate].id}}};
  if (counts_only(request)) {
    ab.pairs = 1;
    ab.metrics = {};
    ab.gate_counts = true;
  } else {
    for (std::size_t pairs = kFewestPairs; pairs < kMostPairs; pairs += kPairsOfBlock)
      ab.looks.push_back(pairs);
  }
  const auto earlier = campaign::folders_newest_first(ab.results);
  if (!earlier.empty()) ab.resume = earlier.front().string();
  return ab;
}

void require_one_case(const BisectRequest& request, const campaign::AbArms& arms) {
  if (arms.points.size() == 1) return;
  if (arms.points.empty()) {
    const std::string why = arms.missing.empty() ? "" : ": " + arms.missing.front().reason;
    throw ConfigError(request.arms.file, "neither end can measure a case of it" + why);
  }
  throw ConfigError(request.arms.file,
                    "has " + text::counted(std::ssize(arms.points), "case") +
                        "; a search judges one: choose it with --case ID or --filter KEY=VALUE");
}

std::string reason_of_failure(const record::Results& results, std::string_view arm) {
  for (const record::Launch& launch : results.launches) {
    const record::LaunchRow& row = launch.row;
    if (row.key.arm == arm && row.outcome.kind != Outcome::Kind::kMeasured)
      return row.outcome.reason;
  }
  return {};
}

void require_measured(const BisectRequest& request, const SearchStep& step,
                      const std::vector<Commit>& commits, const record::Results& results) {
  const std::string base = reason_of_failure(results, compare::kArmA);
  if (counts_only(request) && base.empty() && reason_of_failure(results, compare::kArmB).empty()) {
    if (step.kind == SearchStep::Kind::kCommit) return;
    throw NothingMeasured("--metric counts",
                          "nothing was counted on both sides; `profile.ops` "
                          "says what a workload can count");
  }
  if (!base.empty()) {
    throw NothingMeasured(short_id(commits[step.base]), "cannot be measured: " + base);
  }
  if (step.kind == SearchStep::Kind::kCommit) return;
  throw NothingMeasured(short_id(commits[step.candidate]),
                        "cannot be measured: " + reason_of_failure(results, compare::kArmB));
}

std::string repeat_of(const BisectRequest& request, const campaign::ArmsRequest& arms,
                      const compare::AbPoint& point) {
  // Trees are gone then, programs are not.
  if (reads_trees(request) || arms.a.empty()) return {};
  std::string command = "stepbench ab " + text::shell_word(arms.file) + " --a " +
                        text::shell_word(arms.a) + " --b " + text::shell_word(arms.b);
  for (const std::string& set : arms.set) command += " --set " + text::shell_word(set);
  return command + " --case " + point.a_case.substr(0, 12) +
         (counts_only(request) ? " --gate counts" : " --metric " + request.metric);
}

}  // namespace stepbench::bisect
