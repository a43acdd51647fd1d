// SPDX-License-Identifier: Apache-2.0
// Converts named values to the JSON text of a column and back. Pure; any thread.
#pragma once

#include <string>

#include "harness/base/value.h"
#include "harness/record/rows.h"

namespace stepbench::track {

[[nodiscard]] std::string fields_json(const Fields& fields);
[[nodiscard]] std::string asked_json(const record::CommandLine& asked);
// Throw ConfigError for an invalid text.
[[nodiscard]] Fields fields_from_json(const std::string& json);
[[nodiscard]] record::CommandLine asked_from_json(const std::string& json);

}  // namespace stepbench::track
