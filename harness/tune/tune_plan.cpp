// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/tune_plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/base/value.h"
#include "harness/campaign/run_ab.h"
#include "harness/campaign/run_experiment.h"
#include "harness/json/json_text.h"
#include "harness/machine/environment.h"
#include "harness/plan/plan.h"
#include "harness/plan/yaml_document.h"
#include "harness/run/run_header.h"
#include "harness/text/words.h"

namespace stepbench::tune {
namespace {

// A different batch size, precision or accumulation computes different work.
bool changes_work(const std::string& option) {
  const std::string end = option.substr(option.find_last_of('.') + 1);
  return end == "batch_size" || end == "precision" || end == "accumulate";
}

plan::PlannedCase plan_own(const TuneRequest& request, const campaign::CampaignContext& context,
                           const std::string& own_text) {
  campaign::RunRequest own = request;
  own.sweep.clear();
  own.filter.clear();
  own.text = own_text;
  try {
    campaign::PlannedRun planned = campaign::plan_experiment(own, context, true);
    return std::move(planned.planned.plan.cases.front());
  } catch (const ConfigError& error) {
    throw ConfigError(
        plan::source_name(request.file),
        std::string("its own settings, without the sweep, give no case to compare with: ") +
            error.what());
  }
}

verdict::TestedMetric tested_metric(const TuneRequest& request, const TunePlan& planned,
                                    const std::string& name) {
  std::vector<std::string> margins;
  if (request.margin) margins.push_back(formatted("{}={}", name, *request.margin));
  const std::vector<Metric> columns =
      run::columns_of(planned.plan(), planned.space.planned.catalogue).columns;
  verdict::TestedMetric objective;
  try {
    objective =
        campaign::tested_metrics({{name}, margins}, columns, &planned.plan()).metrics.front();
  } catch (const ConfigError& error) {
    constexpr std::string_view kFlag = "--metric";
    if (error.where() != kFlag) throw;
    throw ConfigError("--objective", error.what() + kFlag.size() + 2);
  }
  objective.margin = objective.margin.value_or(verdict::kDefaultMargin);
  return objective;
}

// Default objective: the step, or the rate of work if batch sizes differ.
std::string objective_name(const TuneRequest& request, const plan::Plan& plan) {
  if (!request.objective.empty()) return request.objective;
  const bool batches = std::ranges::any_of(
      plan.varying, [](const std::string& option) { return option.ends_with("batch_size"); });
  return batches ? kWorkRate : "step";
}

void check_launches(const TuneRequest& request, std::size_t fewest) {
  const std::optional<std::size_t>& launches = request.allowance.launches;
  if (!launches || *launches >= fewest) return;
  throw ConfigError(
      "--launches",
      formatted("too few: {} that are thrown away, one of each point{} take {}; give so many, or "
                "fewer points with --filter{}",
                kMinWarmLaunches,
                request.confirm ? formatted(" and {} pairs to confirm the winner", kMinPairs) : "",
                fewest, request.confirm ? ", or --no-confirm" : ""));
}

// Fills in the points of a search and the file's own settings.
void plan_points(const TuneRequest& request, const campaign::CampaignContext& context,
                 TunePlan& search) {
  const std::string source = plan::source_name(request.file);
  search.own_text =
      plan::fixed_experiment(request.text ? *request.text : plan::read_config_text(request.file),
                             source, context.built_in.catalogue, {}, {});
  plan::PlannedCase own = plan_own(request, context, search.own_text);
  search.run = request;
  std::vector<std::string>& sweep = search.run.sweep;
  const auto cores = static_cast<int>(std::ceil(machine::usable_cores("/")));
  for (std::string& each : sweeps_of(request.spaces, own.resolved, cores)) {
    sweep.push_back(std::move(each));
  }
  if (!request.arguments.empty()) {
    sweep.push_back(sweep_of_arguments(request.arguments, own.resolved));
  }
  search.space = campaign::plan_experiment(search.run, context, true);
  campaign::refuse_copies(search.plan(), {.ranks = "tune --set distributed.ranks="},
                          context.variables);
  plan::Plan& plan = search.space.planned.plan;
  const auto found = std::ranges::find_if(plan.cases, [&](const plan::PlannedCase& each) {
    return each.resolved.case_id == own.resolved.case_id;
  });
  search.own_is_swept = found != plan.cases.end();
  search.own = static_cast<std::size_t>(found - plan.cases.begin());
  if (!search.own_is_swept) plan.cases.push_back(std::move(own));
  // An option with a single value may still differ from the file's.
  plan.varying = plan::varying_of(plan.swept, plan.cases);
  if (plan.varying.empty()) {
    throw ConfigError(
        source,
        "has one point; a search needs a sweep, as `sweep: {matrix: {loader.num_workers: [0, 2, "
        "4]}}`, --sweep loader.num_workers=0,2,4 or --space loader");
  }
  search.changes_work = std::ranges::any_of(plan.varying, changes_work);
}

}  // namespace

std::size_t TunePlan::launches() const {
  std::size_t sum = 0;
  for (const PlannedRung& rung : rungs) sum += rung.points * rung.rounds;
  return sum;
}

TunePlan plan_tune(const TuneRequest& request, const campaign::CampaignContext& context) {
  TunePlan planned;
  plan_points(request, context, planned);
  planned.objective = tested_metric(request, planned, objective_name(request, planned.plan()));
  if (request.objective.empty() && planned.objective.name != kWorkRate) {
    planned.work_rate = tested_metric(request, planned, kWorkRate);
  }
  planned.can_run = static_cast<std::size_t>(std::ranges::count_if(
      planned.plan().cases, [](const plan::PlannedCase& each) { return !each.skip; }));
  planned.reserved = request.confirm ? 2 * kMinPairs : 0;
  check_launches(request, planned.fewest_launches());
  planned.rungs = planned_rungs(planned.can_run);
  return planned;
}

std::optional<PointCost> cost_of_points(const TuneRequest& request, const plan::Plan& plan) {
  std::set<std::string, std::less<>> ids;
  for (const plan::PlannedCase& point : plan.cases) ids.insert(point.resolved.case_id);
  const campaign::KnownCosts known = campaign::earlier_costs(request.results, std::move(ids));
  PointCost mean{.runs = known.runs};
  for (const plan::PlannedCase& point : plan.cases) {
    const ResolvedCase& resolved = point.resolved;
    const auto found = known.by_case.find(resolved.case_id);
    if (found == known.by_case.end()) continue;
    mean.launch_s += found->second.of(campaign::steps_per_launch(resolved));
    ++mean.points;
  }
  if (mean.points == 0) return std::nullopt;
  mean.launch_s /= static_cast<double>(mean.points);
  return mean;
}

namespace {

constexpr const char* kTuneOption = "--tune";
constexpr const char* kArguments = "script.args";
constexpr std::size_t kMaxCombinations = 10'000;

// Collected sweeps, each option once.
class Sweeps {
 public:
  void add(const std::string& option, const std::string& values) {
    if (options_.insert(option).second) sweeps_.push_back(option + "=" + values);
  }
  void add(const std::string& option, const std::set<std::int64_t>& values) {
    add(option, text::join(values, ",", [](std::int64_t value) { return std::to_string(value); }));
  }
  [[nodiscard]] std::size_t size() const { return sweeps_.size(); }
  [[nodiscard]] std::vector<std::string> take() { return std::move(sweeps_); }

