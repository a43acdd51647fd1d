// SPDX-License-Identifier: Apache-2.0
// The tables of a database, made or brought forward when it is opened. A version is a list of
// statements that turn the one before into it; a database remembers its version.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/store/database.h"

namespace stepbench::store {

// Statements, one by one. Versions count from 1.
using SchemaVersion = std::function<std::vector<std::string>(const Database& database)>;

// In one transaction, by one process at a time. An older database in a file is copied before, into
// FILE.schema2. Throws ConfigError for a database of a newer
// version, and for one that holds tables of something else.
void bring_forward(Database& database, std::span<const SchemaVersion> versions);

}  // namespace stepbench::store
