// SPDX-License-Identifier: Apache-2.0
#include "harness/store/schema.h"

#include <algorithm>

#include "harness/os/text_file.h"
#include "harness/store/database.h"
#include "harness/text/printable.h"

namespace stepbench::store {
namespace {

constexpr const char* kMetaTable =
    "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)";

// 0: empty database.
std::size_t version_of(Database& database) {
  const std::vector<std::string> tables = database.tables();
  if (tables.empty()) return 0;
  std::string text;
  if (std::find(tables.begin(), tables.end(), "meta") != tables.end()) {
    database.exec("SELECT value FROM meta WHERE key = 'schema_version'", {}, [&](SqlRow row) {
      if (const auto* value = std::get_if<std::string>(&row[0])) text = *value;
    });
  }
  const auto version = os::parse_integer(text);
  if (!version || *version < 1 || std::to_string(*version) != text) {
    throw ConfigError(database.name(), "is not a history of stepbench (it has the table '" +
                                           text::printable(tables.front()) + "')");
  }
  return static_cast<std::size_t>(*version);
}

void refuse_newer(const Database& database, std::size_t version, std::size_t known) {
  if (version <= known) return;
  throw ConfigError(database.name(), "was written in schema version " + std::to_string(version) +
                                         "; this program knows versions up to " +
                                         std::to_string(known) +
                                         ": use the stepbench that wrote it, or a newer one");
}

}  // namespace

void migrate(Database& database, std::span<const SchemaVersion> versions) {
  const std::size_t now = version_of(database);
  refuse_newer(database, now, versions.size());
  if (now == versions.size()) return;
  if (now > 0) database.make_backup(".schema" + std::to_string(now));
  Transaction transaction(database);
  database.lock_schema();
  // Another process may have upgraded it meanwhile.
  const std::size_t from = version_of(database);
  refuse_newer(database, from, versions.size());
  if (from == 0) database.exec(kMetaTable);
  for (std::size_t version = from; version < versions.size(); ++version) {
    for (const std::string& statement : versions[version](database)) database.exec(statement);
  }
  const SqlValue reached = std::to_string(versions.size());
  database.exec(
      "INSERT INTO meta (key, value) VALUES ('schema_version', $1) "
      "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      {&reached, 1});
  transaction.commit();
}

}  // namespace stepbench::store
