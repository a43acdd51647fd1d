// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/internal/case_shape.h"

#include <algorithm>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/base/value.h"
#include "harness/catalogue/validate.h"

namespace stepbench::plan {
namespace {

bool reads(const WorkloadSpec& workload, const Section& section) {
  return is_harness_section(section.name) ||
         std::find(workload.sections.begin(), workload.sections.end(), section.name) !=
             workload.sections.end();
}

bool equal(const Value& a, const Value& b) {
  const auto left = number_of(a);
  const auto right = number_of(b);
  return left && right ? *left == *right : a == b;
}

// A null value satisfies no condition.
bool is_met(const Requires& need, const Value& value) {
  if (is_null(value)) return false;
  switch (need.op) {
    case Requires::Op::kEqual:
      return equal(value, need.value);
    case Requires::Op::kNotEqual:
      return !equal(value, need.value);
    case Requires::Op::kGreater: {
      const auto left = number_of(value);
      const auto right = number_of(need.value);
      return left && right && *left > *right;
    }
  }
  return false;
}

}  // namespace

const CaseShape::Declared* CaseShape::find(std::string_view name) const {
  const auto found =
      std::lower_bound(options.begin(), options.end(), name,
                       [](const Declared& d, std::string_view key) { return d.name < key; });
  return found == options.end() || found->name != name ? nullptr : &*found;
}

Value CaseShapes::chosen_value(const OptionValues& chosen, const std::string& name,
                               const Value& default_value) const {
  if (const Value* value = chosen.get(name)) return *value;
  const auto setting = settings_.options.find(name);
  return setting == settings_.options.end() ? default_value : setting->second.value;
}

const CaseShape& CaseShapes::shape_of(const OptionValues& chosen) {
  const Value workload = chosen_value(chosen, "workload", {});
  if (is_null(workload)) {
    throw ConfigError("workload",
                      "is missing: " + catalogue::expectation(index_.workload_option()));
  }
  const std::string name = to_text(workload);
  std::string key = name;
  std::map<std::string, std::string> variants;
  const WorkloadSpec* spec = index_.catalogue().find_workload(name);
  for (const Section& section : index_.catalogue().sections) {
    if (section.selector.empty() || !reads(*spec, section)) continue;
    const auto selector = std::find_if(section.options.begin(), section.options.end(),
                                       [&](const Option& o) { return o.name == section.selector; });
    const std::string variant = to_text(
        chosen_value(chosen, full_name(section.name, section.selector), selector->default_value));
    variants[section.name] = variant;
    key += '\n' + variant;
  }
  auto& shape = shapes_[key];
  if (!shape) {
    shape = make(name, variants);
    order_.push_back(shape.get());
  }
  return *shape;
}

void CaseShapes::add_options(CaseShape& shape, const Section& section, std::string_view variant,
                             const std::vector<Option>& options) const {
  for (const Option& option : options) {
    const std::string name = full_name(section.name, option.name);
    shape.options.push_back({name, &option});
    const auto setting = settings_.options.find(name);
    const bool given = setting != settings_.options.end();
    shape.base[name] = given ? setting->second.value : default_of(option, variant);
    if (given) {
      const auto mistake = catalogue::check_value(option, setting->second.value);
      if (mistake && name != "workload")
        throw ConfigError(setting->second.where, formatted("'{}': {}", name, *mistake));
    }
    if (option.required && !given) shape.missing.push_back(name);
  }
}

void CaseShapes::add_open_keys(CaseShape& shape, const Section& section) const {
  std::set<std::string> names = swept_;
  for (const auto& [name, setting] : settings_.options) names.insert(name);
  for (const std::string& name : names) {
    if (!name.starts_with(section.name + ".") || shape.base.contains(name)) continue;
    const auto setting = settings_.options.find(name);
    shape.options.push_back({name, nullptr});
    shape.base[name] = setting == settings_.options.end() ? Value{} : setting->second.value;
  }
}

std::unique_ptr<CaseShape> CaseShapes::make(
    const std::string& workload, const std::map<std::string, std::string>& variants) const {
  auto shape = std::make_unique<CaseShape>();
  shape->workload = workload;
  const WorkloadSpec* spec = index_.catalogue().find_workload(workload);
  for (const Section& section : index_.catalogue().sections) {
    if (!reads(*spec, section)) continue;
    const auto variant = variants.find(section.name);
    const std::string chosen = variant == variants.end() ? "" : variant->second;
    add_options(*shape, section, chosen, section.options);
    for (const Variant& each : section.variants) {
      if (each.name == chosen) add_options(*shape, section, chosen, each.options);
    }
    if (section.open) add_open_keys(*shape, section);
    if (variant == variants.end()) continue;
    shape->variants.push_back(
        {full_name(section.name, section.selector), variant->second, OptionValues::kNoSlot});
  }
  std::sort(shape->options.begin(), shape->options.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  shape->base.share();
  for (CaseShape::Choice& choice : shape->variants) {
    choice.slot = shape->base.slot(choice.selector);
  }
  for (const CaseShape::Declared& declared : shape->options) {
    const std::size_t slot = shape->base.slot(declared.name);
    const Option* option = declared.option;
    if (option != nullptr && option->requires_) {
      shape->demands.push_back({&declared, slot, shape->base.slot(option->requires_->option)});
    }
    if (option == nullptr) {
      shape->identity.push_back({declared.name, {}, slot});
    } else if (option->identity == Identity::kKey) {
      shape->identity.push_back({declared.name, option->identity_default, slot});
    }
  }
  return shape;
}

void null_unmet(const CaseShape& shape, OptionValues& values,
                std::vector<const CaseShape::Declared*>& nulled) {
  const OptionValues& now = values;
  for (bool changed = true; changed;) {
    changed = false;
    for (const CaseShape::Demand& demand : shape.demands) {
      if (is_null(now.in_slot(demand.slot))) continue;
      const bool met = demand.needed_slot != OptionValues::kNoSlot &&
                       is_met(*demand.declared->option->requires_, now.in_slot(demand.needed_slot));
      if (met) continue;
      values.change_slot(demand.slot) = {};
      nulled.push_back(demand.declared);
      changed = true;
    }
  }
}

namespace {

void append_escaped(std::string& text, const std::string& value) {
  for (const char c : value) {
    if (c == '\\') {
      text += "\\\\";
    } else if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
}

}  // namespace

std::string case_id(const OptionValues& options, const IdentityKeys& keys) {
  std::string text;
  for (const IdentityKey& key : keys) {
    const Value* option =
        key.slot == OptionValues::kNoSlot ? options.get(key.name) : &options.in_slot(key.slot);
    if (option == nullptr) continue;
    const auto value = identity_text(key.name, *option, key.identity_default);
    if (!value) continue;
    text += key.name;
    text += '=';
    append_escaped(text, *value);
    text += '\n';
  }
  return digest(text);
}

}  // namespace stepbench::plan
