// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/ab_arms.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/campaign/internal/planning.h"
#include "harness/campaign/internal/run_request.h"
#include "harness/estimate/case_rows.h"
#include "harness/plan/option_index.h"
#include "harness/schedule/schedule.h"
#include "harness/text/secrets.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

std::vector<std::string> own_settings(const std::vector<std::string>& set,
                                      const std::vector<std::string>& env,
                                      const std::string& flag) {
  std::vector<std::string> all = set;
  for (const std::string& variable : env) {
    if (variable.find('=') == std::string::npos || variable.front() == '=') {
      throw ConfigError(flag,
                        formatted("`{}` is not NAME=VALUE, as in OMP_NUM_THREADS=1", variable));
    }
    all.push_back("env." + variable);
  }
  return all;
}

AbArm begin_arm(const std::string& name, const ArmRequest& request,
                const CampaignContext& context) {
  AbArm arm{.name = name,
            .worker = request.worker.empty()
                          ? run::WorkerProgram{}
                          : run::find_worker(request.worker, context.program_dir),
            .set = own_settings(request.set, request.env, "--" + name + "-env"),
            .catalogue = {},
            .plan = {},
            .words = {}};
  std::vector<std::string> words = arm.set;
  if (!request.worker.empty()) words.insert(words.begin(), arm.worker.path.string());
  if (words.empty()) words.emplace_back("as the file says");
  arm.words = text::join(words, " ");
  return arm;
}

// nullopt: not given by the user.
std::optional<run::WorkerProgram> given_worker(const AbArm& arm) {
  return arm.worker.path.empty() ? std::nullopt : std::optional(arm.worker);
}

// Plans all cases: those to keep are chosen by kept_points().
plan::PlanRequest plan_request(const AbRequest& request, const std::vector<std::string>& own) {
  plan::PlanRequest plan = request;
  plan.filter.clear();
  plan.cases.clear();
  if (request.profiled > 0) {
    const bool chosen = std::any_of(request.set.begin(), request.set.end(), [](const auto& set) {
      return set.starts_with("profile.ops=");
    });
    if (!chosen) plan.set.emplace_back("profile.ops=native");
    plan.set.push_back(formatted("profile.launches={}", request.profiled));
  }
  plan.set.insert(plan.set.end(), own.begin(), own.end());
  return plan;
}

// "--set NAME" -> "--b-set NAME" if the arm alone sets it.
std::string place_in_arm(const AbArm& arm, const std::string& where) {
  constexpr std::string_view kSet = "--set ";
  const bool is_own =
      where.starts_with(kSet) && std::ranges::any_of(arm.set, [&](const std::string& assignment) {
        return assignment.starts_with(where.substr(kSet.size()) + '=');
      });
  if (!is_own) return where;
  return (arm.name == verdict::kArmA ? "--a-set " : "--b-set ") + where.substr(kSet.size());
}

// Errors name the arm.
Planned plan_arm(const AbArm& arm, const plan::PlanRequest& request,
                 const CampaignContext& context) {
  try {
    return make_plan_here(request, given_worker(arm), context);
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    const std::string what = text.substr(std::min(text.size(), error.where().size() + 2));
    throw ConfigError(place_in_arm(arm, error.where()),
                      formatted("in {} ({}): {}", verdict::arm_label(arm.name), arm.words, what));
  }
}

// Takes over an arm's plan, which has accepted the assignments of `set`.
void take_plan(Planned planned, AbArm& arm) {
  arm.catalogue = std::move(planned.catalogue);
  arm.set = plan::translated_settings(arm.set, arm.catalogue);
  arm.plan = std::move(planned.plan);
  const plan::OptionIndex index(arm.catalogue);
  for (const std::string& one : arm.set) {
    arm.names.push_back(index.resolve(one.substr(0, one.find('='))));
  }
}

void refuse_swept(const AbArm& arm) {
  for (std::size_t i = 0; i < arm.set.size(); ++i) {
    if (std::ranges::find(arm.plan.varying, arm.names[i]) == arm.plan.varying.end()) continue;
    throw ConfigError(formatted("--{}-set {}", arm.name, arm.set[i]),
                      formatted("has no effect: the sweep sets {}; take it out of the sweep, or "
                                "keep one value with --filter",
                                arm.names[i]));
  }
}

std::string active_of(const plan::PlannedCase& planned) {
  const Value* value = planned.resolved.options.get("schedule.active");
  return value == nullptr ? std::string{"-"} : to_text(*value);
}