 private:
  std::set<std::string> options_;
  std::vector<std::string> sweeps_;
};

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

bool has_device(const ResolvedCase& own) { return own.text_or("device", "cpu") != "cpu"; }

// Recognises by name arguments of an iterable's loader() that affect how it loads, not what.
bool says_how_to_load(std::string_view argument) {
  for (const std::string_view word : {"worker", "thread", "process", "concurren", "prefetch",
                                      "buffer", "queue", "ahead", "parallel"}) {
    if (argument.find(word) != std::string_view::npos) return true;
  }
  return false;
}

// Only arguments that the loader() has, because it rejects others: half to four times their value.
void add_iterable(const ResolvedCase& own, Sweeps& sweeps) {
  const auto around = [&](const std::string& option, std::int64_t value) {
    sweeps.add(option, std::set<std::int64_t>{std::max<std::int64_t>(value / 2, 1), value,
                                              value * 2, value * 4});
  };
  const std::int64_t workers =
      own.has("loader.num_workers") ? own.integer("loader.num_workers") : 0;
  if (workers > 0) around("loader.num_workers", workers);
  constexpr std::string_view kSection = "python.";
  for (const auto& [option, value] : own.options) {
    // Python's side parses it from text.
    const std::optional<std::int64_t> number = whole(to_text(value));
    const std::string_view name = option;
    if (number.value_or(0) < 1 || !name.starts_with(kSection)) continue;
    if (says_how_to_load(name.substr(kSection.size()))) around(option, *number);
  }
}

void add_loader(const ResolvedCase& own, int cores, Sweeps& sweeps) {
  if (own.text_or("loader.engine", "") == "iterable") return add_iterable(own, sweeps);
  if (own.has("loader.num_workers")) {
    std::set<std::int64_t> workers = {own.integer("loader.num_workers")};
    for (const std::int64_t each : {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
      if (each <= std::max(2 * cores, 2)) workers.insert(each);
    }
    sweeps.add("loader.num_workers", workers);
  }
  // Without workers it has no meaning and is null.
  if (own.options.contains("loader.prefetch_factor")) {
    std::set<std::int64_t> ahead = {1, 2, 4, 8};
    if (own.has("loader.prefetch_factor")) ahead.insert(own.integer("loader.prefetch_factor"));
    sweeps.add("loader.prefetch_factor", ahead);
  }
  if (own.has("loader.pin_memory") && has_device(own)) {
    sweeps.add("loader.pin_memory", "false,true");
  }
}

// Only the ways that need no other change of the experiment.
void add_transfer(const ResolvedCase& own, Sweeps& sweeps) {
  if (!own.has("transfer.placement") || !has_device(own)) return;
  std::set<std::string> ways = {"inline", "inline_non_blocking", "prefetch_stream"};
  ways.insert(own.text_or("transfer.placement", "inline"));
  sweeps.add("transfer.placement", text::join(ways, ","));
  if (own.has("loader.pin_memory")) sweeps.add("loader.pin_memory", "false,true");
  if (own.has("copy.source")) sweeps.add("copy.source", "pageable,pinned");
}

void add_batches(const ResolvedCase& own, Sweeps& sweeps) {
  if (!own.has("loader.batch_size")) return;
  const std::int64_t size = own.integer("loader.batch_size");
  std::set<std::int64_t> sizes;
  for (const std::int64_t factor : {1, 2, 4, 8, 16}) sizes.insert(size * factor);
  for (const std::int64_t divisor : {2, 4}) {
    if (size % divisor == 0) sizes.insert(size / divisor);
  }
  sweeps.add("loader.batch_size", sizes);
}

struct Argument {
  std::string name;
  std::vector<std::string> values;
};

// "0..8": all integers in the range; otherwise a single value.
void add_values(const std::string& text, std::vector<std::string>& values) {
  const std::size_t dots = text.find("..");
  const auto first = whole(std::string_view(text).substr(0, dots));
  const auto last =
      dots == std::string::npos ? std::nullopt : whole(std::string_view(text).substr(dots + 2));
  if (dots == std::string::npos || !first || !last) {
    const bool is_word = !text.empty() && text.find_first_of(" \t\n'\"\\") == std::string::npos;
    if (!is_word)
      throw ConfigError(kTuneOption, formatted("`{}` is not a value of an argument", text));
    values.push_back(text);
    return;
  }
  if (*first > *last || *last - *first >= static_cast<std::int64_t>(kMaxCombinations)) {
    throw ConfigError(kTuneOption, formatted("`{}` is not a range such as 0..8", text));
  }
  for (std::int64_t value = *first; value <= *last; ++value) {
    values.push_back(std::to_string(value));
  }
}

std::vector<Argument> arguments_of(const std::string& text) {
  std::vector<Argument> arguments;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::string part = text.substr(at, comma - at);
    at = comma + 1;
    const std::size_t equals = part.find('=');
    if (equals != std::string::npos) {
      std::string name = part.substr(0, equals);
      while (name.starts_with('-')) name.erase(0, 1);
      const bool is_name = !name.empty() && name.find_first_not_of(
                                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                                                "WXYZ0123456789_-.") == std::string::npos;
      const bool is_new = std::ranges::find(arguments, name, &Argument::name) == arguments.end();
      if (!is_name || !is_new) {
        throw ConfigError(kTuneOption,
                          formatted("`{}` does not name a new argument of the script", part));
      }
      arguments.push_back({.name = std::move(name), .values = {}});
      part.erase(0, equals + 1);
    }
    if (arguments.empty()) {
      throw ConfigError(kTuneOption,
                        "expected NAME=V1,V2,..., as num_workers=0..8,prefetch_factor=2,4");
    }
    add_values(part, arguments.back().values);
  }
  return arguments;
}

std::string reason_for_empty_space(const std::string& space, const ResolvedCase& own) {
  if (own.options.contains(kArguments)) {
    return formatted(
        "workload {} has no such options; --tune NAME=V1,V2,... gives a script its arguments",
        own.workload);
  }
  if (space == "loader" && own.text_or("loader.engine", "") == "iterable") {
    return "loader() has no whole number among its arguments that says how it loads (workers, "
           "threads, prefetch, buffers, queues): set one under `python`, or sweep another one "
           "by --sweep python.NAME=V1,V2,...";
  }
  if (space == "transfer" && own.has("transfer.placement")) {
    return "nothing is copied on the CPU; set device: cuda";
  }
  return formatted("workload {} has no such options", own.workload);
}

}  // namespace

const std::vector<std::string>& space_names() {
  static const std::vector<std::string> kNames = {"loader", "transfer", "batch", "precision"};
  return kNames;
}

std::vector<std::string> sweeps_of(std::span<const std::string> spaces, const ResolvedCase& own,
                                   int cores) {
  Sweeps sweeps;
  for (const std::string& space : spaces) {
    const std::size_t before = sweeps.size();
    if (space == "loader") {
      add_loader(own, cores, sweeps);
    } else if (space == "transfer") {
      add_transfer(own, sweeps);
    } else if (space == "batch") {
      add_batches(own, sweeps);
    } else if (own.has("model.precision")) {
      sweeps.add("model.precision", "fp32,bf16");
    }
    if (sweeps.size() == before)
      throw ConfigError("--space " + space, reason_for_empty_space(space, own));
  }
  return sweeps.take();
}

std::string sweep_of_arguments(const std::string& text, const ResolvedCase& own) {
  if (!own.options.contains(kArguments)) {
    throw ConfigError(kTuneOption, formatted("gives arguments to a script, as --python train.py; "
                                             "options of workload {} are swept by --sweep",
                                             own.workload));
  }
  std::vector<std::string> combinations = {own.text_or(kArguments, "")};
  for (const Argument& argument : arguments_of(text)) {
    if (combinations.size() * argument.values.size() > kMaxCombinations) {
      throw ConfigError(kTuneOption, formatted("has more than {} combinations", kMaxCombinations));
    }
    std::vector<std::string> longer;
    for (const std::string& one : combinations) {
      for (const std::string& value : argument.values) {
        longer.push_back(
            formatted("{}{}--{} {}", one, one.empty() ? "" : " ", argument.name, value));
      }
    }
    combinations = std::move(longer);
  }
  const std::string list = text::join(combinations, ",", [](const std::string& one) {
    std::string escaped;
    for (const char letter : one) escaped += letter == '$' ? "$$" : std::string(1, letter);
    return json::json_string(escaped);
  });
  return formatted("{}=[{}]", kArguments, list);
}

}  // namespace stepbench::tune
