// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/defaults.h"

#include <algorithm>

namespace stepbench {
namespace {

std::string full_name(const Section& section, const Option& option) {
  return section.name.empty() ? option.name : section.name + "." + option.name;
}

void fill(OptionValues& values, const Section& section, const std::vector<Option>& options) {
  for (const Option& option : options) {
    const std::string name = full_name(section, option);
    if (!values.contains(name)) values[name] = option.default_value;
  }
}

}  // namespace

void fill_defaults(ResolvedCase& resolved, const Catalogue& catalogue) {
  std::vector<Section> sections = harness_sections();
  if (const WorkloadSpec* spec = catalogue.find_workload(resolved.workload)) {
    for (const std::string& name : spec->sections) {
      if (const Section* section = catalogue.find_section(name)) sections.push_back(*section);
    }
  }
  for (const Section& section : sections) {
    fill(resolved.options, section, section.options);
    if (section.selector.empty()) continue;
    const Value* selected = resolved.options.get(section.name + "." + section.selector);
    for (const Variant& variant : section.variants) {
      if (selected != nullptr && *selected == Value(variant.name)) {
        fill(resolved.options, section, variant.options);
      }
    }
  }
}

}  // namespace stepbench
