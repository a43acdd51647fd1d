// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/run_tune.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/run_ab.h"
#include "harness/campaign/run_experiment.h"
#include "harness/campaign/run_folder.h"
#include "harness/campaign/verdict_options.h"
#include "harness/estimate/case_rows.h"
#include "harness/machine/environment.h"
#include "harness/os/output_file.h"
#include "harness/plan/fixed_experiment.h"
#include "harness/plan/yaml_document.h"
#include "harness/run/run_header.h"
#include "harness/stats/order.h"
#include "harness/stats/random.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/tune/launched.h"
#include "harness/tune/space.h"
#include "harness/tune/tuning_file.h"

namespace stepbench::tune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSeedField = "tune_seed";
constexpr const char* kObjectiveField = "tune_objective";
constexpr double kConfidence = 0.95;
constexpr double kSearchShare = 0.7;  // of the allowance; the rest confirms
constexpr double kLaunchesOfSweep = 6;
// Of a short launch: a third of the steps, whose mean varies as much more at most.
constexpr std::int64_t kShorter = 3;
constexpr std::int64_t kFewestActive = 5;
const double kShortSd = std::sqrt(static_cast<double>(kShorter));
constexpr std::size_t kFewestPairs = 10;
constexpr std::size_t kMostPairs = 40;  // the last look of `ab`

// What the options of another batch size, precision or accumulation compute is other work.
bool changes_work(const std::string& option) {
  const std::string end = option.substr(option.find_last_of('.') + 1);
  return end == "batch_size" || end == "precision" || end == "accumulate";
}

class Tuning {
 public:
  Tuning(const TuneRequest& request, const campaign::CampaignContext& context,
         run::Progress& progress, run::Interrupts& interrupts, const Clock& clock)
      : request_(request),
        context_(context),
        progress_(progress),
        interrupts_(interrupts),
        clock_(clock) {}

  TuneRun run() {
    campaign::check_allowed(request_.allow,
                            {compare::gate_names().begin(), compare::gate_names().end()});
    plan_space();
    plan_short_launches();
    choose_objective();
    choose_seed();
    if (!search()) return end_by_signal();
    describe_points();
    if (!out_.standing.empty() && request_.confirm && !confirm()) return end_by_signal();
    conclude();
    return std::move(out_);
  }

 private:
  plan::Plan& plan() { return space_.planned.plan; }

  campaign::RunRequest run_request() const {
    return {.file = request_.file,
            .text = request_.text,
            .results = request_.results,
            .resume = request_.resume,
            .filter = request_.filter,
            .set = request_.set,
            .sweep = sweep_,
            .worker = request_.worker,
            .lock = request_.lock};
  }

  // The file's own settings, without its sweep.
  plan::PlannedCase plan_own() {
    const std::string source = plan::source_name(request_.file);
    config_text_ = request_.text ? *request_.text : plan::read_config_text(request_.file);
    own_text_ = plan::fixed_experiment(config_text_, source, context_.built_in.catalogue, {}, {});
    campaign::RunRequest own = run_request();
    own.text = own_text_;
    own.sweep.clear();
    own.filter.clear();
    try {
      campaign::PlannedRun planned = campaign::plan_experiment(own, context_, true);
      return std::move(planned.planned.plan.cases.front());
    } catch (const ConfigError& error) {
      throw ConfigError(source, std::string("its own settings, without the sweep, make no case to "
                                            "compare with: ") +
                                    error.what());
    }
  }

  // The cases of the sweep and, where it has not got them, the file's own settings.
  void plan_space() {
    plan::PlannedCase of_file = plan_own();
    sweep_ = request_.sweep;
    for (std::string& sweep : sweeps_of(request_.spaces, of_file.resolved,
                                        static_cast<int>(std::ceil(machine::usable_cores("/"))))) {
      sweep_.push_back(std::move(sweep));
    }
    if (!request_.arguments.empty()) {
      sweep_.push_back(sweep_of_arguments(request_.arguments, of_file.resolved));
    }
    space_ = campaign::plan_experiment(run_request(), context_, true);
    if (plan().varying.empty()) {
      throw ConfigError(plan::source_name(request_.file),
                        "has one point; a search wants a sweep, as `sweep: {matrix: "
                        "{loader.num_workers: [0, 2, 4]}}`, --sweep loader.num_workers=0,2,4 or "
                        "--space loader");
    }
    const auto found = std::ranges::find_if(plan().cases, [&](const plan::PlannedCase& each) {
      return each.resolved.case_id == of_file.resolved.case_id;
    });
    out_.own_is_swept = found != plan().cases.end();
    out_.own = static_cast<std::size_t>(found - plan().cases.begin());
    if (!out_.own_is_swept) plan().cases.push_back(std::move(of_file));
    out_.changes_work = std::ranges::any_of(plan().varying, changes_work);
  }

