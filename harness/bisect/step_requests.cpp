// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/step_requests.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/bisect/counts.h"
#include "harness/campaign/run_folder.h"
#include "harness/run/run_header.h"
#include "harness/stats/random.h"
#include "harness/text/words.h"

namespace stepbench::bisect {
namespace {

constexpr std::size_t kPairsOfBlock = 2;
constexpr std::int64_t kProfiledLaunches = 2;  // per side, to record what a step consists of

std::string numbered(std::size_t build) {
  return build == 0 ? std::string() : "-" + std::to_string(build + 1);
}

std::uint64_t seed_of(const std::vector<Commit>& commits) {
  std::vector<double> letters;
  for (const Commit& commit : commits) {
    for (const char letter : commit.id) letters.push_back(letter);
  }
  return stats::seed_of(letters) >> 11U;
}

}  // namespace

bool counts_only(const BisectRequest& request) { return request.metric == kCounts; }

bool reads_trees(const BisectRequest& request) {
  return !request.script.empty() ||
         std::any_of(request.arms.set.begin(), request.arms.set.end(),
                     [](const auto& set) { return set.find("{worktree}") != std::string::npos; });
}

std::string folder_of(const SearchStep& step, const std::vector<Commit>& commits) {
  const bool ends = step.base == 0 && step.place + 1 == commits.size();
  const std::string kind = ends ? "ends" : step.against_good_end ? "commit-" : "copies-";
  return kind + (ends ? "" : run::file_name_part(short_id(commits[step.place]))) +
         numbered(step.place_build);
}

std::string words_of(const SearchStep& step, const std::vector<Commit>& commits) {
  const std::string words =
      short_id(commits[step.place]) + " against " + short_id(commits[step.base]);
  if (step.against_good_end) return words;
  return words + ", the commit before it, built apart";
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
    arms.b_set.push_back(filled_in(set, commits[step.place], candidate.tree));
  }
  if (!request.script.empty()) {
    arms.a_set.push_back("script.path=" + (base.tree / request.script).string());
    arms.b_set.push_back("script.path=" + (candidate.tree / request.script).string());
  }
  arms.a = base.worker.string();
  arms.b = candidate.worker.string();
  arms.profile = step.against_good_end || step.place_build > 1 ? 0 : kProfiledLaunches;
  return arms;
}

campaign::AbRequest pairs_of(const BisectRequest& request, const SearchStep& step,
                             const std::vector<Commit>& commits, campaign::ArmsRequest arms,
                             const std::filesystem::path& folder) {
  campaign::AbRequest ab{.arms = std::move(arms),
                         .pairs = 1,
                         .seed = request.seed.value_or(seed_of(commits)) + step.place,
                         .results = folder.string(),
                         .lock = request.lock,
                         .purpose = "bisect",
                         .context = {{"bisect_base", commits[step.base].id},
                                     {"bisect_candidate", commits[step.place].id}}};
  if (counts_only(request)) {
    ab.gate_counts = true;
  } else {
    const std::size_t most = 2 * Search::most_pairs(step, commits.size() - 1);
    ab.pairs = static_cast<std::int64_t>(most);
    ab.metrics = {request.metric};
    for (std::size_t pairs = kPairsOfBlock; pairs < most; pairs += kPairsOfBlock) {
      ab.looks.push_back(pairs);
    }
  }
  const auto earlier = campaign::folders_newest_first(ab.results);
  if (!earlier.empty()) ab.resume = earlier.front().string();
  return ab;
}

void require_one_case(const BisectRequest& request, const campaign::AbArms& arms) {
  if (arms.points.size() == 1) return;
  if (arms.points.empty()) {
    const std::string why = arms.missing.empty() ? "" : ": " + arms.missing.front().reason;
    throw ConfigError(request.arms.file, "neither end can measure a case of this file" + why);
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

std::string repeat_of(const BisectRequest& request, const campaign::ArmsRequest& arms,
                      const compare::AbPoint& point) {
  // Trees are removed at the end, programs are kept.
  if (reads_trees(request) || arms.a.empty()) return {};
  std::string command = "stepbench ab " + text::shell_word(arms.file) + " --a " +
                        text::shell_word(arms.a) + " --b " + text::shell_word(arms.b);
  for (const std::string& set : arms.set) command += " --set " + text::shell_word(set);
  return command + " --case " + point.a_case.substr(0, 12) +
         (counts_only(request) ? " --gate counts" : " --metric " + request.metric);
}

}  // namespace stepbench::bisect
