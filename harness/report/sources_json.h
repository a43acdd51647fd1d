// SPDX-License-Identifier: Apache-2.0
// Writes the source of each number, a clock or counter, as JSON.
#pragma once

#include <span>
#include <string>

#include "harness/catalogue/catalogue.h"

namespace stepbench::json {
class JsonText;
}  // namespace stepbench::json

namespace stepbench::report {

// Adds "sources":{"step_ns":"host_clock",...} to an open object, for those of `names` whose
// definition has a source. Adds nothing if none has.
void add_sources(json::JsonText& json, std::span<const std::string> names,
                 std::span<const Metric> definitions);

}  // namespace stepbench::report
