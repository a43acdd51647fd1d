// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/run_tune.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/campaign/run_ab.h"
#include "harness/campaign/run_experiment.h"
#include "harness/campaign/run_folder.h"
#include "harness/estimate/case_rows.h"
#include "harness/os/files.h"
#include "harness/plan/plan.h"
#include "harness/plan/yaml_document.h"
#include "harness/run/run_header.h"
#include "harness/stats/order_statistics.h"
#include "harness/stats/random.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/tune/internal/confirm.h"
#include "harness/tune/internal/launch_values.h"
#include "harness/tune/internal/tune_agenda.h"
#include "harness/tune/tune_plan.h"
#include "harness/tune/tune_result.h"

namespace stepbench::tune {
namespace {

constexpr double kLaunchesOfSweep = 6;

TunedPoint described(const plan::Plan& plan, std::size_t place, const PointState& state,
                     const std::vector<Rung>& rungs) {
  const ResolvedCase& resolved = plan.cases[place].resolved;
  TunedPoint point{.case_id = resolved.case_id,
                   .label = estimate::case_name(resolved.options, resolved.workload, plan.varying),
                   .state = state};
  for (const std::string& name : plan.varying) {
    const Value* value = resolved.options.get(name);
    if (value != nullptr) point.values.insert_or_assign(name, *value);
  }
  if (!state.values.empty()) point.value = stats::median(state.values);
  for (std::size_t rung = 0; rung < rungs.size(); ++rung) {
    if (std::ranges::count(rungs[rung].points, place) > 0) point.last_rung = rung;
  }
  return point;
}

// Time of the whole sweep, from the points with launches; the others count as their mean.
double sweep_s_of(const std::vector<PointState>& states) {
  double sum_s = 0;
  double known = 0;
  for (const PointState& state : states) {
    if (state.values.empty()) continue;
    sum_s += stats::median(state.wall_s);
    ++known;
  }
  if (known == 0) return 0;
  return sum_s / known * kLaunchesOfSweep * static_cast<double>(states.size());
}

// Pareto front: no other point is at least as good in objective, memory and CPU time.
std::vector<std::size_t> front_of(const std::vector<TunedPoint>& points, Direction direction) {
  const auto costs_of = [&](const TunedPoint& point) {
    return std::vector<double>{log_cost(*point.value, direction), point.state.memory_bytes,
                               point.state.cpu_s_per_1k_samples.value_or(0)};
  };
  const auto is_candidate = [](const TunedPoint& point) {
    return point.state.status == PointStatus::kMeasured && point.state.values.size() > 1;
  };
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_candidate(points[i])) continue;
    const std::vector<double> ours = costs_of(points[i]);
    const bool beaten = std::ranges::any_of(points, [&](const TunedPoint& other) {
      if (!is_candidate(other)) return false;
      const std::vector<double> theirs = costs_of(other);
      return theirs != ours && std::ranges::equal(theirs, ours, std::ranges::less_equal{});
    });
    if (!beaten) front.push_back(i);
  }
  return front;
}

std::vector<std::string> changes_of(const TunedPoint& winner, const TunedPoint& own) {
  std::vector<std::string> changes;
  for (const auto& [name, value] : winner.values) {
    const auto was = own.values.find(name);
    if (is_null(value) || (was != own.values.end() && was->second == value)) continue;
    changes.push_back(name + "=" + to_text(value));
  }
  return changes;
}

// Fills in the points of `run`, their front, the winner's changes and the time of the whole sweep;
// needs its rungs, standing, place of the own settings and objective. `states`: by case of `plan`.
void describe_points(const plan::Plan& plan, const std::vector<PointState>& states, TuneRun& run) {
  for (std::size_t place = 0; place < states.size(); ++place) {
    run.points.push_back(described(plan, place, states[place], run.rungs));
  }
  run.sweep_s = sweep_s_of(states);
  run.front = front_of(run.points, run.objective.direction);
  if (const TunedPoint* winner = run.winner())
    run.changes = changes_of(*winner, run.points[run.own]);
}

