// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/run_bisect.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/bisect/bisect_result.h"
#include "harness/bisect/internal/measure_step.h"
#include "harness/bisect/internal/repository.h"
#include "harness/bisect/internal/search.h"
#include "harness/bisect/programs.h"
#include "harness/campaign/run_experiment.h"
#include "harness/campaign/run_folder.h"
#include "harness/os/descriptor.h"
#include "harness/os/files.h"
#include "harness/run/launch.h"
#include "harness/run/run_header.h"
#include "harness/text/secrets.h"
#include "harness/text/words.h"

namespace stepbench::bisect {
namespace {

constexpr std::size_t kCopyBuilds = 4;  // culprit and parent, twice
// Typical launches if the step is a few times the spread of launches.
constexpr std::size_t kUsualOfEnds = 16;
constexpr std::size_t kUsualOfCommit = 12;

// nullopt: never measured here, or only with a worker that is not built yet.
std::optional<double> launch_seconds(const BisectRequest& request,
                                     const campaign::CampaignContext& context) {
  campaign::RunRequest run = request;
  run.worker.clear();
  std::erase_if(run.set, [](const std::string& set) { return set.find('{') != std::string::npos; });
  try {
    const campaign::TimeEstimate estimate = campaign::estimate_time(
        campaign::plan_experiment(run, context, false).planned.plan, request.results);
    if (estimate.launches == 0 || !(estimate.expected_s > 0)) return std::nullopt;
    return estimate.expected_s / static_cast<double>(estimate.launches);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

}  // namespace

BisectPlan plan_bisect(const BisectRequest& request, const campaign::CampaignContext& context) {
  campaign::check_allowed(request.allow, campaign::known_gates());
  const bool versions = !request.versions.empty();
  const std::vector<Commit> commits =
      versions
          ? versions_between(request.versions, request.good, request.bad)
          : Repository(std::filesystem::current_path()).commits_between(request.good, request.bad);
  BisectPlan plan{.commits = commits.size() - 1};
  const auto halvings = static_cast<std::size_t>(std::bit_width(plan.commits - 1));
  const std::size_t most = Search::most_builds(plan.commits);
  const auto pairs_of = [&](const SearchStep& step) {
    return Search::most_pairs(step, plan.commits);
  };
  if (!request.build.empty()) {
    plan.builds = {2 + halvings + (versions ? 0 : kCopyBuilds),
                   std::min(most, versions ? plan.commits + 1 : most)};
  }
  if (counts_only(request)) {
    plan.launches = {2 * kCountedOfEnds + halvings, 2 * kCountedOfEnds + plan.commits - 1};
  } else {
    const std::size_t copies = 2 * 2 * pairs_of({.against_good_end = false});
    plan.launches = {kUsualOfEnds + kUsualOfCommit * halvings + copies,
                     2 * pairs_of({.place = plan.commits}) +
                         2 * pairs_of({.place = plan.commits + 1}) * most + copies};
  }
  plan.launch_s = launch_seconds(request, context);
  return plan;
}

namespace {

namespace fs = std::filesystem;

bool is_in(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

class SearchRun {
 public:
  // `folder`: of a resumed search or of one inside another search; empty: create a new one.
  SearchRun(const BisectRequest& request, fs::path folder, const campaign::Launching& launching)
      : request_(request),
        folder_(std::move(folder)),
        launching_(launching),
        begin_ns_(launching.clock.now_ns()) {}

  BisectRun run() {
    try {
      begin();
      Search search(setup());
      if (!walk(search)) return end_by_signal();
      finish();
      return std::move(out_);
    } catch (const Interrupted&) {
      if (out_.folder.empty()) throw;
      (void)launching_.interrupts.take();
      return end_by_signal();
    }
  }

 private:
  [[nodiscard]] std::size_t last() const { return out_.commits.size() - 1; }

  void begin() {
    // A build in a session of its own would otherwise continue during the next one.
    if (const std::string ended = run::end_orphans(); !ended.empty())
      launching_.progress.print_line(ended);
    if (request_.versions.empty()) {
      repository_.emplace(fs::current_path());
      repository_->remove_left();
      out_.commits = repository_->commits_between(request_.good, request_.bad);
    } else {
      out_.commits = versions_between(request_.versions, request_.good, request_.bad);
    }
    out_.confidence = request_.confidence;
    out_.metric = request_.metric;
    std::vector<std::string> secrets = run::secret_values({}, launching_.context.variables);
    out_.build = text::mask_secrets(request_.build, secrets);
    out_.size = request_.size;
    out_.known_layout = request_.layout;
    open_folder();
    if (repository_ && repository_->has_submodules()) {
      launching_.progress.print_line(
          "note: git checks out no submodules in the trees; put `git submodule update --init` "
          "before the build command");
    }
    measuring_ = std::make_unique<Measuring>(request_, out_.commits, out_.folder, launching_);
    const auto compiler_path = std::ranges::find(launching_.context.variables, "COMPILER_PATH",
                                                 &machine::Variables::value_type::first);
    programs_ = std::make_unique<Programs>(
        BuildRequest{.command = request_.build,
                     .worker = request_.worker,
                     .keep_trees = reads_trees(request_),
                     .compiler_path = compiler_path == launching_.context.variables.end()
                                          ? std::string()
                                          : compiler_path->second,
                     .secrets = std::move(secrets)},
        repository_ ? &*repository_ : nullptr, out_.folder,
        [this](const std::string& words) { launching_.progress.print_line(words); });
    launching_.progress.print_line(
        formatted("{} to search, results in {}",
                  text::counted(static_cast<std::int64_t>(last()),
                                request_.versions.empty() ? "commit" : "version"),
                  out_.folder.string()));
  }

  void open_folder() {
    const fs::path file = request_.script.empty() ? request_.file : request_.script;
    out_.folder = fs::absolute(
        folder_.empty() ? campaign::make_run_folder(request_.results, search_id(file.stem()))
                        : folder_);
    if (repository_ && is_in(out_.folder, repository_->top()) &&
        !repository_->ignores(out_.folder)) {
      launching_.progress.print_line(formatted(
          "note: {} lies in the repository and git does not ignore it", out_.folder.string()));
    }
    lock_ = lock_search(out_.folder);
    if (has_begun(out_.folder)) {
      const BisectRun earlier = read_search_file(out_.folder);
      if (!earlier.newer_version.empty()) {
        launching_.progress.print_line(formatted(
            "warning: {}: {}", (out_.folder / kSearchFile).string(), earlier.newer_version));
      }
      check_same_search(earlier, out_);
      earlier_seconds_ = earlier.seconds;
      out_.known_layout = earlier.known_layout;  // nights since may have learnt another
    }
    write_search_file(out_);
  }

  // Builds the ends; the good end shows whether programs have a layout.
  SearchSetup setup() {
    SearchSetup setup{.last = last(), .confidence = request_.confidence};
    if (request_.size) setup.size = std::log1p(*request_.size);
    const bool may_have_layout = !request_.build.empty() && request_.versions.empty();
    if (may_have_layout) {
      Search none(setup);
      build_ahead({.place = last()}, none);
      (void)program_of(0, 0);
      has_layout_ = programs_->has_layout(build_of(0, 0));
    }
    if (!has_layout_ || counts_only(request_)) {
      setup.layouts = SearchSetup::no_layout();
    } else if (out_.known_layout) {
      setup.layouts = SearchSetup::known_layout(*out_.known_layout);
    }
    return setup;
  }

  // Returns false if interrupted by a signal.
  bool walk(Search& search) {
    bool is_counted = counts_only(request_) || last() == 1;
    while (const std::optional<SearchStep> step = search.next()) {
      const bool ends = step->base == 0 && step->place == last();
      // If counts changed, they are cheaper than timing; but only timing decides.
      if (!ends && !std::exchange(is_counted, true)) {
        if (!expect_counted(search)) return false;
        continue;
      }
      build_ahead(*step, search);
      if (!measure(*step, search)) return false;
      note(search);
      write();
    }
    return true;
  }

  [[nodiscard]] Build build_of(std::size_t place, std::size_t number) const {
    return {out_.commits[place], has_layout_ ? number : 0};
  }

  // Only if something must be built anyway: then builds as many as may be needed next.
  void build_ahead(const SearchStep& step, const Search& search) {
    if (request_.jobs < 2 || request_.build.empty()) return;
    std::vector<Build> wanted;
    const auto want = [&](std::size_t place, std::size_t number) {
      Build build = build_of(place, number);
      const auto same = [&](const Build& each) {
        return each.commit.id == build.commit.id && each.number == build.number;
      };
      const bool known = programs_->is_built(build) || std::ranges::any_of(wanted, same);
      if (!known && wanted.size() < request_.jobs) wanted.push_back(std::move(build));
    };
    want(step.base, step.base_build);
    want(step.place, step.place_build);
    if (wanted.empty()) return;
    if (step.against_good_end) {
      for (const std::size_t place : search.ahead(request_.jobs)) want(place, 0);
    }
    if (wanted.size() > 1) programs_->build_in_parallel(wanted);
    out_.builds = programs_->builds();
  }

  BuiltProgram program_of(std::size_t place, std::size_t number) {
    BuiltProgram program = programs_->of(build_of(place, number));
    out_.builds = programs_->builds();
    return program;
  }

  // Returns false if interrupted by a signal.
  bool measure(const SearchStep& step, Search& search) {
    JudgedStep judged{.base = out_.commits[step.base].id,
                      .commit = out_.commits[step.place].id,
                      .built_separately = !step.against_good_end,
                      .build = step.place_build};
    const auto skip = [&](std::size_t place, std::string why) {
      launching_.progress.print_line(
          formatted("{} is left out: {}", short_id(out_.commits[place]), why));
      search.skip(place);
      judged.commit = out_.commits[place].id;
      judged.why_not = std::move(why);
      out_.judged.push_back(std::move(judged));
    };
    const StepPrograms programs{step, program_of(step.base, step.base_build),
                                program_of(step.place, step.place_build)};
    for (const auto& [place, program] :
         {std::pair(step.base, &programs.base), std::pair(step.place, &programs.candidate)}) {
      if (program->why_not.empty()) continue;
      if (is_first_end(step, place)) {
        throw ConfigError(short_id(out_.commits[place]), program->why_not);
      }
      skip(place, program->why_not);
      return true;
    }
    StepEnd end;
    try {
      end = counts_only(request_) ? measuring_->count(programs)
                                  : measuring_->time(programs, [&](verdict::Pairs pairs) {
                                      return search.is_enough(step, pairs);
                                    });
    } catch (const ConfigError& error) {
      // The ends could be planned, so only this commit is at fault.
      if (step.place == last() && step.place_build == 0) throw;
      skip(step.place, error.what());
      return true;
    }
    if (end.by_signal) return false;
    out_.launches += end.launches;
    judged.folder = end.folder.string();
    judged.pairs = counts_only(request_) ? 1 : end.log_ratios.size();
    judged.repeated = end.repeated;
    if (!end.why_not.empty()) {
      const std::size_t place = end.for_base ? step.base : step.place;
      const std::string why = "cannot be measured: " + end.why_not;
      if (is_first_end(step, place)) throw NothingMeasured(short_id(out_.commits[place]), why);
      skip(place, why);
      return true;
    }
    judged.change = relative(search.take(step, end.log_ratios));
    out_.judged.push_back(std::move(judged));
    for (const Build& build :
         {build_of(step.base, step.base_build), build_of(step.place, step.place_build)}) {
      if (build.number == 0 || programs_->is_layout_redrawn(build)) continue;
      out_.layout_redrawn = false;
      search.doubt_copies();
    }
    if (step.against_good_end) return true;
    if (compared_ != step.place) {  // the first copy records what a step consists of
      compared_ = step.place;
      out_.comparison = std::move(end.comparison);
      out_.repeat = std::move(end.repeat);
    }
    return true;
  }

  // True for the first builds of the ends, without which there is no search.
  [[nodiscard]] bool is_first_end(const SearchStep& step, std::size_t place) const {
    return place == step.base ? place == 0 && step.base_build == 0
                              : place == last() && step.place_build == 0;
  }

  // Searches by the count that changed between the ends, so that its result is examined first.
  // Expects nothing if no count changed. Returns false if interrupted by a signal.
  bool expect_counted(Search& search) {
    Search by_count({.last = last(), .layouts = SearchSetup::no_layout()});
    try {
      while (const std::optional<SearchStep> step = by_count.next()) {
        const StepPrograms programs{*step, program_of(step->base, 0), program_of(step->place, 0)};
        if (!programs.base.why_not.empty() || !programs.candidate.why_not.empty()) {
          by_count.skip(programs.base.why_not.empty() ? step->place : step->base);
          continue;
        }
        const StepEnd end = measuring_->count(programs);
        if (end.by_signal) return false;
        out_.launches += end.launches;
        if (!end.why_not.empty()) {
          by_count.skip(step->place);
        } else {
          by_count.take(*step, end.log_ratios);
        }
        if (measuring_->counted().empty()) return true;
        if (by_count.measured() == 1) {
          launching_.progress.print_line(measuring_->counted() +
                                         " moved between the ends: it is counted in the commits");
        }
      }
    } catch (const ConfigError&) {
      return true;  // nothing can be counted
    }
    if (const SearchResult found = by_count.result(); found.answer == SearchAnswer::kFound) {
      expected_ = found.places.best;
      search.expect(expected_);
    }
    return true;
  }

  void write() {
    constexpr double kNs = 1e9;
    out_.seconds =
        earlier_seconds_ + static_cast<double>(launching_.clock.now_ns() - begin_ns_) / kNs;
    write_search_file(out_);
  }

  // Records the results so far.
  void note(const Search& search) {
    const SearchResult found = search.result();
    out_.answer = found.answer;
    out_.ends = relative(found.ends);
    if (has_layout_ && !counts_only(request_)) out_.layout = std::expm1(found.layout);
    if (counts_only(request_)) out_.counted = measuring_->counted();
    out_.range.reset();
    const auto [first, range_last, best] = found.places;
    if (best == 0) return;
    out_.range = FoundRange{.after = out_.commits[first - 1].id,
                            .last = out_.commits[range_last].id,
                            .commits = range_last - first + 1,
                            .chance = found.chance};
    for (std::size_t place = first; place <= range_last; ++place) {
      out_.range->skipped += search.is_skipped(place) ? 1 : 0;
    }
    if (found.answer != SearchAnswer::kFound && found.answer != SearchAnswer::kLikely) return;
    out_.culprit =
        Culprit{out_.commits[best].id, out_.commits[best].title, relative(found.culprit)};
    if (found.elsewhere) out_.elsewhere = relative(*found.elsewhere);
    if (counts_only(request_)) compare_counted(best);
    if (compared_ != best) {
      out_.comparison = {};
      out_.repeat.clear();
    }
    if (expected_ == best) out_.counted = measuring_->counted();
    if (repository_) {
      out_.changes = repository_->changes_of(out_.culprit->commit);
      out_.branch = repository_->branch_of(out_.culprit->commit);
    }
  }

  BisectRun end_by_signal() {
    out_.signal = launching_.interrupts.first();
    out_.exit_status = exit_status_of_signal(*out_.signal);
    write();
    return std::move(out_);
  }

  void finish() {
    switch (out_.answer) {
      case SearchAnswer::kFound:
        out_.exit_status = kExitOk;
        break;
      case SearchAnswer::kLikely:
      case SearchAnswer::kRange:
        out_.exit_status = kExitSomeFailed;
        break;
      default:
        out_.exit_status = kExitInconclusive;
        break;
    }
    if (repository_) os::write_output_file("", out_.folder / kLogFile, bisect_log(out_));
    write();
  }

  // Compares what a step of the culprit and of its parent consists of.
  void compare_counted(std::size_t place) {
    const SearchStep step{.base = place - 1, .place = place, .against_good_end = false};
    StepEnd end =
        measuring_->compare_counts({step, program_of(step.base, 0), program_of(step.place, 0)});
    compared_ = place;
    out_.comparison = std::move(end.comparison);
    out_.repeat = std::move(end.repeat);
  }

  const BisectRequest& request_;
  fs::path folder_;
  const campaign::Launching& launching_;
  os::Descriptor lock_;
  std::optional<Repository> repository_;
  std::unique_ptr<Programs> programs_;
  bool has_layout_ = false;
  std::unique_ptr<Measuring> measuring_;
  std::int64_t begin_ns_;
  double earlier_seconds_ = 0;
  std::size_t expected_ = 0;  // place indicated by counts; 0: none
  std::size_t compared_ = 0;  // place whose comparison is stored
  BisectRun out_;
};

}  // namespace

BisectRun run_bisect(const BisectRequest& request, const campaign::Launching& launching) {
  campaign::check_allowed(request.allow, campaign::known_gates());
  BisectRequest asked = request;
  BisectRun whole = SearchRun(asked, request.resume, launching).run();
  for (BisectRun* run = &whole; request.merges && !run->signal && run->branch;) {
    asked.good = run->branch->base;
    asked.bad = run->branch->tip;
    asked.resume.clear();
    fs::create_directories(run->folder / "inside");
    launching.progress.print_line(run->culprit->commit.substr(0, 12) +
                                  " is a merge: its branch is searched");
    run->inside.push_back(SearchRun(asked, run->folder / "inside", launching).run());
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
