// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/internal/expand.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/catalogue/validate.h"
#include "harness/plan/yaml_document.h"
#include "harness/text/words.h"

namespace stepbench::plan {
namespace {

constexpr std::size_t kMergedShown = 20;
constexpr std::int64_t kLookedAtAfterAnError = 1000;
constexpr std::size_t kMaxNotes = 100;  // different notes on single cases

std::set<std::string> swept_names(const Sweep& sweep) {
  std::set<std::string> names;
  for (const SweepAxis& axis : sweep.axes) {
    for (const SweepAxis::Key& key : axis.keys) names.insert(key.name);
  }
  for (const SweepEntry& include : sweep.includes) {
    for (const SweepAxis::Key& key : include.keys) names.insert(key.name);
  }
  return names;
}

std::string text_of(const std::vector<PointValue>& values) {
  return text::join(values, " ", [](const PointValue& value) {
    return value.key->name + "=" + to_text(value.swept->value);
  });
}

// Parses the 16 hex digits of an id.
std::uint64_t number_of_id(const std::string& id) {
  std::uint64_t number = 0;
  std::from_chars(id.data(), id.data() + id.size(), number, 16);
  return number;
}

// Receives the results of a rule. Errors get the location of their option's value.
class CaseSink : public RuleSink {
 public:
  using OfOption = std::function<void(std::string_view, std::string)>;
  CaseSink(PlannedCase& planned, std::vector<std::string>& notes,
           std::set<std::string, std::less<>>& known_notes, OfOption error, OfOption no_effect)
      : planned_(planned),
        notes_(notes),
        known_notes_(known_notes),
        error_(std::move(error)),
        no_effect_(std::move(no_effect)) {}

  void error(std::string_view option, std::string reason) override {
    error_(option, std::move(reason));
  }
  void skip(std::string reason) override {
    if (!planned_.skip) planned_.skip = std::move(reason);
  }
  void note(std::string text) override {
    planned_.notes.push_back(text);
    plan_note(std::move(text));
  }
  void plan_note(std::string text) override {
    if (known_notes_.size() < kMaxNotes && known_notes_.insert(text).second)
      notes_.push_back(std::move(text));
  }
  void no_effect(std::string_view option, std::string without) override {
    no_effect_(option, std::move(without));
  }