void refuse_arms_without_pairs(const AbArms& arms) {
  for (std::size_t i = 0; i < arms.points.size(); ++i) {
    const std::string a = active_of(arms.a.plan.cases[i]);
    const std::string b = active_of(arms.b.plan.cases[i]);
    if (a == "auto" || b == "auto") {
      throw ConfigError("schedule.active",
                        "`auto` is refused here: both arms must measure the same number of steps; "
                        "give one, as in --set schedule.active=50");
    }
    if (a != b) {
      throw ConfigError("schedule.active",
                        formatted("is {} in arm A and {} in arm B; windows of different lengths "
                                  "end at different turns of the loader",
                                  a, b));
    }
  }
}

// The value that only this arm sets; empty: none.
std::string own_value(const AbArm& arm, const std::string& name) {
  std::string value;
  for (std::size_t i = 0; i < arm.set.size(); ++i) {
    if (arm.names[i] == name) value = arm.set[i].substr(arm.set[i].find('=') + 1);
  }
  return value;
}

void align_arms(AbArms& arms) {
  std::set<std::string> asked;  // options in which the arms are meant to differ
  for (const char* name : {"schedule.active", "schedule.wait", "schedule.warmup"}) {
    if (own_value(arms.a, name) != own_value(arms.b, name)) asked.insert(name);
  }
  bool aligned = false;
  for (std::size_t i = 0; i < arms.points.size(); ++i) {
    aligned |= align_schedules(asked, arms.a.plan.cases[i].resolved, arms.b.plan.cases[i].resolved);
  }
  if (!aligned) return;
  arms.a.plan.notes.emplace_back(
      "both arms measure the same number of steps after the same warm-up, as many as the loaders "
      "of both need");
}

std::set<std::string> kept_points(const AbRequest& request, const AbArm& first,
                                  const plan::Plan& all, const CampaignContext& context) {
  std::set<std::string> kept;
  plan::Plan plan = all;
  if (!request.filter.empty()) {
    plan::PlanRequest filtered = plan_request(request, {});
    filtered.filter = request.filter;
    plan = make_plan_here(filtered, given_worker(first), context).plan;
  }
  plan::keep_cases(plan, request.cases);
  for (const plan::PlannedCase& planned : plan.cases) kept.insert(planned.resolved.case_id);
  return kept;
}

// Warns about an option that was not given: its default differs between the workers, or only one of
// them has it. Other differences follow from given options.
void warn_of_defaults(const std::string& name, const Value& a, const Value& b, const AbArms& arms,
                      std::set<std::string>& warnings) {
  const Option* in_a = arms.a.catalogue.find_option(name);
  const Option* in_b = arms.b.catalogue.find_option(name);
  if (in_a != nullptr && in_b != nullptr &&
      (in_a->default_value != in_b->default_value || in_a->default_in != in_b->default_in)) {
    warnings.insert(formatted("the default of {} is {} in arm A and {} in arm B", name, to_text(a),
                              to_text(b)));
  } else if ((in_a == nullptr) != (in_b == nullptr)) {
    const bool only_a = in_a != nullptr;
    warnings.insert(formatted("only {}'s worker knows {} (here {})",
                              verdict::arm_label(only_a ? verdict::kArmA : verdict::kArmB), name,
                              to_text(only_a ? a : b)));
  }
}

void compare_options(const ResolvedCase& a, const ResolvedCase& b,
                     const std::set<std::string>& given, const AbArms& arms,
                     std::set<std::string>& differing, std::set<std::string>& warnings) {
  std::set<std::string> names;
  for (const auto& [name, value] : a.options) names.insert(name);
  for (const auto& [name, value] : b.options) names.insert(name);
  for (const std::string& name : names) {
    const Value* in_a = a.options.get(name);
    const Value* in_b = b.options.get(name);
    const Value left = in_a == nullptr ? Value{} : *in_a;
    const Value right = in_b == nullptr ? Value{} : *in_b;
    if (left == right) continue;
    differing.insert(name);
    if (!given.contains(name)) warn_of_defaults(name, left, right, arms, warnings);
  }
}

