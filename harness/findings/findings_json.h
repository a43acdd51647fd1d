// SPDX-License-Identifier: Apache-2.0
// Findings as JSON, in result files and on the worker's channel.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/findings/finding.h"
#include "harness/json/json_text.h"

namespace stepbench::json {
class JsonView;
}  // namespace stepbench::json

namespace stepbench::findings {

// The members of one finding, into an object that is open.
void add_members(json::JsonText& json, const Finding& finding);
// An array; members that hold nothing are left out.
void add_findings(json::JsonText& json, std::string_view key, std::span<const Finding> findings);

// `array` is a JSON array of findings. Unknown members are ignored, a severity of a later version
// counts as a warning. Throws LineError.
[[nodiscard]] std::vector<Finding> decode_findings(const json::JsonView& array);

}  // namespace stepbench::findings
