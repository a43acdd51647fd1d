// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/defaults.h"

#include <algorithm>

namespace stepbench::worker {
namespace {

std::string full_name(const Section& section, const Option& option) {
  return section.name.empty() ? option.name : section.name + "." + option.name;
}

void fill(OptionValues& values, const Section& section, std::string_view variant,
          const std::vector<Option>& options) {
  for (const Option& option : options) {
    const std::string name = full_name(section, option);
    if (!values.contains(name)) values[name] = default_of(option, variant);
  }
}

// The variant of the case; empty if the section has no variants.
std::string variant_of(const OptionValues& values, const Section& section) {
  if (section.selector.empty()) return {};
  if (const Value* given = values.get(section.name + "." + section.selector)) {
    return to_text(*given);
  }
  const auto selector = std::ranges::find(section.options, section.selector, &Option::name);
  return to_text(selector->default_value);
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
    const std::string chosen = variant_of(resolved.options, section);
    fill(resolved.options, section, chosen, section.options);
    for (const Variant& variant : section.variants) {
      if (variant.name == chosen) fill(resolved.options, section, chosen, variant.options);
    }
  }
}

}  // namespace stepbench::worker
