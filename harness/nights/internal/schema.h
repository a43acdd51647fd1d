// SPDX-License-Identifier: Apache-2.0
// The tables of a history, how a database gets them when it is opened, and the JSON text in some of
// their columns. A version is a list of statements that upgrade the previous one; a database stores
// its version. Users have such databases on disk: a change needs a new version after the last one.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/value.h"
#include "harness/nights/internal/database.h"
#include "harness/record/rows.h"

namespace stepbench::nights {

// Individual statements. Versions count from 1.
using SchemaVersion = std::function<std::vector<std::string>(const Database& database)>;

// Runs in one transaction, in one process at a time. First copies an older database file to
// FILE.schema2. Throws ConfigError for a database of a newer version, and for one with tables of
// another program.
void migrate(Database& database, std::span<const SchemaVersion> versions);

// The tables of a history, and the JSON text in some of their columns. Users have such databases on
// disk: a change needs a new version after the last one. Pure.

[[nodiscard]] std::span<const SchemaVersion> track_schema();

[[nodiscard]] std::string fields_json(const Fields& fields);
[[nodiscard]] std::string asked_json(const record::CommandLine& asked);
// Throw ConfigError for an invalid text.
[[nodiscard]] Fields fields_from_json(const std::string& json);
[[nodiscard]] record::CommandLine asked_from_json(const std::string& json);

}  // namespace stepbench::nights
