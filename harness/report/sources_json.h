// SPDX-License-Identifier: Apache-2.0
// Says in JSON which clock or counter gave each number.
#pragma once

#include <span>
#include <string>

#include "harness/catalogue/catalogue.h"

namespace stepbench::json {
class JsonText;
}  // namespace stepbench::json

namespace stepbench::report {

// "sources":{"step_ns":"host_clock",...} into an object that is open: of those names whose
// definition says from which clock or counter they come. Nothing when none does.
void add_sources(json::JsonText& json, std::span<const std::string> names,
                 std::span<const Metric> definitions);

}  // namespace stepbench::report