  // As the plan has it with fewer steps: its rules see to it that a window still fits the loader.
  void plan_short_launches() {
    const ResolvedCase& first = plan().cases.front().resolved;
    if (first.has("schedule.max_active")) return;  // active: auto measures as much as it needs
    const std::int64_t active = first.integer("schedule.active");
    const std::int64_t fewer = std::min(active, std::max(active / kShorter, kFewestActive));
    campaign::RunRequest shorter = run_request();
    shorter.set.push_back("schedule.active=" + std::to_string(fewer));
    std::map<std::string_view, const ResolvedCase*> known;
    campaign::PlannedRun swept = campaign::plan_experiment(shorter, context_, true);
    shorter.text = own_text_;
    shorter.sweep.clear();
    shorter.filter.clear();
    campaign::PlannedRun own = campaign::plan_experiment(shorter, context_, true);
    for (const campaign::PlannedRun* run : {&swept, &own}) {
      for (const plan::PlannedCase& each : run->planned.plan.cases) {
        known.emplace(each.resolved.case_id, &each.resolved);
      }
    }
    for (const plan::PlannedCase& each : plan().cases) {
      OptionValues brief;
      const auto found = known.find(each.resolved.case_id);
      if (found != known.end()) {
        for (const auto& [name, value] : found->second->options) {
          const Value* full = each.resolved.options.get(name);
          if (!name.starts_with("schedule.") || full == nullptr || *full == value) continue;
          brief.insert_or_assign(name, value);
          by_launch_.insert(name);
        }
      }
      brief_.push_back(std::move(brief));
    }
  }

  void choose_objective() {
    std::vector<std::string> names = {request_.objective};
    if (names.front().empty()) {
      const bool batches = std::ranges::any_of(
          plan().varying, [](const std::string& option) { return option.ends_with("batch_size"); });
      names.front() = batches ? "samples_per_s" : "step";
    }
    std::vector<std::string> margins;
    if (request_.margin) {
      margins.push_back(names.front() + "=" + std::to_string(*request_.margin));
    }
    const compare::TestedMetrics tested = campaign::tested_metrics(
        {names, margins}, run::columns_of(plan(), space_.planned.catalogue).columns, &plan());
    out_.objective = tested.metrics.front();
    out_.margin = out_.objective.margin.value_or(compare::kDefaultMargin);
  }

  // The same search asks for the same launches in the same order.
  void choose_seed() {
    std::vector<double> letters;
    for (const char letter : plan().digest) letters.push_back(letter);
    out_.seed = request_.seed.value_or(stats::seed_of(letters) >> 11U);
    for (const record::RunRow& then : campaign::earlier_results(request_.resume).runs) {
      const auto refuse = [&](const char* option, const std::string& was) {
        throw ConfigError("--resume",
                          std::string("this search has another ") + option + ": " + was);
      };
      const std::string seed = text_of(then.context, kSeedField);
      if (seed.empty()) throw ConfigError(request_.resume, "is no folder of `stepbench tune`");
      if (seed != std::to_string(out_.seed)) refuse("--seed", seed);
      const std::string objective = text_of(then.context, kObjectiveField);
      if (objective != out_.objective.name) refuse("--objective", objective);
    }
  }

  [[nodiscard]] Allowance of_search() const {
    Allowance allowance = request_.allowance;
    const double share = request_.confirm ? kSearchShare : 1;
    if (allowance.seconds) *allowance.seconds *= share;
    if (allowance.launches) {
      const auto all = static_cast<double>(*allowance.launches);
      *allowance.launches = static_cast<std::size_t>(all * share);
    }
    return allowance;
  }

