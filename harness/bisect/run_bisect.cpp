// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/run_bisect.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/bisect/programs.h"
#include "harness/bisect/search_file.h"
#include "harness/campaign/run_folder.h"
#include "harness/compare/ab_pairs.h"
#include "harness/compare/tested_metrics.h"
#include "harness/record/reader.h"
#include "harness/run/run_header.h"
#include "harness/stats/random.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"

namespace stepbench::bisect {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kProfiledLaunches = 2;  // of the last two commits: which operations changed

// "20260131-120000-bisect-train"
std::string search_id(const std::string& name) {
  return text::compact_utc(text::utc_text(std::chrono::system_clock::now())) + "-bisect-" +
         run::file_name_part(name);
}

// Of the pairs that both sides measured, the first `most` of them; positive is worse.
std::vector<double> log_ratios_of(const record::Results& results, const compare::AbPoint& point,
                                  const compare::TestedMetrics& tested,
                                  const std::vector<Metric>& columns, std::size_t most) {
  std::vector<const record::Launch*> launches;
  for (const record::Launch& launch : results.launches) launches.push_back(&launch);
  const compare::AbPairs pairs = compare::ab_pairs(launches, {point}, most).front();
  if (pairs.pair.base.measured.empty() || pairs.pair.candidate.measured.empty()) return {};
  const compare::PairedSamples samples =
      compare::metric_samples(pairs, columns, tested).front().samples;
  const double sign = samples.direction == Direction::kHigherIsBetter ? -1 : 1;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(samples.base.size(), samples.candidate.size()); ++i) {
    const double ratio = sign * std::log(samples.candidate[i] / samples.base[i]);
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  return ratios;
}

std::string reason_of(const record::Results& results, std::string_view arm) {
  for (const record::Launch& launch : results.launches) {
    const record::LaunchRow& row = launch.row;
    if (row.key.arm == arm && row.outcome.kind != Outcome::Kind::kMeasured)
      return row.outcome.reason;
  }
  return {};
}

bool is_in(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

class SearchRun {
 public:
  SearchRun(const BisectRequest& request, const campaign::CampaignContext& context,
            run::Progress& progress, run::Interrupts& interrupts, const Clock& clock)
      : request_(request),
        context_(context),
        progress_(progress),
        interrupts_(interrupts),
        clock_(clock) {}

  BisectRun run() {
    begin();
    Bisection bisection(out_.commits.size() - 1, request_.confidence);
    while (const std::optional<SearchStep> step = bisection.next()) {
      if (!measure(*step, bisection)) return end_by_signal();
      save(bisection);
    }
    finish(bisection);
    return std::move(out_);
  }

 private:
  void begin() {
    if (request_.versions.empty()) {
      repository_.emplace(fs::current_path());
      out_.commits = repository_->commits_between(request_.good, request_.bad);
    } else {
      out_.commits = versions();
    }
    out_.confidence = request_.confidence;
    out_.metric = request_.metric;
    out_.build = request_.build;
    const bool resumes = !request_.resume.empty();
    out_.folder = fs::absolute(
        resumes ? fs::path(request_.resume)
                : campaign::make_run_folder(request_.results, search_id(name_of_search())));
    if (repository_ && is_in(out_.folder, repository_->top()) &&
        !repository_->ignores(out_.folder)) {
      progress_.say("note: " + out_.folder.string() +
                    " lies in the repository and git does not ignore it");
    }
    if (resumes) check_same_search(read_search_file(out_.folder), out_);
    seed_ = request_.seed ? *request_.seed : seed_of_commits();
    programs_ = std::make_unique<Programs>(
        BuildRequest{
            .command = request_.build, .worker = request_.worker, .keep_trees = reads_trees()},
        repository_ ? &*repository_ : nullptr, out_.folder,
        [this](const std::string& words) { progress_.say(words); });
    const auto last = static_cast<std::int64_t>(out_.commits.size()) - 1;
    progress_.say(text::counted(last, request_.versions.empty() ? "commit" : "version") +
                  " to search, results in " + out_.folder.string());
    write_search_file(out_);
  }

  std::vector<Commit> versions() const {
    const auto& all = request_.versions;
    const auto first = std::find(all.begin(), all.end(), request_.good);
    const auto last = std::find(all.begin(), all.end(), request_.bad);
    for (const auto& [at, name] :
         {std::pair(first, request_.good), std::pair(last, request_.bad)}) {
      if (at == all.end()) throw ConfigError(name, "is not one of --versions");
    }
    if (first >= last) {
      throw ConfigError(request_.bad, "does not come after " + request_.good + " in --versions");
    }
    std::vector<Commit> commits;
    for (auto at = first; at <= last; ++at) commits.push_back({.id = *at});
    return commits;
  }

  // Values of the arms, or the script, lie in the commit's tree.
  bool reads_trees() const {
    return !request_.script.empty() ||
           std::any_of(request_.arms.set.begin(), request_.arms.set.end(),
                       [](const auto& set) { return set.find("{worktree}") != std::string::npos; });
  }

  std::string name_of_search() const {
    const std::string file = request_.script.empty() ? request_.arms.file : request_.script;
    return fs::path(file).stem().string();
  }

  // The same search asks for the same launches in the same order.
  std::uint64_t seed_of_commits() const {
    std::vector<double> letters;
    for (const Commit& commit : out_.commits) {
      for (const char letter : commit.id) letters.push_back(letter);
    }
    return stats::seed_of(letters) >> 11U;
  }

  // False: a signal ended it.
  bool measure(const SearchStep& step, Bisection& bisection) {
    JudgedStep judged{.step = step};
    const bool fresh = step.kind == SearchStep::Kind::kCulprit;
    const BuiltProgram base = program_of(step.base, fresh);
    if (interrupts_.take() || interrupts_.first()) return false;
    BuiltProgram candidate = base.why_not.empty() ? program_of(step.candidate, fresh) : base;
    if (interrupts_.take() || interrupts_.first()) return false;
    if (!candidate.why_not.empty()) {
      judged.why_not = candidate.why_not;
      if (step.kind != SearchStep::Kind::kCommit) {
        const std::size_t place = base.why_not.empty() ? step.candidate : step.base;
        throw ConfigError(short_id(out_.commits[place]), judged.why_not);
      }
      leave_out(std::move(judged), bisection);
      return true;
    }
    try {
      if (!measure_pairs(step, base, candidate, bisection, judged)) return false;
    } catch (const NothingMeasured&) {
      throw;
    } catch (const ConfigError& error) {
      // What this commit cannot plan is its own: the good end could.
      if (step.kind != SearchStep::Kind::kCommit) throw;
      judged.why_not = error.what();
      leave_out(std::move(judged), bisection);
    }
    return true;
  }

  void leave_out(JudgedStep judged, Bisection& bisection) {
    progress_.say(short_id(out_.commits[judged.step.candidate]) +
                  " is left out: " + judged.why_not);
    bisection.leave_out();
    out_.judged.push_back(std::move(judged));
  }

  BuiltProgram program_of(std::size_t place, bool fresh) {
    BuiltProgram program =
        fresh ? programs_->fresh_copy(out_.commits[place]) : programs_->of(out_.commits[place]);
    out_.builds = programs_->builds();
    return program;
  }

  campaign::ArmsRequest arms_of(const SearchStep& step, const BuiltProgram& base,
                                const BuiltProgram& candidate) {
    campaign::ArmsRequest arms = request_.arms;
    arms.set.clear();
    for (const std::string& set : request_.arms.set) {
      if (set.find('{') == std::string::npos) {
        arms.set.push_back(set);
        continue;
      }
      arms.a_set.push_back(filled_in(set, out_.commits[step.base], base.tree));
      arms.b_set.push_back(filled_in(set, out_.commits[step.candidate], candidate.tree));
    }
    if (!request_.script.empty()) {
      arms.a_set.push_back("script.path=" + (base.tree / request_.script).string());
      arms.b_set.push_back("script.path=" + (candidate.tree / request_.script).string());
    }
    arms.a = base.worker.string();
    arms.b = candidate.worker.string();
    arms.profile = step.kind == SearchStep::Kind::kCulprit ? kProfiledLaunches : 0;
    return arms;
  }

  std::string folder_name(const SearchStep& step) const {
    switch (step.kind) {
      case SearchStep::Kind::kEnds:
        return "ends";
      case SearchStep::Kind::kCommit:
        return "commit-" + run::file_name_part(short_id(out_.commits[step.candidate]));
      case SearchStep::Kind::kCulprit:
        return "culprit-" + run::file_name_part(short_id(out_.commits[step.candidate]));
      case SearchStep::Kind::kRest:
        return "rest";
    }
    return {};
  }

  std::string words_of(const SearchStep& step) const {
    const std::string base = short_id(out_.commits[step.base]);
    const std::string candidate = short_id(out_.commits[step.candidate]);
    switch (step.kind) {
      case SearchStep::Kind::kEnds:
        return "the ends: " + base + " against " + candidate;
      case SearchStep::Kind::kCommit:
        return candidate + " against " + base;
      case SearchStep::Kind::kCulprit:
        return candidate + " against the commit before it, " + base + ", with fresh pairs";
      case SearchStep::Kind::kRest:
        return "what came after it: " + candidate + " against " + base;
    }
    return {};
  }

  campaign::AbRequest ab_request(const SearchStep& step, campaign::ArmsRequest arms) {
    campaign::AbRequest ab{.arms = std::move(arms),
                           .pairs = static_cast<std::int64_t>(kMostPairs),
                           .seed = seed_ + step.candidate,
                           .metrics = {request_.metric},
                           .results = (out_.folder / folder_name(step)).string(),
                           .lock = request_.lock,
                           .purpose = "bisect",
                           .context = {{"bisect_base", out_.commits[step.base].id},
                                       {"bisect_candidate", out_.commits[step.candidate].id}}};
    for (std::size_t pairs = kFewestPairs; pairs < kMostPairs; pairs += kPairsOfBlock) {
      ab.looks.push_back(pairs);
    }
    const std::vector<fs::path> earlier = campaign::folders_newest_first(ab.results);
    if (!earlier.empty()) ab.resume = earlier.front().string();
    return ab;
  }

  bool measure_pairs(const SearchStep& step, const BuiltProgram& base,
                     const BuiltProgram& candidate, Bisection& bisection, JudgedStep& judged) {
    campaign::AbRequest ab = ab_request(step, arms_of(step, base, candidate));
    const campaign::AbArms arms = campaign::resolve_arms(ab.arms, context_);
    if (arms.points.size() != 1) refuse_cases(arms);
    const compare::AbPoint& point = arms.points.front();
    const campaign::AbPlan plan = campaign::plan_ab(ab, arms);
    ab.is_over = [&](const record::Results& finished, const compare::AbPoint&, std::size_t pairs) {
      return bisection.is_enough(log_ratios_of(finished, point, plan.tested, plan.columns, pairs));
    };
    progress_.say(words_of(step));
    campaign::AbRun run = campaign::run_ab(ab, arms, context_, progress_, interrupts_, clock_,
                                           [](const fs::path&) {});
    if (run.signal) return false;
    const record::Results results = record::read_results(run.run_folder);
    const std::vector<double> ratios =
        log_ratios_of(results, point, plan.tested, plan.columns, kMostPairs);
    out_.launches += results.launches.size();
    judged.folder = run.run_folder;
    judged.pairs = ratios.size();
    if (ratios.size() < kFewestPairs) {
      refuse_what_is_not_measured(step, results);
      judged.why_not = "cannot be measured: " + reason_of(results, compare::kArmB);
      leave_out(std::move(judged), bisection);
      return true;
    }
    judged.side = bisection.side(ratios);
    bisection.take(ratios);
    judged.change =
        step.kind == SearchStep::Kind::kEnds ? bisection.ends() : interval_of(ratios, error());
    if (step.kind == SearchStep::Kind::kCulprit) {
      out_.comparison = std::move(run.comparison);
      out_.repeat = repeat_of(ab.arms, point);
    }
    out_.judged.push_back(std::move(judged));
    return true;
  }

  double error() const { return error_of_decision(request_.confidence, out_.commits.size() - 1); }

  [[noreturn]] void refuse_cases(const campaign::AbArms& arms) const {
    if (arms.points.empty()) {
      const std::string why = arms.missing.empty() ? "" : ": " + arms.missing.front().reason;
      throw ConfigError(request_.arms.file, "neither end can measure a case of it" + why);
    }
    throw ConfigError(request_.arms.file,
                      "has " + text::counted(std::ssize(arms.points), "case") +
                          "; a search judges one: choose it with --case ID or --filter KEY=VALUE");
  }

  void refuse_what_is_not_measured(const SearchStep& step, const record::Results& results) const {
    const std::string base = reason_of(results, compare::kArmA);
    if (!base.empty()) {
      throw NothingMeasured(short_id(out_.commits[step.base]), "cannot be measured: " + base);
    }
    if (step.kind == SearchStep::Kind::kCommit) return;
    throw NothingMeasured(short_id(out_.commits[step.candidate]),
                          "cannot be measured: " + reason_of(results, compare::kArmB));
  }

  std::string repeat_of(const campaign::ArmsRequest& arms, const compare::AbPoint& point) const {
    // Trees are gone then, programs are not.
    if (reads_trees() || arms.a.empty()) return {};
    std::string command = "stepbench ab " + text::shell_word(arms.file) + " --a " +
                          text::shell_word(arms.a) + " --b " + text::shell_word(arms.b);
    for (const std::string& set : arms.set) command += " --set " + text::shell_word(set);
    return command + " --case " + point.a_case.substr(0, 12) + " --metric " + request_.metric;
  }

  void save(const Bisection& bisection) {
    out_.answer = bisection.answer();
    out_.good = bisection.good();
    out_.bad = bisection.bad();
    out_.ends = bisection.ends();
    write_search_file(out_);
  }

  BisectRun end_by_signal() {
    out_.signal = interrupts_.first();
    out_.exit_status = exit_status_of_signal(*out_.signal);
    write_search_file(out_);
    return std::move(out_);
  }

  void finish(const Bisection& bisection) {
    out_.culprit = bisection.culprit();
    out_.rest = bisection.rest();
    if (out_.answer == SearchAnswer::kFound && repository_) {
      out_.changes = repository_->changes_of(out_.commits[out_.bad].id);
    }
    switch (out_.answer) {
      case SearchAnswer::kFound:
        out_.exit_status = kExitOk;
        break;
      case SearchAnswer::kRange:
        out_.exit_status = kExitSomeFailed;
        break;
      default:
        out_.exit_status = kExitInconclusive;
        break;
    }
    write_search_file(out_);
  }

  const BisectRequest& request_;
  const campaign::CampaignContext& context_;
  run::Progress& progress_;
  run::Interrupts& interrupts_;
  const Clock& clock_;
  std::optional<Repository> repository_;
  std::unique_ptr<Programs> programs_;
  std::uint64_t seed_ = 0;
  BisectRun out_;
};

}  // namespace

BisectRun run_bisect(const BisectRequest& request, const campaign::CampaignContext& context,
                     run::Progress& progress, run::Interrupts& interrupts, const Clock& clock) {
  return SearchRun(request, context, progress, interrupts, clock).run();
}

}  // namespace stepbench::bisect