 private:
  PlannedCase& planned_;
  std::vector<std::string>& notes_;
  std::set<std::string, std::less<>>& known_notes_;
  OfOption error_;
  OfOption no_effect_;
};

// The first option that both have with different values; empty if none.
std::string first_difference(const OptionValues& a, const OptionValues& b) {
  for (const auto& [name, value] : a) {
    const Value* other = b.get(name);
    if (other != nullptr && !is_null(value) && !is_null(*other) && value != *other) return name;
  }
  return {};
}

}  // namespace

struct Expansion::Point {
  std::int64_t number;
  const std::vector<PointValue>& values;
  const CaseShape& shape;
};

Expansion::Expansion(const ParseContext& context, const ExpandRequest& request,
                     const Settings& settings, const Sweep& sweep)
    : context_(context),
      request_(request),
      settings_(settings),
      sweep_(sweep),
      shapes_(context.index, settings, swept_names(sweep)),
      exclude_used_(sweep.excludes.size(), false) {
  selectors_.insert("workload");
  for (const Section& section : context.index.catalogue().sections) {
    if (!section.selector.empty()) selectors_.insert(full_name(section.name, section.selector));
  }
  for (const std::string& name : swept_names(sweep)) given_.insert(name);
  for (const auto& [name, setting] : settings.options) given_.insert(name);
}

RuleFacts Expansion::facts() const {
  const auto device = settings_.options.find("device");
  const bool automatic =
      device == settings_.options.end() || to_text(device->second.value) == "auto";
  return {.cuda_available = request_.request.cuda_available,
          .device_auto = automatic,
          .swept = sweep_.present,
          .cores = request_.request.cores,
          .smoke = request_.request.smoke};
}

const CaseShape& Expansion::shape_of(const std::vector<PointValue>& values) {
  OptionValues chosen;
  for (const PointValue& value : values) {
    if (selectors_.contains(value.key->name)) chosen[value.key->name] = value.swept->value;
  }
  if (!chosen.empty()) return shapes_.shape_of(chosen);
  if (base_shape_ == nullptr) base_shape_ = &shapes_.shape_of(chosen);
  return *base_shape_;
}

void Expansion::expand(Plan& plan) {
  check_scope();
  context_.errors.throw_if_any();
  const std::int64_t grid = sweep_.grid();
  constexpr std::int64_t kMaxLooks = 50'000'000;  // some seconds
  const std::int64_t excludes = std::ssize(sweep_.excludes);
  if (excludes > 0 && grid > kMaxLooks / excludes) {
    context_.errors.add(
        sweep_.where, formatted("{} against {} is too much to check; name the values that are "
                                "wanted, or the points under include",
                                text::counted(grid, "point"), text::counted(excludes, "exclude")));
    context_.errors.throw_if_any();
  }
  std::vector<PointValue> values;
  plan.cases.reserve(static_cast<std::size_t>(sweep_.points()));
  std::int64_t wrong = 0;
  for (std::int64_t number = 0; number < sweep_.points(); ++number) {
    if (!context_.errors.empty() && ++wrong > kLookedAtAfterAnError) break;
    values_of(sweep_, number, values);
    if (number < grid && is_excluded(values)) {
      ++plan.excluded;
      continue;
    }
    const Point point{number, values, shape_of(values)};
    PlannedCase planned;
    assemble(point, plan, planned);
    add_or_merge(point, plan, std::move(planned));
  }
  for (std::size_t i = 0; i < exclude_used_.size(); ++i) {
    if (exclude_used_[i]) continue;
    plan.notes.push_back(formatted("exclude at {} matches no point of the sweep",
                                   place(context_.source, sweep_.excludes[i].mark)));
  }
  if (plan.cases.empty() && context_.errors.empty()) {
    context_.errors.add(sweep_.where, "the sweep is empty: exclude leaves no case");
  }
  note_ineffective_options(plan);
}

bool Expansion::is_excluded(const std::vector<PointValue>& values) {
  const auto holds = [&](const SweepAxis::Key& key) {
    const auto swept = std::find_if(values.begin(), values.end(), [&](const PointValue& value) {
      return value.key->name == key.name;
    });
    const Value* value = swept != values.end()    ? &swept->swept->value
                         : base_shape_ == nullptr ? nullptr
                                                  : base_shape_->base.get(key.name);
    return value != nullptr &&
           std::any_of(key.values.begin(), key.values.end(),
                       [&](const SweptValue& excluded) { return excluded.value == *value; });
  };
  bool excluded = false;
  for (std::size_t i = 0; i < sweep_.excludes.size(); ++i) {
    const auto& keys = sweep_.excludes[i].keys;
    if (!std::all_of(keys.begin(), keys.end(), holds)) continue;
    exclude_used_[i] = true;
    excluded = true;
  }
  return excluded;
}

void Expansion::assemble(const Point& point, Plan& plan, PlannedCase& planned) {
  ResolvedCase& resolved = planned.resolved;
  no_effect_.clear();
  ++assembled_;
  resolved.workload = point.shape.workload;
  resolved.options = point.shape.base;
  for (const PointValue& value : point.values) {
    const CaseShape::Declared* declared = point.shape.find(value.key->name);
    if (declared != nullptr) resolved.options[value.key->name] = value.swept->value;
  }
  RuleFacts rule_facts = facts();
  apply_device(point, planned, rule_facts);
  report_missing(point);
  null_meaningless(point.shape, resolved.options);
  if (context_.errors.empty()) apply_rule(point, rule_facts, plan, planned);
  identify(point.shape, planned);
  for (const auto& [option, without] : no_effect_)
    ++ineffective_.try_emplace(option, Ineffective{without}).first->second.points;
}

void Expansion::identify(const CaseShape& assembled, PlannedCase& planned) {
  const CaseShape& shape = reshape(assembled, planned);
  ResolvedCase& resolved = planned.resolved;
  resolved.case_id = case_id(resolved.options, shape.identity);
  resolved.point_id = resolved.case_id;
  share_options(shape, resolved.options);
}

void Expansion::identify_again(Plan& plan) {
  std::vector<PlannedCase> cases = std::exchange(plan.cases, {});
  const std::vector<std::int64_t> points = std::exchange(points_, {});
  index_of_.clear();
  std::vector<PointValue> values;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    values_of(sweep_, points[i], values);
    const Point point{points[i], values, shape_of(values)};
    no_effect_.clear();
    identify(point.shape, cases[i]);
    add_or_merge(point, plan, std::move(cases[i]));
  }
}