  // False: a signal ended it.
  bool search() {
    out_.allowance = request_.allowance;
    out_.confidence = kConfidence;
    const Allowance allowance = of_search();
    refuse_too_few_launches(allowance);
    campaign::RunRequest asked = run_request();
    asked.purpose = "tune";
    asked.context = {{kSeedField, static_cast<std::int64_t>(out_.seed)},
                     {kObjectiveField, out_.objective.name}};
    asked.by_launch = by_launch_;
    std::shared_ptr<TuneAgenda> agenda;
    asked.agenda = [&](const record::Results& finished) {
      agenda = std::make_shared<TuneAgenda>(
          TuneAgenda::Setup{.plan = plan(),
                            .brief = brief_,
                            .objective = out_.objective,
                            .margin = out_.margin,
                            .seed = out_.seed,
                            .memory_limit = request_.memory_limit,
                            .allowance = allowance,
                            .say = [this](const std::string& text) { progress_.say(text); }},
          finished);
      return agenda;
    };
    progress_.say(text::counted(std::ssize(plan().cases), "point") +
                  (out_.own_is_swept ? "" : ", the file's own settings among them") + ", by " +
                  out_.objective.name);
    const campaign::RunEnd end =
        campaign::run_experiment(asked, space_, context_, progress_, interrupts_, clock_,
                                 [this](const fs::path& folder) { out_.folder = folder; });
    out_.folder = end.run_folder;
    out_.signal = end.signal;
    if (agenda) take_over(*agenda);
    if (end.signal) return false;
    refuse_small_budget();
    return true;
  }

  void take_over(const TuneAgenda& agenda) {
    out_.standing = agenda.halving().standing();
    for (const Rung& rung : agenda.halving().rungs()) {
      if (!rung.points.empty() || rung.rounds > 0) out_.rungs.push_back(rung);
    }
    out_.regret = regret_bounds(agenda.halving().rounds(), out_.standing, kConfidence, kShortSd);
    out_.stopped = agenda.is_stopped();
    out_.search_s = agenda.spent_s();
    out_.launches = agenda.launches();
    first_rung_s_ = agenda.first_rung_s();
    states_ = agenda.points();
    rounds_ = agenda.halving().rounds();
  }

  void refuse_too_few_launches(const Allowance& allowance) {
    const std::size_t points = plan().cases.size();
    if (!allowance.launches || *allowance.launches >= points) return;
    const double share = request_.confirm ? kSearchShare : 1;
    throw ConfigError("--launches", "each of the " +
                                        text::counted(static_cast<std::int64_t>(points), "point") +
                                        " needs one; at least " +
                                        std::to_string(static_cast<std::int64_t>(
                                            std::ceil(static_cast<double>(points) / share))));
  }

  void refuse_small_budget() {
    if (!out_.stopped || !rounds_.empty()) return;
    const double share = request_.confirm ? kSearchShare : 1;
    throw ConfigError("--budget", "one short launch of each of the " +
                                      text::counted(std::ssize(plan().cases), "point") + " takes " +
                                      text::rough_duration(first_rung_s_) + "; give at least " +
                                      text::rough_duration(first_rung_s_ / share) +
                                      ", or fewer points with --filter. Go on with --resume " +
                                      text::shell_word(out_.folder.string()));
  }

  void describe_points() {
    double per_launch_s = 0;
    double measured = 0;
    for (std::size_t i = 0; i < plan().cases.size(); ++i) {
      const ResolvedCase& resolved = plan().cases[i].resolved;
      TunedPoint point{.case_id = resolved.case_id,
                       .label = estimate::case_label(resolved.options, plan().varying,
                                                     resolved.case_id.substr(0, 6)),
                       .state = states_[i]};
      for (const std::string& name : plan().varying) {
        const Value* value = resolved.options.get(name);
        if (value != nullptr) point.values.insert_or_assign(name, *value);
      }
      const std::vector<double>& values =
          point.state.full.empty() ? point.state.brief : point.state.full;
      if (!values.empty()) point.value = stats::median(values);
      for (std::size_t rung = 0; rung < out_.rungs.size(); ++rung) {
        if (std::ranges::count(out_.rungs[rung].points, i) > 0) point.last_rung = rung;
      }
      for (const double wall_s : point.state.wall_s) per_launch_s += wall_s;
      measured += static_cast<double>(point.state.wall_s.size());
      out_.points.push_back(std::move(point));
    }
    if (measured > 0) {
      out_.sweep_s =
          per_launch_s / measured * kLaunchesOfSweep * static_cast<double>(out_.points.size());
    }
    find_front();
    if (out_.standing.empty()) return;
    const TunedPoint& winner = out_.points[out_.standing.front().point];
    const TunedPoint& own = out_.points[out_.own];
    for (const auto& [name, value] : winner.values) {
      const auto was = own.values.find(name);
      if (is_null(value) || (was != own.values.end() && was->second == value)) continue;
      out_.changes.push_back(name + "=" + to_text(value));
    }
  }

