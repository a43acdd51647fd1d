// SPDX-License-Identifier: Apache-2.0
#include "harness/report/plans.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/campaign/run_experiment.h"
#include "harness/document/render.h"
#include "harness/estimate/case_rows.h"
#include "harness/json/json_text.h"
#include "harness/run/run_header.h"
#include "harness/schedule/schedule.h"
#include "harness/text/numbers.h"
#include "harness/text/secrets.h"
#include "harness/text/words.h"
#include "harness/verdict/ab_campaign.h"

namespace stepbench::report {
namespace {

// Rows in the text; the JSON form has all.
constexpr std::size_t kMaxPlanRows = 10'000;

std::string omitted_cases(std::size_t cases) {
  if (cases == 0) return {};
  return formatted("and {} more: --filter chooses among them, --format json lists all\n",
                   text::counted(cases, "case"));
}

std::string cell(const ResolvedCase& resolved, const std::string& name) {
  const Value* value = resolved.options.get(name);
  if (value == nullptr || is_null(*value)) return "-";
  return text::is_secret_option(name) ? text::masked_value(to_text(*value)) : to_text(*value);
}

std::string totals(const plan::Plan& plan, const campaign::TimeEstimate& estimate, bool probed) {
  const auto cases = static_cast<std::int64_t>(plan.cases.size());
  std::string text = text::counted(cases, "case");
  if (cases != plan.total_cases) text += formatted(" of {}", plan.total_cases);
  text += formatted(", {}, {}", text::counted(estimate.launches, "launch"),
                    text::counted(estimate.steps, "step"));
  if (estimate.known_cases == 0) {
    return text + (probed ? "; no probed case could be measured\n"
                          : "; not measured before: `plan --probe` estimates the time\n");
  }
  return formatted("{}; {}\n", text, campaign::expected_text(estimate));
}

// True if the steps depend on a loader with workers and the number of steps is fixed.
bool waits_for_workers(const ResolvedCase& resolved) {
  return resolved.has("schedule.refill") && resolved.integer("schedule.refill") > 0 &&
         !resolved.has("schedule.window");
}

// Precision of one launch if the loader limits the steps.
std::string precision_of_launches(const plan::Plan& plan) {
  constexpr double kBatchCv = 0.3;
  constexpr double kWanted = 0.01;
  std::set<std::pair<std::int64_t, std::int64_t>> kinds;  // workers, measured steps
  for (const plan::PlannedCase& planned : plan.cases) {
    const ResolvedCase& resolved = planned.resolved;
    if (planned.skip || !waits_for_workers(resolved)) continue;
    kinds.emplace(resolved.integer("loader.num_workers"),
                  resolved.integer("schedule.active") * resolved.integer("schedule.repeat"));
  }
  std::string text;
  for (const auto& [workers, steps] : kinds) {
    const double percent = 100 * schedule::window_sd(kBatchCv, workers, steps);
    text += formatted(
        "  +-{} % with {} and {} steps; 1 % needs {} steps\n",
        std::max<std::int64_t>(std::llround(percent), 1), text::counted(workers, "worker"), steps,
        text::rough_count(static_cast<double>(schedule::steps_for_sd(kBatchCv, workers, kWanted))));
  }
  if (text.empty()) return text;
  return "one launch measures a loader-bound rate to about (if the cost of a batch varies by 30 "
         "%):\n" +
         text;
}

std::string plan_remarks(const plan::Plan& plan) {
  std::string text = precision_of_launches(plan);
  if (plan.excluded > 0) text += text::counted(plan.excluded, "point") + " excluded\n";
  if (plan.merged > 0) {
    text += text::counted(plan.merged, "point") + " merged into an equal case:\n";
    for (const std::string& merged : plan.merged_points) text += "  " + merged + "\n";
    const auto shown = static_cast<std::int64_t>(plan.merged_points.size());
    if (shown < plan.merged) text += formatted("  and {} more\n", plan.merged - shown);
  }
  for (const std::string& note : plan.notes) text += "note: " + note + "\n";
  return text;
}

const record::LaunchRow* failure_of_case(const campaign::Probe* probe, const std::string& case_id) {
  if (probe == nullptr) return nullptr;
  const auto found = std::ranges::find_if(
      probe->failed, [&](const record::LaunchRow& row) { return row.key.case_id == case_id; });
  return found == probe->failed.end() ? nullptr : &*found;
}

const campaign::LaunchCost* cost_of_case(const campaign::Probe* probe, const std::string& case_id) {
  if (probe == nullptr) return nullptr;
  const auto found = probe->costs.by_case.find(case_id);
  return found == probe->costs.by_case.end() ? nullptr : &found->second;
}

const std::vector<std::string> kProbeHeads = {"one step", "one launch", "all launches"};

std::vector<std::string> probe_cells(const ResolvedCase& resolved, const campaign::Probe& probe) {
  if (failure_of_case(&probe, resolved.case_id) != nullptr) return {"FAILED", "-", "-"};
  const campaign::LaunchCost* cost = cost_of_case(&probe, resolved.case_id);
  if (cost == nullptr) return {"-", "-", "-"};
  const double launch_s = cost->of(campaign::steps_per_launch(resolved));
  constexpr double kNs = 1e9;
  return {text::duration(cost->step_s * kNs), text::duration(launch_s * kNs),
          text::rough_duration(launch_s * static_cast<double>(campaign::launches_of(resolved)))};
}

std::string probe_remarks(const plan::Plan& plan, const campaign::Probe& probe) {
  std::string text =
      "The probe made one smoke launch of each case. Its times are rough and tend to be too long: "
      "the first steps of a process are slow.\n";
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const record::LaunchRow* row = failure_of_case(&probe, plan.cases[i].resolved.case_id);
    if (row == nullptr) continue;
    text += formatted("case {} FAILED{}: {}\n", i + 1,
                      row->stage.empty() ? "" : " in " + row->stage, row->outcome.reason);
    if (plan.file != plan::kStandardInput) text += "  repeat: " + row->repeat_command + "\n";
  }
  return text;
}

void write_probe(json::JsonText& json, const ResolvedCase& resolved, const campaign::Probe* probe) {
  if (const record::LaunchRow* row = failure_of_case(probe, resolved.case_id)) {
    json.open_object("probe").text("failed", row->outcome.reason).text("stage", row->stage);
    json.close_object();
  } else if (const campaign::LaunchCost* cost = cost_of_case(probe, resolved.case_id)) {
    json.open_object("probe").number("step_s", cost->step_s);
    json.number("launch_s", cost->of(campaign::steps_per_launch(resolved))).close_object();
  }
}

void write_planned(json::JsonText& json, const plan::PlannedCase& planned,
                   const campaign::Probe* probe) {
  const ResolvedCase& resolved = planned.resolved;
  json.open_object().text("case_id", resolved.case_id).text("workload", resolved.workload);
  const Value* launches = resolved.options.get("launches");
  json.value("launches", launches == nullptr ? Value{} : *launches);
  json.integer("steps_per_launch", campaign::steps_per_launch(resolved));
  if (planned.skip) json.text("skip", *planned.skip);
  write_probe(json, resolved, probe);
  json.values("options", run::without_secrets(resolved.options)).close_object();
}

// The varying options, and the fitted schedule if a loader determines it.
std::vector<std::string> shown_options(const plan::Plan& plan) {
  std::vector<std::string> names = plan.varying;
  const bool fitted = std::ranges::any_of(plan.cases, [](const plan::PlannedCase& planned) {
    return waits_for_workers(planned.resolved);
  });
  if (!fitted) return names;
  for (const char* name : {"schedule.warmup", "schedule.active"}) {
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return names;
}

}  // namespace

std::string plan_table(const plan::Plan& plan, const campaign::TimeEstimate& estimate,
                       const campaign::Probe* probe) {
  return plan_table(plan, totals(plan, estimate, probe != nullptr), probe);
}

std::string plan_table(const plan::Plan& plan, const std::string& below,
                       const campaign::Probe* probe) {
  const std::vector<std::string> shown = shown_options(plan);
  bool any_skip = false;
  for (const plan::PlannedCase& planned : plan.cases) any_skip = any_skip || planned.skip;
  std::vector<std::vector<std::string>> rows(1, {"#", "case"});
  for (const std::string& name : shown) rows[0].push_back(estimate::short_name(name, shown));
  if (probe != nullptr) rows[0].insert(rows[0].end(), kProbeHeads.begin(), kProbeHeads.end());
  if (any_skip) rows[0].emplace_back("skipped because");
  const std::size_t listed = std::min(plan.cases.size(), kMaxPlanRows);
  for (std::size_t i = 0; i < listed; ++i) {
    const plan::PlannedCase& planned = plan.cases[i];
    std::vector<std::string> row = {std::to_string(i + 1), planned.resolved.case_id};
    for (const std::string& name : shown) row.push_back(cell(planned.resolved, name));
    if (probe != nullptr) {
      for (std::string& text : probe_cells(planned.resolved, *probe))
        row.push_back(std::move(text));
    }
    if (any_skip) row.push_back(planned.skip.value_or(""));
    rows.push_back(std::move(row));
  }
  return formatted("{} ({})\n\n{}{}\n{}{}{}", plan.name, plan::source_name(plan.file),
                   document::align(rows), omitted_cases(plan.cases.size() - listed), below,
                   probe == nullptr ? "" : probe_remarks(plan, *probe), plan_remarks(plan));
}

std::string plan_json(const plan::Plan& plan, const campaign::TimeEstimate& estimate,
                      const campaign::Probe* probe) {
  json::JsonText json;
  json.open_object().text("name", plan.name).text("file", plan.file.string());
  json.text("config_hash", plan.config_hash).text("plan_digest", plan.digest);
  json.integer("total_cases", plan.total_cases).integer("merged", plan.merged);
  json.integer("excluded", plan.excluded);
  json.integer("launches", estimate.launches).integer("steps", estimate.steps);
  json.number("limit_s", estimate.limit_s);
  const auto known = [&](std::string_view name, double seconds) {
    estimate.known_cases > 0 ? json.number(name, seconds) : json.null(name);
  };
  known("expected_s", estimate.expected_s);
  known("night_s", estimate.night_s);
  known("night_most_s", estimate.night_most_s);
  json.texts("varying", plan.varying).texts("notes", plan.notes).open_array("cases");
  for (const plan::PlannedCase& planned : plan.cases) write_planned(json, planned, probe);
  return json.close_array().close_object().take() + '\n';
}

namespace {

std::string pairs_table(const campaign::AbArms& arms) {
  std::set<std::string> ids;
  bool two_ids = false;
  for (const verdict::AbPoint& point : arms.points) {
    ids.insert({point.a_case, point.b_case});
    two_ids = two_ids || point.a_case != point.b_case;
  }
  const std::size_t digits = estimate::id_digits(ids);
  std::vector<std::vector<std::string>> rows(1, {"#", two_ids ? "case A" : "case"});
  if (two_ids) rows[0].emplace_back("case B");
  const std::vector<std::string>& varying = arms.a.plan.varying;
  for (const std::string& name : varying) rows[0].push_back(estimate::short_name(name, varying));
  for (std::size_t i = 0; i < arms.points.size(); ++i) {
    std::vector<std::string> row = {std::to_string(i + 1), arms.points[i].a_case.substr(0, digits)};
    if (two_ids) row.push_back(arms.points[i].b_case.substr(0, digits));
    for (const std::string& name : varying) {
      row.push_back(cell(arms.a.plan.cases[i].resolved, name));
    }
    rows.push_back(std::move(row));
  }
  return document::align(rows);
}

std::string planned_tests(const campaign::AbPlan& plan, std::size_t cases) {
  const std::size_t tests = plan.tested.metrics.size() * cases;
  return formatted("tested: {}; {}{}", plan.tested.names(), text::counted(tests, "test"),
                   tests == 1 ? "\n" : ", corrected together\n");
}

// Duration of one launch of each case in both arms.
struct RoundOfLaunches {
  double expected_s = 0;
  double limit_s = 0;
  bool known = true;
};

RoundOfLaunches time_of_a_round(const campaign::AbRequest& request, const campaign::AbArms& arms) {
  RoundOfLaunches round;
  for (const campaign::AbArm* arm : {&arms.a, &arms.b}) {
    const campaign::TimeEstimate estimate = campaign::estimate_time(arm->plan, request.results);
    if (estimate.launches == 0) continue;
    const double share =
        static_cast<double>(arms.points.size()) / static_cast<double>(estimate.launches);
    round.expected_s += estimate.expected_s * share;
    round.limit_s += estimate.limit_s * share;
    round.known = round.known && estimate.known_cases > 0;
  }
  return round;
}

std::string from_to(const std::string& from, const std::string& to) {
  return from == to ? to : from + " to " + to;
}

std::string time_text(const campaign::AbRequest& request, const campaign::AbArms& arms,
                      const campaign::AbPlan& plan) {
  const RoundOfLaunches round = time_of_a_round(request, arms);
  const auto first = static_cast<double>(plan.looks.front());
  const auto last = static_cast<double>(plan.looks.back());
  std::string text;
  if (round.known && round.expected_s > 0) {
    text = formatted("about {} by earlier results; ",
                     from_to(text::rough_duration(first * round.expected_s),
                             text::rough_duration(last * round.expected_s)));
  }
  return formatted("{}at most {} by limits.wall_s\n", text,
                   text::rough_duration(last * round.limit_s));
}

std::string planned_launches(const campaign::AbPlan& plan, std::size_t cases) {
  const auto launches = [&](std::size_t pairs) { return text::with_separators(2 * pairs * cases); };
  return formatted("{}: {} launches, in turns (A B B A or B A A B)\n",
                   verdict::looks_text(plan.looks),
                   from_to(launches(plan.looks.front()), launches(plan.looks.back())));
}

}  // namespace

std::string ab_plan_text(const campaign::AbRequest& request, const campaign::AbArms& arms) {
  const campaign::AbPlan plan = campaign::plan_ab(request, arms);
  const std::size_t cases = arms.points.size();
  std::string text = formatted("A {}   B {}\n\n", arms.a.words, arms.b.words);
  if (cases > 0) text += pairs_table(arms) + '\n';
  text += text::counted(cases, "case") + " in both arms; ";
  text += planned_tests(plan, cases);
  if (cases > 0) text += planned_launches(plan, cases) + time_text(request, arms, plan);
  for (const verdict::AbMissing& missing : arms.missing) {
    text += formatted("not compared: {}: {}\n", missing.name, missing.reason);
  }
  for (const std::string& note : campaign::notes_on(request, arms)) text += "note: " + note + '\n';
  return text;
}

namespace {

std::string about(double seconds) { return "about " + text::rough_duration(seconds); }

std::string objective_text(const tune::TunePlan& planned) {
  const verdict::TestedMetric& objective = planned.objective;
  const bool large = objective.direction == Direction::kHigherIsBetter;
  return formatted("by {}{}{} or less does not matter\n", objective.name,
                   large ? ", larger is better; " : ", smaller is better; ",
                   text::percent_text(objective.margin.value_or(verdict::kDefaultMargin)));
}

std::string points_text(const tune::TunePlan& planned) {
  const std::size_t points = planned.plan().cases.size();
  std::string text = text::counted(points, "point");
  if (planned.can_run < points) text += formatted(", of which {} can run", planned.can_run);
  return formatted("{}; the file's own settings are #{}{}{}", text, planned.own + 1,
                   planned.own_is_swept ? "; " : ", beside the sweep; ", objective_text(planned));
}

std::string rung_text(const tune::PlannedRung& rung, std::size_t number) {
  return formatted("  rung {}: {} x {} = {}\n", number, text::counted(rung.points, "point"),
                   text::counted(rung.rounds, "launch"), rung.points * rung.rounds);
}

std::string time_of(const tune::TunePlan& planned, std::size_t launches) {
  return about(static_cast<double>(launches) * planned.cost->launch_s);
}

std::string time_text(const tune::TunePlan& planned) {
  if (!planned.cost)
    return "; not measured before: `plan --probe` estimates the time of a launch\n";
  return formatted("; {} by earlier results of {} in {}\n", time_of(planned, planned.launches()),
                   text::counted(planned.cost->points, "point"),
                   text::counted(planned.cost->runs, "run"));
}

std::string confirmation_text(const tune::TuneRequest& request, const tune::TunePlan& planned) {
  if (!request.confirm) return "no confirmation (--no-confirm)\n";
  std::string text =
      formatted("then {} to {} pairs of the winner and the file's own settings: {} to {} launches",
                tune::kMinPairs, tune::kMaxPairs, 2 * tune::kMinPairs, 2 * tune::kMaxPairs);
  if (planned.cost) {
    text += formatted(
        ", {} to {}", time_of(planned, 2 * tune::kMinPairs),
        text::rough_duration(2.0 * static_cast<double>(tune::kMaxPairs) * planned.cost->launch_s));
  }
  return text + '\n';
}

// "--budget 20 min: enough". `all`: the full cost; `fewest`: the minimum.
std::string enough_text(double given, double all, double fewest, const std::string& needed) {
  if (given >= all) return "enough\n";
  if (given >= fewest) return "the search stops before its last rung is done\n";
  return formatted("too little for one launch of each point and the confirmation, which take {}\n",
                   needed);
}

std::string budget_text(const tune::TuneRequest& request, const tune::TunePlan& planned) {
  std::string text;
  const auto fewest = static_cast<double>(planned.fewest_launches());
  const auto all =
      static_cast<double>(tune::kMinWarmLaunches + planned.launches() + planned.reserved);
  if (request.allowance.seconds) {
    text += "--budget " + text::rough_duration(*request.allowance.seconds);
    text += planned.cost
                ? ": " + enough_text(*request.allowance.seconds, all * planned.cost->launch_s,
                                     fewest * planned.cost->launch_s,
                                     time_of(planned, planned.fewest_launches()))
                : "\n";
  }
  if (request.allowance.launches) {
    text +=
        formatted("--launches {}: {}", *request.allowance.launches,
                  enough_text(static_cast<double>(*request.allowance.launches), all, fewest, ""));
  }
  return text;
}

}  // namespace

std::string tune_plan_text(const tune::TuneRequest& request, const tune::TunePlan& planned) {
  std::string text = points_text(planned);
  std::size_t number = 1;
  if (!planned.rungs.empty()) {
    text += formatted(
        "  first: {} to {} launches of the file's own settings, thrown away until two agree\n",
        tune::kMinWarmLaunches, tune::kMaxWarmLaunches);
  }
  for (const tune::PlannedRung& rung : planned.rungs) text += rung_text(rung, number++);
  if (planned.rungs.empty()) {
    text += "no point can run here\n";
  } else {
    text += text::counted(planned.launches(), "launch") + time_text(planned) +
            confirmation_text(request, planned) + budget_text(request, planned);
  }
  return plan_table(planned.plan(), text);
}

}  // namespace stepbench::report