// Cases of one shape mostly share the values set by rules and requirements, too.
void Expansion::share_options(const CaseShape& shape, OptionValues& options) {
  const auto [typical, is_first] = typical_.try_emplace(&shape, options);
  if (is_first) typical->second.share();
  options.share_with(typical->second);
}

void Expansion::apply_device(const Point& point, PlannedCase& planned, RuleFacts& facts) {
  const Value* device = planned.resolved.options.get("device");
  if (device == nullptr) return;
  const std::string asked = to_text(*device);
  facts.device_auto = asked == "auto";
  const bool cuda = asked == "auto" ? facts.cuda_available : asked.starts_with("cuda");
  const std::string resolved = !cuda                                  ? "cpu"
                               : asked.find(':') == std::string::npos ? "cuda:0"
                                                                      : asked;
  if (resolved != asked) planned.resolved.options["device"] = resolved;
  if (!cuda || facts.cuda_available) return;
  const bool swept =
      std::any_of(point.values.begin(), point.values.end(),
                  [](const PointValue& value) { return value.key->name == "device"; });
  if (swept) {
    planned.skip = "there is no CUDA device here";
  } else {
    context_.errors.add(place_of_point(point.number, "device"),
                        "there is no CUDA device here; `device: auto` takes one when it is there");
  }
}

void Expansion::report_missing(const Point& point) {
  for (const std::string& name : point.shape.missing) {
    const bool swept =
        std::any_of(point.values.begin(), point.values.end(),
                    [&](const PointValue& value) { return value.key->name == name; });
    if (swept) continue;
    const CaseShape::Declared* declared = point.shape.find(name);
    context_.errors.add(
        place_of_point(point.number, name),
        formatted("'{}' is missing: expected {}", name, catalogue::expectation(*declared->option)));
  }
}

void Expansion::null_meaningless(const CaseShape& shape, OptionValues& options) {
  std::vector<const CaseShape::Declared*> nulled;
  null_unmet(shape, options, nulled);
  for (const CaseShape::Declared* declared : nulled)
    has_no_effect(declared->name, text_of(*declared->option->requires_));
}

void Expansion::has_no_effect(std::string_view option, std::string without) {
  const auto known_notes = std::ranges::find(no_effect_, option, &NoEffect::value_type::first);
  if (known_notes != no_effect_.end() || !given_.contains(option)) return;
  no_effect_.emplace_back(option, std::move(without));
}

void Expansion::note_ineffective_options(Plan& plan) const {
  NoEffect nowhere;
  for (const auto& [option, why] : ineffective_) {
    if (why.points == assembled_) nowhere.emplace_back(option, why.without);
  }
  if (!nowhere.empty()) plan.notes.push_back("no effect here: " + text_of(nowhere));
}