  // No point of it is worse than another one in the objective, in memory and in CPU time.
  void find_front() {
    const auto costs_of = [&](const TunedPoint& point) {
      return std::vector<double>{log_cost(*point.value, out_.objective.direction),
                                 point.state.memory_bytes,
                                 point.state.cpu_s_per_1k_samples.value_or(0)};
    };
    for (std::size_t i = 0; i < out_.points.size(); ++i) {
      const auto is_candidate = [&](std::size_t place) {
        const PointState& state = out_.points[place].state;
        return state.fate == Fate::kMeasured && !state.full.empty();
      };
      if (!is_candidate(i)) continue;
      const std::vector<double> ours = costs_of(out_.points[i]);
      bool beaten = false;
      for (std::size_t j = 0; j < out_.points.size() && !beaten; ++j) {
        if (j == i || !is_candidate(j)) continue;
        const std::vector<double> theirs = costs_of(out_.points[j]);
        bool no_worse = true;
        for (std::size_t k = 0; k < ours.size(); ++k) no_worse = no_worse && theirs[k] <= ours[k];
        beaten = no_worse && theirs != ours;
      }
      if (!beaten) out_.front.push_back(i);
    }
  }

  [[nodiscard]] campaign::ArmsRequest arms() const {
    return {.file = (out_.folder / kOwnFile).string(),
            .a = request_.worker,
            .b = request_.worker,
            .b_set = out_.changes,
            .set = request_.set};
  }

  // How many pairs the allowance has room for; 0: too few. nullopt: as many as the looks ask for.
  [[nodiscard]] std::optional<std::int64_t> pairs_left() const {
    std::optional<double> most;
    const auto at_most = [&](double pairs) { most = std::min(most.value_or(pairs), pairs); };
    if (request_.allowance.seconds) {
      const auto cost_s = [&](std::size_t point) {
        const PointState& state = out_.points[point].state;
        return state.wall_s.empty() ? 0 : state.wall_s.back();
      };
      const double pair_s = cost_s(out_.own) + cost_s(out_.standing.front().point);
      at_most((*request_.allowance.seconds - out_.search_s) / std::max(pair_s, 1e-3));
    }
    if (request_.allowance.launches) {
      at_most(
          (static_cast<double>(*request_.allowance.launches) - static_cast<double>(out_.launches)) /
          2);
    }
    if (!most || *most >= static_cast<double>(kMostPairs)) return std::nullopt;
    // A block is two pairs.
    const auto whole = static_cast<std::int64_t>(std::max(*most, 0.0)) / 2 * 2;
    return whole < static_cast<std::int64_t>(kFewestPairs) ? 0 : whole;
  }

  // False: a signal ended it.
  bool confirm() {
    const std::size_t best = out_.standing.front().point;
    if (best == out_.own) return true;
    const PointState& own = states_[out_.own];
    if (own.fate != Fate::kMeasured) {
      out_.why_not_confirmed = "the file's own settings cannot be measured: " + own.reason;
      return true;
    }
    const std::optional<std::int64_t> pairs = pairs_left();
    if (pairs == 0) {
      out_.why_not_confirmed =
          "the budget has no room for " + std::to_string(kFewestPairs) + " pairs of launches";
      return true;
    }
    os::write_output_file("", out_.folder / kOwnFile, own_text_);
    campaign::AbRequest ab{.arms = arms(),
                           .pairs = pairs.value_or(0),
                           .seed = out_.seed,
                           .metrics = {out_.objective.name},
                           .allow = request_.allow,
                           .results = (out_.folder / "confirm").string(),
                           .lock = request_.lock,
                           .purpose = "confirm"};
    if (request_.margin) {
      ab.margins.push_back(out_.objective.name + "=" + std::to_string(*request_.margin));
    }
    const std::vector<fs::path> earlier = campaign::folders_newest_first(ab.results);
    if (!earlier.empty()) ab.resume = earlier.front().string();
    const campaign::AbArms planned = campaign::resolve_arms(ab.arms, context_);
    progress_.say("confirm: " + out_.points[best].label + " against the file's own settings");
    const campaign::AbRun run = campaign::run_ab(ab, planned, context_, progress_, interrupts_,
                                                 clock_, [](const fs::path&) {});
    out_.signal = run.signal;
    out_.confirm_folder = run.run_folder;
    if (!run.run_folder.empty()) {
      for (const record::Launch& launch : record::read_results(run.run_folder).launches) {
        out_.confirm_s += wall_s_of(launch);
      }
    }
    if (run.signal) return false;
    if (run.comparison.cases.empty() || run.comparison.cases.front().metrics.empty()) {
      out_.why_not_confirmed = "the pairs could not be measured";
      return true;
    }
    for (const compare::Gate& gate : run.comparison.gates) {
      if (gate.state == compare::GateState::kFailed && !gate.allowed) {
        out_.why_invalid.push_back(gate.text);
      }
    }
    out_.confirmed = run.comparison.cases.front().metrics.front();
    out_.pairs = out_.confirmed->test.pairs;
    return true;
  }

