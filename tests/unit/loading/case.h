// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/base/resolved_case.h"
#include "workloads/data/data_section.h"
#include "workloads/loader/loader_section.h"

namespace stepbench::test {

// A case with the defaults of the sections data and loader, and `changes` on top. What the planner
// does about options without a meaning is left out.
inline ResolvedCase loader_case(const std::vector<std::pair<std::string, Value>>& changes) {
  ResolvedCase resolved;
  resolved.workload = "loader";
  for (const Section& section : {data::data_section(), loader::loader_section()}) {
    const auto add = [&](const std::vector<Option>& options) {
      for (const Option& option : options)
        resolved.options.emplace(section.name + "." + option.name, option.default_value);
    };
    add(section.options);
    for (const Variant& variant : section.variants) add(variant.options);
  }
  for (const auto& [name, value] : changes) resolved.options[name] = value;
  return resolved;
}

}  // namespace stepbench::test
