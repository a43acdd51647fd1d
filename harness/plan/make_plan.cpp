// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/plan.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/plan/internal/expand.h"
#include "harness/plan/internal/torch_translation.h"
#include "harness/plan/option_index.h"
#include "harness/plan/yaml_document.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::plan {
namespace {

constexpr std::string_view kPrecision = "model.precision";

std::string default_name(const std::filesystem::path& file) {
  if (file == kStandardInput) return "stdin";
  std::string name = file.stem().string();
  for (char& c : name) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    if (!plain) c = '-';
  }
  return name.empty() ? "experiment" : name;
}

std::string plan_digest(const std::vector<PlannedCase>& cases) {
  std::string text;
  for (const PlannedCase& planned : cases) {
    const Value* launches = planned.resolved.options.get("launches");
    text +=
        planned.resolved.case_id + ' ' + (launches == nullptr ? "1" : to_text(*launches)) + '\n';
  }
  return digest(text);
}

// Excludes options that follow from the swept ones (engine at num_workers 0).
std::vector<std::string> swept_by(const Sweep& sweep) {
  std::vector<std::string> swept;
  const auto add = [&](const std::vector<SweepAxis::Key>& keys) {
    for (const SweepAxis::Key& key : keys) {
      if (std::find(swept.begin(), swept.end(), key.name) == swept.end()) swept.push_back(key.name);
    }
  };
  for (const SweepAxis& axis : sweep.axes) add(axis.keys);
  for (const SweepEntry& entry : sweep.includes) add(entry.keys);
  return swept;
}

bool sets(const Sweep& sweep, std::string_view name) {
  return std::any_of(sweep.axes.begin(), sweep.axes.end(), [&](const SweepAxis& axis) {
    return std::any_of(axis.keys.begin(), axis.keys.end(),
                       [&](const SweepAxis::Key& key) { return key.name == name; });
  });
}

void refuse_too_many(const Sweep& sweep, const PlanRequest& request) {
  if (request.max_cases < 1 || request.max_cases > kMostCases) {
    throw ConfigError("--max-cases",
                      formatted("expected 1 .. {}, found {}", text::with_separators(kMostCases),
                                request.max_cases));
  }
  const std::int64_t points = sweep.points();
  if (points <= request.max_cases) return;
  const bool too_many_for_any = points > kMostCases;
  throw ConfigError(
      sweep.where,
      "the sweep has " +
          (too_many_for_any
               ? formatted("more than {} cases; no plan may", text::with_separators(kMostCases))
               : formatted("{} cases, more than {}; --max-cases {} allows them",
                           text::with_separators(points), text::with_separators(request.max_cases),
                           points)));
}

void note_set_without_effect(const Sweep& sweep, const Settings& settings, Plan& plan) {
  for (const SweepAxis& axis : sweep.axes) {
    for (const SweepAxis::Key& key : axis.keys) {
      const auto setting = settings.options.find(key.name);
      if (setting == settings.options.end() || !setting->second.where.starts_with("--set"))
        continue;
      plan.notes.push_back(formatted(
          "{} has no effect: the sweep sets {}; --sweep {}=... replaces the sweep's values",
          setting->second.where, key.name, key.name));
    }
  }
}

// True if a rule may replace `other` by `value`: rules fill in, clear and resolve `auto`.
bool replaces(const Value& value, const Value& other) {
  return is_null(value) || is_null(other) || value.index() == other.index() ||
         other == Value(std::string("auto"));
}

// Applies the options that the worker's rules changed; ignores options that the case lacks and
// values of another type. Returns true if anything but step counts changed.
bool amend(OptionValues& options, const Fields& amended) {
  bool changed = false;
  for (const auto& [name, value] : amended) {
    const Value* old = std::as_const(options).get(name);
    if (old == nullptr || *old == value || !replaces(value, *old)) continue;
    changed = changed || !name.starts_with("schedule.");
    options[name] = value;
  }
  return changed;
}

void ask_foreign(const ForeignCheck& check, Expansion& expansion, ConfigErrors& errors,
                 Plan& plan) {
  std::vector<ResolvedCase> cases;
  cases.reserve(plan.cases.size());
  for (const PlannedCase& planned : plan.cases) cases.push_back(planned.resolved);
  const std::vector<CheckAnswer> answers = check(cases, expansion.facts());
  if (answers.size() != cases.size()) {
    throw Error(formatted("the worker's check answered {} times for {} cases", answers.size(),
                          cases.size()));
  }
  bool amended = false;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    PlannedCase& planned = plan.cases[i];
    for (const auto* notes : {&answers[i].notes, &answers[i].plan_notes}) {
      for (const std::string& note : *notes) {
        if (std::ranges::find(plan.notes, note) == plan.notes.end()) plan.notes.push_back(note);
      }
    }
    planned.notes.insert(planned.notes.end(), answers[i].notes.begin(), answers[i].notes.end());
    amended = amend(planned.resolved.options, answers[i].options) || amended;
    if (answers[i].kind == CheckAnswer::Kind::kError) {
      errors.add(expansion.place_of(i, answers[i].option), answers[i].reason);
    } else if (answers[i].kind == CheckAnswer::Kind::kSkip && !planned.skip) {
      planned.skip = answers[i].reason;
    }
  }
  if (amended && errors.empty()) expansion.identify_again(plan);
}