  void conclude() {
    if (out_.standing.empty()) {
      out_.answer = TuneAnswer::kNothing;
      out_.exit_status = kExitNothingMeasured;
    } else if (out_.standing.front().point == out_.own) {
      out_.answer = TuneAnswer::kOwnIsBest;
    } else if (!out_.confirmed) {
      out_.answer = TuneAnswer::kNotConfirmed;
    } else {
      switch (out_.confirmed->test.verdict) {
        case compare::Verdict::kImprovement:
          out_.answer = TuneAnswer::kBetter;
          break;
        case compare::Verdict::kOk:
        case compare::Verdict::kRegression:
          out_.answer = TuneAnswer::kOwnIsBest;
          break;
        default:
          out_.answer = TuneAnswer::kUndecided;
          out_.exit_status = kExitInconclusive;
          break;
      }
    }
    if (out_.answer == TuneAnswer::kNotConfirmed && request_.confirm) {
      out_.exit_status = kExitInconclusive;
    }
    const bool any_failed = std::ranges::any_of(
        out_.points, [](const TunedPoint& point) { return point.state.fate == Fate::kFailed; });
    if (any_failed && out_.exit_status == kExitOk) out_.exit_status = kExitSomeFailed;
    write_files();
  }

  void write_files() {
    const bool has_new_winner = out_.answer == TuneAnswer::kBetter ||
                                out_.answer == TuneAnswer::kNotConfirmed ||
                                out_.answer == TuneAnswer::kUndecided;
    if (has_new_winner) {
      const TunedPoint& winner = *out_.winner();
      const std::string tuned =
          tuned_header(out_) +
          plan::fixed_experiment(plan().config_text, plan::source_name(request_.file),
                                 space_.planned.catalogue, request_.set, winner.values);
      out_.tuned_file = out_.folder / kTunedFile;
      os::write_output_file("", out_.tuned_file, tuned);
      out_.confirm_command = command_to_confirm();
      if (!request_.tuned_file.empty() && out_.answer != TuneAnswer::kUndecided) {
        out_.tuned_file = request_.tuned_file;
        os::write_output_file("--write", out_.tuned_file, tuned);
      }
    }
    write_tuning_file(out_);
  }

  // The winner's file against the values before.
  [[nodiscard]] std::string command_to_confirm() const {
    const TunedPoint& own = out_.points[out_.own];
    std::string command = "stepbench ab " + text::shell_word(out_.tuned_file.string());
    for (const std::string& change : out_.changes) {
      const std::string name = change.substr(0, change.find('='));
      const auto was = own.values.find(name);
      if (was == own.values.end() || is_null(was->second)) continue;
      command += " --a-set " + text::shell_word(name + "=" + to_text(was->second));
    }
    if (!request_.worker.empty()) {
      const std::string worker = text::shell_word(request_.worker);
      command += " --a " + worker + " --b " + worker;
    }
    return command + " --metric " + text::shell_word(out_.objective.name);
  }

  TuneRun end_by_signal() {
    out_.exit_status = exit_status_of_signal(out_.signal.value());
    return std::move(out_);
  }

  const TuneRequest& request_;
  const campaign::CampaignContext& context_;
  run::Progress& progress_;
  run::Interrupts& interrupts_;
  const Clock& clock_;
  campaign::PlannedRun space_;
  std::string config_text_;
  std::string own_text_;             // the experiment without its sweep
  std::vector<std::string> sweep_;   // with that of the spaces
  std::vector<OptionValues> brief_;  // by point, of a short launch
  std::set<std::string, std::less<>> by_launch_;
  std::vector<PointState> states_;
  Rounds rounds_;
  double first_rung_s_ = 0;
  TuneRun out_;
};

}  // namespace

TuneRun run_tune(const TuneRequest& request, const campaign::CampaignContext& context,
                 run::Progress& progress, run::Interrupts& interrupts, const Clock& clock) {
  return Tuning(request, context, progress, interrupts, clock).run();
}

}  // namespace stepbench::tune
