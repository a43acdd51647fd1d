// SPDX-License-Identifier: Apache-2.0
// Creates or upgrades the tables of a database when it is opened. A version is a list of statements
// that upgrade the previous one; a database stores its version.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/store/database.h"

namespace stepbench::store {

// Individual statements. Versions count from 1.
using SchemaVersion = std::function<std::vector<std::string>(const Database& database)>;

// Runs in one transaction, in one process at a time. First copies an older database file to
// FILE.schema2. Throws ConfigError for a database of a newer version, and for one with tables of
// another program.
void migrate(Database& database, std::span<const SchemaVersion> versions);

}  // namespace stepbench::store