struct Filter {
  std::string where;
  std::string name;
  std::vector<Value> values;
};

Filter parse_filter(const std::string& argument, const OptionIndex& index) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigError("--filter " + argument, "expected KEY=VALUE, as in --filter num_workers=4");
  }
  Filter filter{.where = "--filter " + argument.substr(0, equals), .name = {}, .values = {}};
  try {
    filter.name = index.resolve(argument.substr(0, equals));
  } catch (const Error& error) {
    throw ConfigError(filter.where, error.what());
  }
  for (std::size_t start = equals + 1; start <= argument.size();) {
    const std::size_t end = std::min(argument.find(',', start), argument.size());
    const std::string text = argument.substr(start, end - start);
    try {
      filter.values.push_back(text == "null" ? Value{}
                                             : parse_value(index.find(filter.name), text, false));
    } catch (const Error& error) {
      throw ConfigError(filter.where, error.what());
    }
    start = end + 1;
  }
  return filter;
}

Value comparable(const std::string& name, const Value& value) {
  if (name != "device") return value;
  const std::string text = to_text(value);
  return text.substr(0, text.find(':'));
}

bool holds(const Filter& filter, const PlannedCase& planned) {
  const Value* value = planned.resolved.options.get(filter.name);
  if (value == nullptr) return false;
  return std::any_of(filter.values.begin(), filter.values.end(), [&](const Value& wanted) {
    return wanted == *value || comparable(filter.name, *value) == wanted;
  });
}

std::string values_in(const std::vector<PlannedCase>& cases, const std::string& name) {
  constexpr std::size_t kMaxNamesShown = 12;
  std::vector<std::string> shown;
  for (const PlannedCase& planned : cases) {
    const Value* value = planned.resolved.options.get(name);
    if (value == nullptr) continue;
    const std::string text = to_text(*value);
    if (std::find(shown.begin(), shown.end(), text) == shown.end()) shown.push_back(text);
    if (shown.size() == kMaxNamesShown) {
      shown.emplace_back("...");
      break;
    }
  }
  return shown.empty() ? "no case has it" : "it takes " + text::join(shown);
}

// `--filter num_workers=4,8`: keeps cases in which the option has one of the values; all filters
// must match. Throws ConfigError{"--filter num_wrokers"} for unknown and ambiguous names, invalid
// values, and if no case is left.
void keep_filtered(std::span<const std::string> filters, const OptionIndex& index,
                   std::vector<PlannedCase>& cases) {
  for (const std::string& argument : filters) {
    const Filter filter = parse_filter(argument, index);
    if (std::none_of(cases.begin(), cases.end(), [&](const auto& c) { return holds(filter, c); })) {
      throw ConfigError(filter.where, "no case is left; " + values_in(cases, filter.name));
    }
    std::erase_if(cases, [&](const PlannedCase& planned) { return !holds(filter, planned); });
  }
}

// Keeps every count-th case from index on: shards are disjoint, cover the plan and keep its order.
// Throws ConfigError{"--shard"} for invalid numbers.
void keep_shard(const Shard& shard, std::vector<PlannedCase>& cases) {
  if (shard.count < 1 || shard.index < 0 || shard.index >= shard.count) {
    throw ConfigError("--shard", "expected I/N with 1 <= I <= N, as in --shard 2/4");
  }
  if (shard.count == 1) return;
  std::size_t kept = 0;
  for (auto i = static_cast<std::size_t>(shard.index); i < cases.size();
       i += static_cast<std::size_t>(shard.count)) {
    if (kept != i) cases[kept] = std::move(cases[i]);
    ++kept;
  }
  cases.resize(kept);
}

bool is_scaled(const PlannedCase& planned) {
  return planned.resolved.text_or(kPrecision, "") == "fp16";
}

