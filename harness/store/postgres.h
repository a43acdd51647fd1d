// SPDX-License-Identifier: Apache-2.0
// A database on a PostgreSQL server, for histories that many machines share. The client library
// libpq is looked for when the first one is opened.
#pragma once

#include <memory>
#include <string_view>

#include "harness/store/database.h"

namespace stepbench::store {

// `url` as libpq takes it: postgresql://USER@HOST:PORT/NAME. Throws ConfigError when libpq is not
// installed or the server does not let us in.
[[nodiscard]] std::unique_ptr<Database> open_postgres(std::string_view url);

}  // namespace stepbench::store