namespace fs = std::filesystem;

constexpr const char* kSeedField = "tune_seed";
constexpr const char* kObjectiveField = "tune_objective";
constexpr double kMoreThanExpected = 1.1;

// Returns whether steps of the points process different numbers of samples, as far as known.
bool differs_in_work(const std::vector<PointState>& points) {
  constexpr double kSameSamplesError = .01;
  std::optional<double> first;
  for (const PointState& point : points) {
    if (point.work_rates.empty()) continue;
    const double samples = std::log(point.work_rates.front() * point.values.front());  // per step
    if (!first) first = samples;
    if (std::abs(samples - *first) > kSameSamplesError) return true;
  }
  return false;
}

class Tuning {
 public:
  Tuning(const TuneRequest& request, const campaign::Launching& launching)
      : request_(request), launching_(launching) {}

  TuneRun run() {
    campaign::check_allowed(request_.allow, campaign::known_gates());
    search_ = plan_tune(request_, launching_.context);
    out_.own = search_.own;
    out_.own_is_swept = search_.own_is_swept;
    out_.changes_work = search_.changes_work;
    out_.allowance = request_.allowance;
    out_.objective = search_.objective;
    out_.margin = *out_.objective.margin;
    choose_seed();
    if (!search()) return end_by_signal();
    if (!out_.standing.empty() && request_.confirm &&
        !confirm(request_, search_.own_text, launching_, out_)) {
      return end_by_signal();
    }
    conclude();
    write_files();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const plan::Plan& plan() const { return search_.plan(); }

  // The same search requests the same launches in the same order; a resumed one keeps its seed.
  void choose_seed() {
    std::vector<double> letters;
    for (const char letter : plan().digest) letters.push_back(letter);
    out_.seed = request_.seed.value_or(stats::seed_of(letters) >> 11U);
    for (const record::RunRow& then : campaign::earlier_results(request_.resume).runs) {
      const auto refuse = [&](const char* option, const std::string& was) {
        throw ConfigError("--resume", formatted("this search has another {}: {}", option, was));
      };
      const std::string seed = text_of(then.context, kSeedField);
      if (seed.empty()) throw ConfigError(request_.resume, "is not a folder of `stepbench tune`");
      if (then.plan_digest != plan().digest) {
        throw ConfigError("--resume",
                          "this search has another experiment, sweep or --set; give those that it "
                          "was begun with");
      }
      if (!request_.seed) std::from_chars(seed.data(), seed.data() + seed.size(), out_.seed);
      if (seed != std::to_string(out_.seed)) refuse("--seed", seed);
      const std::string objective = text_of(then.context, kObjectiveField);
      if (objective != out_.objective.name) refuse("--objective", objective);
    }
  }

  // Returns false if interrupted by a signal.
  bool search() {
    campaign::RunRequest asked = search_.run;
    asked.purpose = "tune";
    asked.context = {{kSeedField, static_cast<std::int64_t>(out_.seed)},
                     {kObjectiveField, out_.objective.name}};
    if (request_.memory_limit) {
      asked.memory_bytes = static_cast<std::int64_t>(std::min(*request_.memory_limit, 1e18));
    }
    std::shared_ptr<TuneAgenda> agenda;
    asked.agenda = [&](const record::Results& finished) {
      agenda = std::make_shared<TuneAgenda>(
          TuneAgenda::Setup{
              .plan = plan(),
              .own = search_.own,
              .objective = out_.objective,
              .work_rate = search_.work_rate,
              .seed = out_.seed,
              .memory_limit = request_.memory_limit,
              .allowance = request_.allowance,
              .reserved = search_.reserved,
              .print_line =
                  [this](const std::string& text) { launching_.progress.print_line(text); }},
          finished);
      return agenda;
    };
    launching_.progress.print_line(formatted(
        "{}{}, by {}", text::counted(std::ssize(plan().cases), "point"),
        out_.own_is_swept ? "" : ", the file's own settings among them", out_.objective.name));
    const campaign::RunEnd end = campaign::run_experiment(
        asked, search_.space, launching_, [this](const fs::path& folder) { out_.folder = folder; });
    out_.folder = end.run_folder;
    out_.signal = end.signal;
    if (end.signal) return false;
    refuse_small_budget(*agenda);
    take_over(*agenda);
    return true;
  }

  void take_over(const TuneAgenda& agenda) {
    const PointSearch& search = agenda.search();
    out_.standing = search.standing();
    for (const Rung& rung : search.rungs()) {
      if (!rung.points.empty() || rung.rounds > 0) out_.rungs.push_back(rung);
    }
    out_.bound = search.bound();
    out_.stopped = agenda.is_stopped();
    out_.search_s = agenda.spent_s();
    out_.launches = agenda.launches();
    out_.discarded = agenda.discarded();
    std::vector<PointState> points = agenda.points();
    if (search_.work_rate && differs_in_work(points)) {
      out_.objective = *search_.work_rate;
      out_.changes_work = true;
      for (PointState& point : points) point.values = point.work_rates;
    }
    describe_points(plan(), points, out_);
  }

  // A budget may end a search only after its first whole round.
  void refuse_small_budget(const TuneAgenda& agenda) const {
    if (!agenda.is_stopped() || agenda.search().has_whole_round()) return;
    throw ConfigError(
        "--budget",
        formatted(
            "launches that are thrown away, one of each of the {}{}{}; give at least {}, or fewer "
            "points with --filter. Go on with --resume {}",
            text::counted(static_cast<std::int64_t>(search_.can_run), "point"),
            request_.confirm ? formatted(" and {} pairs to confirm take ", kMinPairs) : " take ",
            text::rough_duration(agenda.needed_s()),
            text::rough_duration(agenda.needed_s() * kMoreThanExpected),
            text::shell_word(out_.folder.string())));
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
        case verdict::Verdict::kImprovement:
          out_.answer = TuneAnswer::kBetter;
          break;
        case verdict::Verdict::kOk:
        case verdict::Verdict::kRegression:
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
    const bool any_failed = std::ranges::any_of(out_.points, [](const TunedPoint& point) {
      return point.state.status == PointStatus::kFailed;
    });
    if (any_failed && out_.exit_status == kExitOk) out_.exit_status = kExitSomeFailed;
  }

  void write_files() {
    const bool has_new_winner = out_.answer == TuneAnswer::kBetter ||
                                out_.answer == TuneAnswer::kNotConfirmed ||
                                out_.answer == TuneAnswer::kUndecided;
    if (has_new_winner) {
      const std::string tuned =
          tuned_header(out_) + plan::fixed_experiment(plan().config_text,
                                                      plan::source_name(request_.file),
                                                      search_.space.planned.catalogue, request_.set,
                                                      out_.winner()->values);
      out_.tuned_file = out_.folder / kTunedFile;
      os::write_output_file("", out_.tuned_file, tuned);
      out_.confirm_command = command_to_confirm(out_, request_.worker);
      if (!request_.tuned_file.empty() && out_.answer != TuneAnswer::kUndecided) {
        out_.tuned_file = request_.tuned_file;
        os::write_output_file("--write", out_.tuned_file, tuned);
      }
    }
    write_tuning_file(out_);
  }

  TuneRun end_by_signal() {
    out_.exit_status = exit_status_of_signal(out_.signal.value());
    return std::move(out_);
  }

  const TuneRequest& request_;
  const campaign::Launching& launching_;
  TunePlan search_;
  TuneRun out_;
};

}  // namespace

TuneRun run_tune(const TuneRequest& request, const campaign::Launching& launching) {
  return Tuning(request, launching).run();
}

}  // namespace stepbench::tune