Plan make(const PlanRequest& request, const Catalogue& catalogue,
          std::span<const WorkloadRule> rules, const ForeignCheck& check,
          bool (*concerns)(const ResolvedCase&)) {
  const std::string source = source_name(request.file);
  Plan plan;
  plan.file = request.file;
  plan.config_text = request.text ? *request.text : read_config_text(request.file);
  plan.config_hash = digest(plan.config_text);
  ConfigNode root = parse_yaml(plan.config_text, source);

  const OptionIndex index(catalogue);
  ConfigErrors errors;
  const ParseContext context{source, index, request.variables, errors};
  // Autocast needs a type: torch's own choice depends on the device.
  const std::string autocast = place_of_section("autocast", root, request.set, context);
  const bool scales = !place_of_section("grad_scaler", root, request.set, context).empty();
  translate_torch_options(root, context);
  Settings settings = read_settings(root, context);
  apply_set(translate_torch_settings(request.set, settings, context), context, settings);
  if (request.smoke) apply_smoke(settings);
  if (request.quick) apply_quick(settings);
  Sweep sweep = read_sweep(root, context);
  apply_sweep(request.sweep, context, sweep);
  plan.notes = sweep.notes;
  if (!settings.options.contains("workload") && !sets(sweep, "workload") && errors.empty()) {
    errors.add(place(source, root.mark), "'workload' is missing: expected one of " +
                                             text::join(index.workload_option().choices));
  }
  if (!autocast.empty() && errors.empty() && !settings.options.contains(kPrecision) &&
      std::ranges::count(swept_by(sweep), kPrecision) == 0) {
    errors.add(autocast,
               "autocast names no type to compute in: torch takes bfloat16 on the CPU and float16 "
               "on CUDA; add dtype: bfloat16 or dtype: float16");
  }
  errors.throw_if_any();
  refuse_too_many(sweep, request);
  note_set_without_effect(sweep, settings, plan);

  const ExpandRequest expand_request{request, rules};
  Expansion expansion(context, expand_request, settings, sweep);
  expansion.expand(plan);
  errors.throw_if_any();
  if (scales && std::ranges::none_of(plan.cases, is_scaled)) {
    plan.notes.emplace_back("no effect here: grad_scaler without model.precision: fp16");
  }
  const auto asked_about = [&](const PlannedCase& planned) {
    return concerns == nullptr || concerns(planned.resolved);
  };
  const bool asks = check && std::any_of(plan.cases.begin(), plan.cases.end(), asked_about);
  if (asks) ask_foreign(check, expansion, errors, plan);
  errors.throw_if_any();

  const auto name = settings.options.find("name");
  plan.name =
      name == settings.options.end() ? default_name(request.file) : to_text(name->second.value);
  plan.digest = plan_digest(plan.cases);
  plan.total_cases = static_cast<std::int64_t>(plan.cases.size());
  keep_filtered(request.filter, index, plan.cases);
  keep_shard(request.shard, plan.cases);
  plan.swept = swept_by(sweep);
  plan.varying = varying_of(plan.swept, plan.cases);
  keep_cases(plan, request.cases);
  return plan;
}

}  // namespace

std::vector<std::string> varying_of(const std::vector<std::string>& swept,
                                    const std::vector<PlannedCase>& cases) {
  std::vector<std::string> varying = swept;
  std::erase_if(varying, [&](const std::string& name) {
    const auto value_in = [&](const PlannedCase& planned) {
      const Value* value = planned.resolved.options.get(name);
      return value == nullptr ? Value{} : *value;
    };
    return std::ranges::all_of(cases, [&](const PlannedCase& planned) {
      return value_in(planned) == value_in(cases.front());
    });
  });
  return varying;
}

void keep_cases(Plan& plan, const std::vector<std::string>& ids) {
  if (ids.empty()) return;
  const auto begins = [](const PlannedCase& planned, const std::string& id) {
    return planned.resolved.case_id.starts_with(id);
  };
  for (const std::string& id : ids) {
    if (id.empty()) {
      throw ConfigError("--case",
                        "is empty; expected the beginning of a case's id, as in --case 1a2b");
    }
    if (std::none_of(plan.cases.begin(), plan.cases.end(),
                     [&](const auto& planned) { return begins(planned, id); })) {
      throw ConfigError(
          "--case",
          formatted(
              "no case of this plan has an id that begins with `{}`; `stepbench plan` lists them",
              id));
    }
  }
  std::erase_if(plan.cases, [&](const PlannedCase& planned) {
    return std::none_of(ids.begin(), ids.end(),
                        [&](const auto& id) { return begins(planned, id); });
  });
}

std::string source_name(const std::filesystem::path& file) {
  return file == kStandardInput ? "standard input" : file.string();
}

Plan make_plan(const PlanRequest& request, const Catalogue& catalogue,
               std::span<const WorkloadRule> rules) {
  return make(request, catalogue, rules, {}, nullptr);
}

Plan make_checked_plan(const PlanRequest& request, const Catalogue& catalogue,
                       const ForeignCheck& check, std::span<const WorkloadRule> rules,
                       bool (*concerns)(const ResolvedCase&)) {
  return make(request, catalogue, rules, check, concerns);
}

std::vector<std::string> translated_settings(const std::vector<std::string>& set,
                                             const Catalogue& catalogue) {
  const OptionIndex index(catalogue);
  ConfigErrors errors;
  const std::string source;
  return translate_torch_settings(set, {}, {source, index, {}, errors});
}

}  // namespace stepbench::plan
