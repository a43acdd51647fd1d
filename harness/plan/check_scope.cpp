// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "harness/plan/expand.h"
#include "harness/plan/yaml_document.h"
#include "harness/text/words.h"

namespace stepbench::plan {

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
    context_.errors.add(where, "the workload '" + all.front()->workload +
                                   "' does not read the section '" + section + "'");
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
        where, "the workload '" + all.front()->workload + "' does not read '" + name + "'");
    return;
  }
  if (is_null(*here)) return;  // the missing selector is the actual error
  context_.errors.add(where, "'" + key + "' belongs to " + selector + " " + text::join(owners) +
                                 "; this file has " + to_text(*here));
}

}  // namespace stepbench::plan