// Moves the points that both arms can measure to the front, in the same order in both plans.
void join_arms(const plan::Plan& base, const std::set<std::string>& kept, AbArms& arms) {
  const std::size_t size = base.cases.size();
  for (const AbArm* arm : {&arms.a, &arms.b}) {
    if (arm->plan.cases.size() == size) continue;
    throw ConfigError("--" + arm->name + "-set",
                      formatted("makes {} cases of the plan's {}: some become equal and have no "
                                "partner in the other arm; use --filter on the plan first",
                                arm->plan.cases.size(), size));
  }
  std::vector<plan::PlannedCase> a;
  std::vector<plan::PlannedCase> b;
  std::vector<std::size_t> unpaired;
  for (std::size_t i = 0; i < size; ++i) {
    if (!kept.contains(base.cases[i].resolved.case_id)) continue;
    plan::PlannedCase& in_a = arms.a.plan.cases[i];
    plan::PlannedCase& in_b = arms.b.plan.cases[i];
    in_a.resolved.point_id = in_b.resolved.point_id = base.cases[i].resolved.case_id;
    if (in_a.skip || in_b.skip) {
      unpaired.push_back(i);
      continue;
    }
    arms.points.push_back({in_a.resolved.point_id, in_a.resolved.case_id, in_b.resolved.case_id});
    a.push_back(in_a);
    b.push_back(in_b);
  }
  for (const std::size_t i : unpaired) {
    const plan::PlannedCase& in_a = arms.a.plan.cases[i];
    const plan::PlannedCase& in_b = arms.b.plan.cases[i];
    const ResolvedCase& point = base.cases[i].resolved;
    arms.missing.push_back(
        {.point = {point.case_id, point.workload, point.options},
         .name = estimate::case_name(point.options, point.workload, base.varying, point.case_id),
         .in_a = !in_a.skip,
         .in_b = !in_b.skip,
         .reason = in_a.skip ? *in_a.skip : *in_b.skip});
    a.push_back(in_a);
    b.push_back(in_b);
  }
  arms.a.plan.cases = std::move(a);
  arms.b.plan.cases = std::move(b);
}

// Value of an option in the cases of this arm; nullopt: it differs between them.
std::optional<std::string> value_in(const AbArm& arm, std::size_t cases, const std::string& name) {
  std::set<std::string> values;
  for (std::size_t i = 0; i < std::max<std::size_t>(cases, 1) && i < arm.plan.cases.size(); ++i) {
    const Value* value = arm.plan.cases[i].resolved.options.get(name);
    const std::string text = value == nullptr || is_null(*value) ? std::string() : to_text(*value);
    values.insert(text::is_secret_option(name) && !text.empty() ? text::masked_value(text) : text);
  }
  if (values.size() != 1) return std::nullopt;
  return *values.begin();
}

// Respects that an option may have a different default in a variant of its section.
bool is_default(const AbArm& arm, std::size_t cases, const std::string& name,
                const std::string& value) {
  const Option* option = arm.catalogue.find_option(name);
  if (option == nullptr) return false;
  const std::string section = name.substr(0, name.find('.'));
  const Section* in = arm.catalogue.find_section(section);
  const auto variant = in == nullptr || in->selector.empty()
                           ? std::nullopt
                           : value_in(arm, cases, section + '.' + in->selector);
  return to_text(default_of(*option, variant.value_or(""))) == value;
}

// `source`: "file" or "command".
std::string setting_words(const AbArm& arm, std::size_t cases, const std::string& name,
                          const std::string& source) {
  const auto value = value_in(arm, cases, name);
  if (!value) return formatted("{} as the {} says", name, source);
  if (value->empty()) return name + " unset";
  if (std::ranges::find(arm.names, name) != arm.names.end()) return name + '=' + *value;
  return formatted(
      "{}={}{}", name, *value,
      is_default(arm, cases, name, *value) ? " (default)" : " (from the " + source + ')');
}

std::string worker_words(const std::string& given) {
  return given.empty() ? "the built-in worker" : "worker " + given;
}

// Lists for both arms each setting that either arm makes: "optimizer.implementation=single
// (default)" and "optimizer.implementation=fused", "env.OMP_NUM_THREADS unset" and
// "env.OMP_NUM_THREADS=1", "worker old/stepbench-worker". Without any, both are "as the file says",
// or "as the command says" if no file was named.
void describe_arms(const AbRequest& request, AbArms& arms) {
  std::vector<std::string> a;
  std::vector<std::string> b;
  if (arms.a.worker.path != arms.b.worker.path) {
    a.push_back(worker_words(request.a.worker));
    b.push_back(worker_words(request.b.worker));
  }
  const std::string source = request.text ? "command" : "file";
  std::set<std::string> listed;
  for (const AbArm* arm : {&arms.a, &arms.b}) {
    for (const std::string& name : arm->names) {
      if (!listed.insert(name).second) continue;
      a.push_back(setting_words(arms.a, arms.points.size(), name, source));
      b.push_back(setting_words(arms.b, arms.points.size(), name, source));
    }
  }
  if (a.empty()) a = b = {formatted("as the {} says", source)};
  arms.a.words = text::join(a, " ");
  arms.b.words = text::join(b, " ");
}

}  // namespace

