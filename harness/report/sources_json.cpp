// SPDX-License-Identifier: Apache-2.0
#include "harness/report/sources_json.h"

#include <algorithm>

#include "harness/json/json_text.h"

namespace stepbench::report {

void add_sources(json::JsonText& json, std::span<const std::string> names,
                 std::span<const Metric> definitions) {
  bool open = false;
  for (const std::string& name : names) {
    const auto found = std::find_if(definitions.begin(), definitions.end(),
                                    [&](const Metric& metric) { return metric.name == name; });
    if (found == definitions.end() || found->source == Source::kUnknown) continue;
    if (!open) json.open_object("sources");
    open = true;
    json.text(name, name_of(found->source));
  }
  if (open) json.close_object();
}

}  // namespace stepbench::report