void Expansion::apply_rule(const Point& point, const RuleFacts& facts, Plan& plan,
                           PlannedCase& planned) {
  const auto rule = std::find_if(request_.rules.begin(), request_.rules.end(),
                                 [&](const WorkloadRule& candidate) {
                                   return candidate.workload == planned.resolved.workload;
                                 });
  if (rule == request_.rules.end() || rule->rule == nullptr) return;
  CaseSink sink(
      planned, plan.notes, known_notes_,
      [&](std::string_view option, std::string reason) {
        context_.errors.add(place_of_point(point.number, option), std::move(reason));
      },
      [&](std::string_view option, std::string without) {
        has_no_effect(option, std::move(without));
      });
  rule->rule(planned.resolved, facts, sink);
}

// A rule may have chosen another variant: options of the old one then no longer apply, those of the
// new one are added.
const CaseShape& Expansion::reshape(const CaseShape& shape, PlannedCase& planned) {
  OptionValues& options = planned.resolved.options;
  const OptionValues& given = options;
  const bool same =
      given.shares(shape.base) &&
      std::all_of(shape.variants.begin(), shape.variants.end(), [&](const auto& choice) {
        const auto* name = std::get_if<std::string>(&given.in_slot(choice.slot));
        return name != nullptr && *name == choice.variant;
      });
  const CaseShape& now = same ? shape : shapes_.shape_of(options);
  if (!same) {
    OptionValues moved = now.base;
    for (const auto& [name, value] : given) {
      const bool lost = shape.find(name) != nullptr && now.find(name) == nullptr;
      moved[name] = lost ? Value{} : value;
    }
    options = std::move(moved);
  }
  null_meaningless(now, options);
  return now;
}

void Expansion::add_or_merge(const Point& point, Plan& plan, PlannedCase planned) {
  const auto [entry, is_new] =
      index_of_.emplace(number_of_id(planned.resolved.case_id), plan.cases.size());
  if (is_new) {
    points_.push_back(point.number);
    plan.cases.push_back(std::move(planned));
    return;
  }
  if (!context_.errors.empty()) return;
  const PlannedCase& earlier = plan.cases[entry->second];
  const std::string difference =
      first_difference(earlier.resolved.options, planned.resolved.options);
  if (!difference.empty()) {
    context_.errors.add(place_of_point(point.number, difference),
                        formatted("two cases differ only in '{}', which is not part of a case's "
                                  "identity; vary another option along with it in `zip`",
                                  difference));
    return;
  }
  const std::int64_t grid = sweep_.grid();
  if (point.number >= grid) {
    const Mark mark = sweep_.includes[static_cast<std::size_t>(point.number - grid)].mark;
    context_.errors.add(
        place(context_.source, mark),
        formatted("this include repeats a case of the sweep ({})", text_of(point.values)));
    return;
  }
  ++plan.merged;
  if (plan.merged_points.size() < kMergedShown) {
    std::string text = text_of(point.values) + " is case " + planned.resolved.case_id;
    NoEffect swept = no_effect_;
    std::erase_if(swept, [&](const auto& each) {
      return std::ranges::none_of(
          point.values, [&](const PointValue& value) { return value.key->name == each.first; });
    });
    if (!swept.empty()) text += "; no effect: " + text_of(swept);
    plan.merged_points.push_back(std::move(text));
  }
}

std::string Expansion::place_of(std::size_t index, std::string_view option) const {
  return place_of_point(points_[index], option);
}

std::string Expansion::place_of_point(std::int64_t point, std::string_view option) const {
  std::vector<PointValue> values;
  values_of(sweep_, point, values);
  for (const PointValue& value : values) {
    if (value.key->name == option) return place(value.key->source, value.swept->mark);
  }
  const auto setting = settings_.options.find(option);
  if (setting != settings_.options.end()) return setting->second.where;
  const auto section = settings_.sections.find(option.substr(0, option.find('.')));
  if (section != settings_.sections.end()) return section->second;
  return context_.source;
}