std::string equal_arms_note(const AbArms& arms) {
  if (arms.a.worker.build_id != arms.b.worker.build_id || arms.points.empty()) return {};
  for (std::size_t i = 0; i < arms.points.size(); ++i) {
    const auto& a = arms.a.plan.cases[i].resolved.options;
    const auto& b = arms.b.plan.cases[i].resolved.options;
    if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) return {};
  }
  const std::vector<std::string>& set = arms.b.set.empty() ? arms.a.set : arms.b.set;
  return formatted(
      "both arms are the same program with the same options{}: this A/A run can show how much "
      "equal launches differ, and no change",
      set.empty() ? "" : formatted(" ({} changes nothing)", text::join(set)));
}

AbArms resolve_arms(const AbRequest& request, const CampaignContext& context) {
  AbArms arms{.a = begin_arm("a", request.a, context), .b = begin_arm("b", request.b, context)};
  const plan::PlanRequest plain = plan_request(request, {});
  const bool same_worker = arms.a.worker.path == arms.b.worker.path;
  const Planned base = same_worker ? make_plan_here(plain, given_worker(arms.a), context)
                                   : plan_arm(arms.a, plain, context);
  for (AbArm* arm : {&arms.a, &arms.b}) {
    const bool as_base = arm->set.empty() && (same_worker || arm == &arms.a);
    take_plan(as_base ? base : plan_arm(*arm, plan_request(request, arm->set), context), *arm);
    refuse_swept(*arm);
  }
  const std::set<std::string> kept = kept_points(request, arms.a, base.plan, context);
  for (AbArm* arm : {&arms.a, &arms.b}) {
    if (!given_worker(*arm)) arm->worker = worker_of(arm->plan, context);
    check_plan_files(arm->plan, &arm->worker, context);
    check_ranks(arm->plan, context);
  }
  join_arms(base.plan, kept, arms);
  if (arms.points.empty() && arms.missing.empty()) {
    throw ConfigError(request.file, "no case is left after --filter");
  }
  align_arms(arms);
  refuse_arms_without_pairs(arms);
  std::set<std::string> given(arms.a.names.begin(), arms.a.names.end());
  given.insert(arms.b.names.begin(), arms.b.names.end());
  std::set<std::string> differing = given;
  std::set<std::string> warnings;
  for (std::size_t i = 0; i < arms.points.size(); ++i) {
    compare_options(arms.a.plan.cases[i].resolved, arms.b.plan.cases[i].resolved, given, arms,
                    differing, warnings);
  }
  arms.overridden.assign(differing.begin(), differing.end());
  arms.warnings.assign(warnings.begin(), warnings.end());
  if (std::string note = equal_arms_note(arms); !note.empty()) {
    arms.warnings.push_back(std::move(note));
  }
  describe_arms(request, arms);
  return arms;
}

namespace {

std::int64_t steps(const ResolvedCase& resolved, const char* option, std::int64_t otherwise = 0) {
  const Value* value = resolved.options.get(option);
  const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? otherwise : *number;
}

std::int64_t lead(const ResolvedCase& resolved) {
  return steps(resolved, "schedule.wait") + steps(resolved, "schedule.warmup");
}

// A worker of an older build may lack some of these options.
bool put(ResolvedCase& resolved, const char* option, std::int64_t value) {
  if (!resolved.has(option) || steps(resolved, option) == value) return false;
  resolved.options[option] = value;
  return true;
}

}  // namespace

bool align_schedules(const std::set<std::string>& kept, ResolvedCase& a, ResolvedCase& b) {
  const std::int64_t refill = std::max(steps(a, "schedule.refill"), steps(b, "schedule.refill"));
  if (refill == 0) return false;
  const std::int64_t block = std::lcm(steps(a, "schedule.block", 1), steps(b, "schedule.block", 1));
  const std::int64_t active = schedule::rounded_up(
      std::max(steps(a, "schedule.active"), steps(b, "schedule.active")), block);
  const std::int64_t longest_lead = std::max(lead(a), lead(b));
  bool changed = false;
  for (ResolvedCase* arm : {&a, &b}) {
    put(*arm, "schedule.refill", refill);
    if (!kept.contains("schedule.active")) changed |= put(*arm, "schedule.active", active);
    if (kept.contains("schedule.warmup") || kept.contains("schedule.wait")) continue;
    changed |= put(*arm, "schedule.warmup", longest_lead - steps(*arm, "schedule.wait"));
  }
  return changed;
}

}  // namespace stepbench::campaign
