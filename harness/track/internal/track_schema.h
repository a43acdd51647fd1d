// SPDX-License-Identifier: Apache-2.0
// The tables of a history, and the JSON text in some of their columns. Users have such databases on
// disk: a change needs a new version after the last one. Pure.
#pragma once

#include <span>
#include <string>

#include "harness/base/value.h"
#include "harness/record/rows.h"
#include "harness/store/schema.h"

namespace stepbench::track {

[[nodiscard]] std::span<const store::SchemaVersion> track_schema();

[[nodiscard]] std::string fields_json(const Fields& fields);
[[nodiscard]] std::string asked_json(const record::CommandLine& asked);
// Throw ConfigError for an invalid text.
[[nodiscard]] Fields fields_from_json(const std::string& json);
[[nodiscard]] record::CommandLine asked_from_json(const std::string& json);

}  // namespace stepbench::track
