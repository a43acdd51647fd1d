// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/internal/measure_step.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/bisect/internal/counts.h"
#include "harness/campaign/run_folder.h"
#include "harness/record/result_file.h"
#include "harness/run/run_header.h"
#include "harness/stats/random.h"
#include "harness/text/secrets.h"
#include "harness/text/words.h"
#include "harness/verdict/ab_campaign.h"
#include "harness/verdict/comparison.h"
#include "harness/verdict/tested_metrics.h"

namespace stepbench::bisect {
namespace {

constexpr std::size_t kMinUsable = 2;      // for any result
constexpr std::size_t kCountedPairs = 12;  // counts do not vary: use this many equal pairs
constexpr std::size_t kPairsOfBlock = 2;
constexpr std::int64_t kProfiledLaunches = 2;  // per side, to record what a step consists of

std::string failed_gate(const verdict::Comparison& comparison) {
  const auto failed =
      std::ranges::find(comparison.gates, verdict::GateState::kFailed, &verdict::Gate::state);
  return failed == comparison.gates.end() ? std::string() : failed->text;
}

std::string numbered(std::size_t build) {
  return build == 0 ? std::string() : formatted("-{}", build + 1);
}

std::uint64_t seed_of(const std::vector<Commit>& commits) {
  std::vector<double> letters;
  for (const Commit& commit : commits) {
    for (const char letter : commit.id) letters.push_back(letter);
  }
  return stats::seed_of(letters) >> 11U;
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
  return words + ", the one before it, to confirm";
}

// Both programs with the values of their commits; `base` is the earlier one.
campaign::AbRequest arms_of(const BisectRequest& request, const StepPrograms& programs,
                            const std::vector<Commit>& commits) {
  const auto& [step, base, candidate] = programs;
  campaign::AbRequest ab = request;
  ab.resume.clear();
  ab.worker.clear();
  ab.purpose = "bisect";
  ab.set.clear();
  for (const std::string& set : request.set) {
    if (set.find('{') == std::string::npos) {
      ab.set.push_back(set);
      continue;
    }
    ab.a.set.push_back(filled_in(set, commits[step.base], base.tree));
    ab.b.set.push_back(filled_in(set, commits[step.place], candidate.tree));
  }
  if (!request.script.empty()) {
    ab.a.set.push_back("script.path=" + (base.tree / request.script).string());
    ab.b.set.push_back("script.path=" + (candidate.tree / request.script).string());
  }
  ab.a.worker = base.worker.string();
  ab.b.worker = candidate.worker.string();
  ab.profiled = step.against_good_end || step.place_build > 1 ? 0 : kProfiledLaunches;
  return ab;
}

// As many pairs of the arms as may be tried, with a look after each block. The same search requests
// the same launches in the same order, and an interrupted run in `folder` is resumed.
campaign::AbRequest pairs_of(const BisectRequest& request, const StepPrograms& programs,
                             const std::vector<Commit>& commits,
                             const std::filesystem::path& folder) {
  const SearchStep& step = programs.step;
  campaign::AbRequest ab = arms_of(request, programs, commits);
  ab.pairs = 1;
  ab.seed = request.seed.value_or(seed_of(commits)) + step.place;
  ab.results = folder.string();
  ab.context = {{"bisect_base", commits[step.base].id},
                {"bisect_candidate", commits[step.place].id}};
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

// Throws ConfigError unless the arms have exactly one case.
void require_one_case(const BisectRequest& request, const campaign::AbArms& arms) {
  if (arms.points.size() == 1) return;
  if (arms.points.empty()) {
    const std::string why = arms.missing.empty() ? "" : ": " + arms.missing.front().reason;
    throw ConfigError(request.file, "neither end can measure a case of this file" + why);
  }
  throw ConfigError(
      request.file,
      formatted("has {}; a search judges one: choose it with --case ID or --filter KEY=VALUE",
                text::counted(std::ssize(arms.points), "case")));
}

// Why launches of this side have no result; empty: all have one.
std::string reason_of_failure(const record::Results& results, std::string_view arm) {
  for (const record::Launch& launch : results.launches) {
    const record::LaunchRow& row = launch.row;
    if (row.key.arm == arm && row.outcome.kind != Outcome::Kind::kMeasured)
      return row.outcome.reason;
  }
  return {};
}

// Command that measures both programs again; empty if their input is removed by then.
std::string repeat_of(const BisectRequest& request, const campaign::AbRequest& ab,
                      const verdict::AbPoint& point) {
  // Trees are removed at the end, programs are kept.
  if (reads_trees(request) || ab.a.worker.empty()) return {};
  std::string command = formatted("stepbench ab {} --a {} --b {}", text::shell_word(ab.file),
                                  text::shell_word(ab.a.worker), text::shell_word(ab.b.worker));
  for (const std::string& set : ab.set) {
    command += " --set " + text::shell_word(text::mask_secrets(set, {}));
  }
  return formatted("{} --case {}{}", command, point.a_case.substr(0, 12),
                   counts_only(request) ? " --gate counts" : " --metric " + request.metric);
}

}  // namespace

bool counts_only(const BisectRequest& request) { return request.metric == kCounts; }

bool reads_trees(const BisectRequest& request) {
  return !request.script.empty() ||
         std::any_of(request.set.begin(), request.set.end(),
                     [](const auto& set) { return set.find("{worktree}") != std::string::npos; });
}

Measuring::Measuring(const BisectRequest& request, const std::vector<Commit>& commits,
                     std::filesystem::path folder, const campaign::Launching& launching)
    : request_(request), commits_(commits), folder_(std::move(folder)), launching_(launching) {}

campaign::AbRun Measuring::run_pairs(const campaign::AbRequest& request,
                                     const campaign::AbArms& arms) {
  return campaign::run_ab(request, arms, launching_, [](const std::filesystem::path&) {});
}

StepEnd Measuring::time(const StepPrograms& programs, const IsEnough& is_enough) {
  launching_.progress.print_line(words_of(programs.step, commits_));
  StepEnd end;
  for (const char* again : {"", "-again"}) {
    campaign::AbRequest ab = pairs_of(request_, programs, commits_,
                                      folder_ / (folder_of(programs.step, commits_) + again));
    const campaign::AbArms arms = campaign::resolve_arms(ab, launching_.context);
    require_one_case(request_, arms);
    const verdict::AbPoint& point = arms.points.front();
    const campaign::AbPlan plan = campaign::plan_ab(ab, arms);
    ab.is_over = [&](const record::Results& finished, const verdict::AbPoint&, std::size_t pairs) {
      return is_enough(pair_values(finished, point, plan.tested, plan.columns, pairs).log_ratios);
    };
    campaign::AbRun run = run_pairs(ab, arms);
    if (run.signal) return {.by_signal = true};
    const record::Results results = record::read_results(run.run_folder);
    PairValues values =
        pair_values(results, point, plan.tested, plan.columns, static_cast<std::size_t>(ab.pairs));
    end.folder = run.run_folder;
    end.launches += results.launches.size();
    end.repeated += values.uneven;
    if (values.log_ratios.size() < kMinUsable) {
      end.why_not = reason_of_failure(results, verdict::kArmA);
      end.for_base = !end.why_not.empty();
      if (end.why_not.empty()) end.why_not = reason_of_failure(results, verdict::kArmB);
      if (end.why_not.empty()) end.why_not = "the machine did not treat both programs alike";
      return end;
    }
    end.why_not = failed_gate(run.comparison);
    if (end.why_not.empty()) {
      end.log_ratios = std::move(values.log_ratios);
      end.comparison = std::move(run.comparison);
      end.repeat = repeat_of(request_, ab, point);
      return end;
    }
    launching_.progress.print_line(end.why_not + (*again == '\0' ? ": measured again" : ""));
  }
  return end;
}

StepEnd Measuring::count(const StepPrograms& programs) {
  const auto& [step, base, candidate] = programs;
  StepEnd end{.folder = folder_};
  for (const auto& [place, program] : {std::pair(step.base, &base), {step.place, &candidate}}) {
    if (counts_.contains(place)) continue;
    const StepPrograms own{{.base = place, .place = place}, *program, *program};
    const bool is_end = place == 0 || place + 1 == commits_.size();
    std::optional<record::Results> results = count_program(
        arms_of(request_, own, commits_), is_end ? kCountedOfEnds : 1,
        folder_ / ("counts-" + run::file_name_part(short_id(commits_[place]))), launching_);
    if (!results) return {.by_signal = true};
    end.launches += results->launches.size();
    counts_.emplace(place, std::move(*results));
  }
  const record::Results& good = counts_.at(step.base);
  const record::Results& bad = counts_.at(step.place);
  const bool ends = step.base == 0 && step.place + 1 == commits_.size();
  if (ends && counted_.empty()) counted_ = risen_count(good, bad);
  const std::optional<double> ratio =
      counted_.empty() ? 0 : log_ratio_of_count(good, bad, counted_);
  if (ratio) {
    end.log_ratios.assign(kCountedPairs, *ratio);
  } else {
    end.why_not = counted_ + " is not counted";
  }
  return end;
}

StepEnd Measuring::compare_counts(const StepPrograms& programs) {
  const campaign::AbRequest ab =
      pairs_of(request_, programs, commits_, folder_ / folder_of(programs.step, commits_));
  const campaign::AbArms arms = campaign::resolve_arms(ab, launching_.context);
  require_one_case(request_, arms);
  campaign::AbRun run = run_pairs(ab, arms);
  if (run.signal) return {.by_signal = true};
  return {.comparison = std::move(run.comparison),
          .repeat = repeat_of(request_, ab, arms.points.front())};
}

PairValues pair_values(const record::Results& results, const verdict::AbPoint& point,
                       const verdict::TestedMetrics& tested, const std::vector<Metric>& columns,
                       std::size_t most) {
  std::vector<const record::Launch*> launches;
  for (const record::Launch& launch : results.launches) launches.push_back(&launch);
  const verdict::AbPairs pairs = verdict::ab_pairs(launches, {point}, most).front();
  const std::vector<const record::Launch*>& base = pairs.pair.base.measured;
  const std::vector<const record::Launch*>& candidate = pairs.pair.candidate.measured;
  PairValues values;
  if (base.empty() || candidate.empty()) return values;
  const verdict::PairedSamples samples =
      verdict::metric_samples(pairs, columns, tested).front().samples;
  const double sign = samples.direction == Direction::kHigherIsBetter ? -1 : 1;
  for (std::size_t i = 0; i < std::min(base.size(), candidate.size()); ++i) {
    const double ratio = sign * std::log(samples.candidate[i] / samples.base[i]);
    if (!std::isfinite(ratio)) continue;
    if (verdict::is_even(base[i]->row, candidate[i]->row)) {
      values.log_ratios.push_back(ratio);
    } else {
      ++values.uneven;
    }
  }
  return values;
}

}  // namespace stepbench::bisect
