// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/run_bisect.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/bisect/counting.h"
#include "harness/bisect/moved_count.h"
#include "harness/bisect/pair_values.h"
#include "harness/bisect/programs.h"
#include "harness/bisect/search_file.h"
#include "harness/bisect/search_words.h"
#include "harness/bisect/step_requests.h"
#include "harness/campaign/run_folder.h"
#include "harness/os/descriptor.h"
#include "harness/record/reader.h"
#include "harness/run/orphans.h"
#include "harness/run/run_header.h"
#include "harness/text/words.h"

namespace stepbench::bisect {
namespace {

namespace fs = std::filesystem;

bool is_in(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

class SearchRun {
 public:
  // `folder`: of this search, where it is gone on with or lies in another one's; empty: a new one.
  SearchRun(const BisectRequest& request, fs::path folder, const campaign::CampaignContext& context,
            run::Progress& progress, run::Interrupts& interrupts, const Clock& clock)
      : request_(request),
        folder_(std::move(folder)),
        context_(context),
        progress_(progress),
        interrupts_(interrupts),
        clock_(clock),
        begin_ns_(clock.now_ns()) {}

  BisectRun run() {
    try {
      return searched();
    } catch (const Interrupted&) {
      if (out_.folder.empty()) throw;
      (void)interrupts_.take();
      return end_by_signal();
    }
  }

 private:
  BisectRun searched() {
    begin();
    if (!search(counts() || !out_.size)) return end_by_signal();
    // Of times nothing is left of what counts narrowed down.
    if (out_.answer == SearchAnswer::kContradicted && moved_.is_known() && !counts()) {
      progress_.say("what is counted moved elsewhere: the commits are timed");
      moved_.forget();
      if (!search(false)) return end_by_signal();
    }
    return std::move(out_);
  }

  void begin() {
    // A build that made a session of its own would go on beside the next one.
    if (const std::string ended = run::end_orphans(); !ended.empty()) progress_.say(ended);
    if (request_.versions.empty()) {
      repository_.emplace(fs::current_path());
      repository_->remove_left();
      out_.commits = repository_->commits_between(request_.good, request_.bad);
    } else {
      out_.commits = versions_between(request_.versions, request_.good, request_.bad);
    }
    out_.confidence = request_.confidence;
    out_.metric = request_.metric;
    out_.build = request_.build;
    if (request_.size) out_.size = std::log1p(*request_.size);
    out_.folder = fs::absolute(
        folder_.empty() ? campaign::make_run_folder(request_.results, search_id(name_of_search()))
                        : folder_);
    if (repository_ && is_in(out_.folder, repository_->top()) &&
        !repository_->ignores(out_.folder)) {
      progress_.say("note: " + out_.folder.string() +
                    " lies in the repository and git does not ignore it");
    }
    lock_ = lock_search(out_.folder);
    if (has_begun(out_.folder)) {
      const BisectRun earlier = read_search_file(out_.folder);
      check_same_search(earlier, out_);
      earlier_seconds_ = earlier.seconds;
    }
    write_search_file(out_);
    if (repository_ && repository_->has_submodules()) {
      progress_.say(
          "note: git checks out no submodules in the trees; `git submodule update --init` in front "
          "of the build command does");
    }
    seed_ = request_.seed ? *request_.seed : seed_of(out_.commits);
    programs_ =
        std::make_unique<Programs>(BuildRequest{.command = request_.build,
                                                .worker = request_.worker,
                                                .keep_trees = reads_trees(request_)},
                                   repository_ ? &*repository_ : nullptr, out_.folder,
                                   [this](const std::string& words) { progress_.say(words); });
    const auto last = static_cast<std::int64_t>(out_.commits.size()) - 1;
    progress_.say(text::counted(last, request_.versions.empty() ? "commit" : "version") +
                  " to search, results in " + out_.folder.string());
  }

  std::string name_of_search() const {
    const std::string file = request_.script.empty() ? request_.arms.file : request_.script;
    return fs::path(file).stem().string();
  }

  // Counts first: where they moved between the ends, they tell the commits, and fresh pairs decide.
  // False: a signal ended it.
  bool search(bool counts_first) {
    Bisection bisection(out_.commits.size() - 1, request_.confidence,
                        out_.size.value_or(std::numeric_limits<double>::infinity()));
    while (const std::optional<SearchStep> step = bisection.next()) {
      build_ahead(*step, bisection);
      if (!measure(*step, bisection)) return false;
      save(bisection);
      const bool reproduced = step->kind == SearchStep::Kind::kEnds && bisection.ends().worse;
      if (reproduced && counts_first && out_.commits.size() > 2 && !find_moved_count())
        return false;
    }
    finish(bisection);
    return true;
  }

  // Only where something has to be built at all: then as much as may be needed next.
  void build_ahead(const SearchStep& step, const Bisection& bisection) {
    if (request_.jobs < 2 || request_.build.empty()) return;
    std::vector<std::size_t> places = {step.base, step.candidate};
    const bool ends = step.kind == SearchStep::Kind::kEnds;
    if (!ends && step.kind != SearchStep::Kind::kCommit) return;
    for (const std::size_t place : bisection.ahead(request_.jobs)) places.push_back(place);
    std::vector<Commit> commits;
    for (const std::size_t place : places) {
      const Commit& commit = out_.commits[place];
      const bool known = programs_->is_built(commit) ||
                         std::ranges::find(commits, commit.id, &Commit::id) != commits.end();
      if (!known && commits.size() < request_.jobs) commits.push_back(commit);
    }
    const bool needed = !programs_->is_built(out_.commits[step.candidate]) ||
                        !programs_->is_built(out_.commits[step.base]);
    if (needed && commits.size() > 1) programs_->build_beside(commits);
    out_.builds = programs_->builds();
  }

  bool counts() const { return counts_only(request_); }

  // False: a signal ended it.
  bool find_moved_count() {
    if (counts()) {
      try {
        moved_.take(record::read_results(out_.judged.front().folder), out_.counted);
      } catch (const ConfigError&) {
        moved_.forget();  // pairs tell the commits
      }
      return true;
    }
    if (!moved_.find(0, out_.commits.size() - 1)) return false;
    if (moved_.is_known())
      progress_.say(moved_.name() + " moved between the ends: it is counted in the commits");
    return true;
  }

  // nullopt: a signal ended it. Throws ConfigError where nothing can be counted.
  std::optional<record::Results> counted(std::size_t place, std::int64_t launches) {
    const SearchStep step{.kind = SearchStep::Kind::kCommit, .base = place, .candidate = place};
    const BuiltProgram program = program_of(place, false);
    if (!program.why_not.empty()) throw ConfigError(short_id(out_.commits[place]), program.why_not);
    campaign::ArmsRequest arms = arms_of(request_, step, out_.commits, program, program);
    Counted end = count_program(
        {.arms = std::move(arms),
         .launches = static_cast<int>(launches),
         .folder = out_.folder / ("counts-" + run::file_name_part(short_id(out_.commits[place]))),
         .lock = request_.lock},
        context_, progress_, interrupts_, clock_);
    if (end.signal) return std::nullopt;
    out_.launches += end.results.launches.size();
    const bool any = std::ranges::any_of(
        end.results.launches, [](const record::Launch& launch) { return !launch.ops.empty(); });
    if (!any) throw ConfigError(short_id(out_.commits[place]), "counts nothing");
    return std::move(end.results);
  }

  // False: a signal ended it.
  bool measure(const SearchStep& step, Bisection& bisection) {
    JudgedStep judged{.step = step};
    if (step.kind == SearchStep::Kind::kCommit && moved_.is_known()) {
      progress_.say(short_id(out_.commits[step.candidate]) + ", counted");
      const MovedCount::Told told = moved_.tell(step, bisection, judged);
      if (told == MovedCount::Told::kSignal) return false;
      if (told == MovedCount::Told::kSide) {
        judged.folder = out_.folder;
        out_.judged.push_back(std::move(judged));
        return true;
      }
      // Pairs tell what one launch cannot.
    }
    const bool fresh = step.kind == SearchStep::Kind::kCulprit;
    const BuiltProgram base = program_of(step.base, fresh);
    BuiltProgram candidate = base.why_not.empty() ? program_of(step.candidate, fresh) : base;
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

  bool measure_pairs(const SearchStep& step, const BuiltProgram& base,
                     const BuiltProgram& candidate, Bisection& bisection, JudgedStep& judged) {
    campaign::AbRequest ab =
        pairs_of(request_, step, out_.commits,
                 arms_of(request_, step, out_.commits, base, candidate), out_.folder, seed_);
    const campaign::AbArms arms = campaign::resolve_arms(ab.arms, context_);
    require_one_case(request_, arms);
    const compare::AbPoint& point = arms.points.front();
    const campaign::AbPlan plan = campaign::plan_ab(ab, arms);
    if (!counts()) {
      ab.is_over = [&](const record::Results& finished, const compare::AbPoint&,
                       std::size_t pairs) {
        return bisection.is_enough(
            log_ratios_of(finished, point, plan.tested, plan.columns, pairs));
      };
    }
    progress_.say(words_of(step, out_.commits));
    campaign::AbRun run = campaign::run_ab(ab, arms, context_, progress_, interrupts_, clock_,
                                           [](const fs::path&) {});
    if (run.signal) return false;
    const record::Results results = record::read_results(run.run_folder);
    const std::vector<double> ratios =
        counts() ? counted_ratios(step, run.comparison)
                 : log_ratios_of(results, point, plan.tested, plan.columns, kMostPairs);
    const bool again =
        std::ranges::find(out_.judged, run.run_folder, &JudgedStep::folder) != out_.judged.end();
    if (!again) out_.launches += results.launches.size();
    judged.folder = run.run_folder;
    judged.pairs = counts() ? std::min<std::size_t>(ratios.size(), 1) : ratios.size();
    if (ratios.size() < kFewestPairs) {
      require_measured(request_, step, out_.commits, results);
      judged.why_not = "cannot be measured: " + reason_of_failure(results, compare::kArmB);
      leave_out(std::move(judged), bisection);
      return true;
    }
    judged.side = bisection.side(ratios);
    bisection.take(ratios);
    judged.change =
        step.kind == SearchStep::Kind::kEnds ? bisection.ends() : interval_of(ratios, error());
    if (step.kind == SearchStep::Kind::kCulprit) {
      out_.comparison = std::move(run.comparison);
      out_.repeat = repeat_of(request_, ab.arms, point);
    }
    if (!again) out_.judged.push_back(std::move(judged));
    return true;
  }

  // The count that rose most between the ends is the one that is searched for.
  std::vector<double> counted_ratios(const SearchStep& step,
                                     const compare::Comparison& comparison) {
    if (comparison.cases.empty()) return {};
    const compare::CaseResult& one = comparison.cases.front();
    if (step.kind == SearchStep::Kind::kEnds) {
      out_.counted = risen_count(one);
      const bool counted = std::ranges::any_of(one.metrics, [](const auto& metric) {
        return metric.decides && metric.test.verdict != compare::Verdict::kNoData;
      });
      if (out_.counted.empty() && counted) return std::vector<double>(kFewestPairs, 0);
    }
    return log_ratios_of_count(one, out_.counted);
  }

  double error() const { return error_of_decision(request_.confidence, out_.commits.size() - 1); }

  void write() {
    constexpr double kNs = 1e9;
    out_.seconds = earlier_seconds_ + static_cast<double>(clock_.now_ns() - begin_ns_) / kNs;
    write_search_file(out_);
  }

  void save(const Bisection& bisection) {
    out_.answer = bisection.answer();
    out_.good = bisection.good();
    out_.bad = bisection.bad();
    out_.ends = bisection.ends();
    write();
  }

  BisectRun end_by_signal() {
    out_.signal = interrupts_.first();
    out_.exit_status = exit_status_of_signal(*out_.signal);
    write();
    return std::move(out_);
  }

  void finish(const Bisection& bisection) {
    out_.culprit = bisection.culprit();
    out_.rest = bisection.rest();
    if (out_.answer == SearchAnswer::kFound && repository_) {
      const std::string& culprit = out_.commits[out_.bad].id;
      out_.changes = repository_->changes_of(culprit);
      out_.branch = repository_->branch_of(culprit);
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
    write();
  }

  const BisectRequest& request_;
  fs::path folder_;
  const campaign::CampaignContext& context_;
  run::Progress& progress_;
  run::Interrupts& interrupts_;
  const Clock& clock_;
  os::Descriptor lock_;
  std::optional<Repository> repository_;
  std::unique_ptr<Programs> programs_;
  std::uint64_t seed_ = 0;
  std::int64_t begin_ns_;
  double earlier_seconds_ = 0;
  MovedCount moved_{
      [this](std::size_t place, std::int64_t launches) { return counted(place, launches); }};
  BisectRun out_;
};

}  // namespace

BisectRun run_bisect(const BisectRequest& request, const campaign::CampaignContext& context,
                     run::Progress& progress, run::Interrupts& interrupts, const Clock& clock) {
  BisectRequest asked = request;
  BisectRun whole = SearchRun(asked, request.resume, context, progress, interrupts, clock).run();
  for (BisectRun* run = &whole; request.merges && !run->signal && run->branch;) {
    asked.good = run->branch->base;
    asked.bad = run->branch->tip;
    asked.resume.clear();
    fs::create_directories(run->folder / "inside");
    progress.say(short_id(run->commits[run->bad]) + " is a merge: its branch is searched");
    run->inside.push_back(
        SearchRun(asked, run->folder / "inside", context, progress, interrupts, clock).run());
    run = &run->inside.front();
    if (run->signal) {
      whole.signal = run->signal;
      whole.exit_status = run->exit_status;
    }
  }
  write_search_file(whole);
  return whole;
}

}  // namespace stepbench::bisect