// Every key of the file must apply in at least one case.
void Expansion::check_scope() {
  std::vector<PointValue> values;
  const std::int64_t grid = sweep_.grid();
  const bool shapes_vary =
      std::any_of(sweep_.axes.begin(), sweep_.axes.end(), [&](const SweepAxis& axis) {
        return std::any_of(axis.keys.begin(), axis.keys.end(), [&](const SweepAxis::Key& key) {
          return selectors_.contains(key.name);
        });
      });
  for (std::int64_t number = 0; number < sweep_.points(); ++number) {
    if (number > 0 && number < grid && !shapes_vary) number = grid;
    if (number == sweep_.points()) break;
    values_of(sweep_, number, values);
    static_cast<void>(shape_of(values));
  }
  for (const auto& [section, where] : settings_.sections) {
    const auto& all = shapes_.all();
    const bool read =
        std::any_of(all.begin(), all.end(), [&, section = section](const CaseShape* shape) {
          const auto& names = context_.index.catalogue().find_workload(shape->workload)->sections;
          return is_harness_section(section) ||
                 std::find(names.begin(), names.end(), section) != names.end();
        });
    if (read) continue;
    context_.errors.add(where, formatted("the workload '{}' does not read the section '{}'",
                                         all.front()->workload, section));
  }
  for (const auto& [name, setting] : settings_.options) check_setting_scope(name, setting.where);
  for (const SweepAxis& axis : sweep_.axes) {
    for (const SweepAxis::Key& key : axis.keys)
      check_setting_scope(key.name, place(key.source, key.mark));
  }
  for (const SweepEntry& include : sweep_.includes) {
    for (const SweepAxis::Key& key : include.keys)
      check_setting_scope(key.name, place(key.source, key.mark));
  }
  if (context_.errors.empty()) check_paths(settings_, context_);
}

void Expansion::check_setting_scope(const std::string& name, const std::string& where) {
  const auto& all = shapes_.all();
  const auto has = [&](const CaseShape* shape) { return shape->find(name) != nullptr; };
  if (std::any_of(all.begin(), all.end(), has)) return;
  const std::size_t dot = name.find('.');
  const std::string section_name = dot == std::string::npos ? "" : name.substr(0, dot);
  const std::string key = name.substr(dot + 1);
  const Section* section = context_.index.catalogue().find_section(section_name);
  const std::string selector = full_name(section_name, section->selector);
  std::vector<std::string> owners;
  for (const Variant& variant : section->variants) {
    const bool owns = std::any_of(variant.options.begin(), variant.options.end(),
                                  [&](const Option& option) { return option.name == key; });
    if (owns) owners.push_back(variant.name);
  }
  const Value* here = all.front()->base.get(selector);
  if (here == nullptr) {
    if (settings_.sections.contains(section_name)) return;  // already reported
    context_.errors.add(
        where, formatted("the workload '{}' does not read '{}'", all.front()->workload, name));
    return;
  }
  if (is_null(*here)) return;  // the missing selector is the actual error
  context_.errors.add(where, formatted("'{}' belongs to {} {}; this file has {}", key, selector,
                                       text::join(owners), to_text(*here)));
}

std::string text_of(const Requires& need) {
  switch (need.op) {
    case Requires::Op::kEqual:
      return need.option + ": " + to_text(need.value);
    case Requires::Op::kNotEqual:
      return need.option + " other than " + to_text(need.value);
    case Requires::Op::kGreater:
      return need.option + " > " + to_text(need.value);
  }
  return {};
}

std::string text_of(const NoEffect& no_effect) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_need;
  for (const auto& [option, without] : no_effect) {
    auto found = std::ranges::find(by_need, without, &decltype(by_need)::value_type::first);
    if (found == by_need.end()) found = by_need.insert(found, {without, {}});
    found->second.push_back(option);
  }
  return text::join(by_need, "; ", [](const auto& need) {
    return text::join_and(need.second) + " without " + need.first;
  });
}

}  // namespace stepbench::plan
