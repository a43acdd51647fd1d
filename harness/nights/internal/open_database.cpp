// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/database.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "harness/base/format.h"
#include "harness/base/value.h"
#include "harness/nights/internal/postgres.h"
#include "harness/nights/internal/sqlite.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::nights {
namespace {

constexpr std::string_view kSqlite = "sqlite:";

bool is_postgres(std::string_view url) {
  return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

// "SELECT a FROM run WHERE b": run.
std::string table_of(std::string_view sql) {
  constexpr std::string_view kFrom = " FROM ";
  const std::size_t at = sql.find(kFrom);
  if (at == std::string_view::npos) return "of this answer";
  const std::string_view rest = sql.substr(at + kFrom.size());
  return std::string(rest.substr(0, rest.find_first_of(" ,)\n")));
}

std::string shown_value(const SqlValue& value) {
  constexpr std::size_t kMax = 40;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) {
    std::string number;
    append_number(number, *real);
    return number;
  }
  const auto* words = std::get_if<std::string>(&value);
  if (words == nullptr) return "NULL";
  return "'" + text::to_valid_utf8(text::printable(*words).substr(0, kMax)) + "'";
}

[[noreturn]] void refuse_url(std::string_view url) {
  std::string meant;
  const bool has_scheme = url.find("://") != std::string_view::npos;
  const bool may_hold_password = url.find_first_of("@=") != std::string_view::npos;
  if (!url.empty() && !has_scheme && !may_hold_password &&
      url.find(':') == std::string_view::npos) {
    meant = formatted(" (did you mean 'sqlite:{}'?)", text::printable(url));
  }
  throw ConfigError(
      "--db",
      formatted(
          "{} names no database{}; there are sqlite:FILE and postgresql://USER@HOST:PORT/NAME",
          has_scheme          ? "'" + text::printable(url.substr(0, url.find("://"))) + "://...'"
          : may_hold_password ? "its value"
                              : "'" + text::printable(url) + "'",
          meant));
}

}  // namespace

std::optional<std::filesystem::path> sqlite_file(std::string_view url) {
  if (is_postgres(url)) return std::nullopt;
  if (!url.starts_with(kSqlite) || url.size() == kSqlite.size()) refuse_url(url);
  const std::string_view file = url.substr(kSqlite.size());
  if (file.starts_with("//") && file.find('@') != std::string_view::npos) refuse_url(url);
  if (file.find('\0') != std::string_view::npos) refuse_url(url);
  return std::filesystem::path(file);
}

std::unique_ptr<Database> Database::open(std::string_view url) {
  if (const auto file = sqlite_file(url)) return open_sqlite(*file);
  return open_postgres(url);
}

void pass_row(const Database& database, std::string_view sql, SqlRow row,
              const Database::OnRow& on_row) {
  try {
    on_row(row);
  } catch (const std::bad_variant_access&) {
    refuse_row(database, sql, row, "");
  } catch (const DamagedRow& damaged) {
    refuse_row(database, sql, row, damaged.why());
  }
}

void refuse_row(const Database& database, std::string_view sql, SqlRow row, std::string_view why) {
  throw ConfigError(
      database.name(),
      formatted("a row of the table {} is damaged ({}): it has values that stepbench does not "
                "write{}; delete it, or rebuild the history with `stepbench track add`",
                table_of(sql),
                text::join(row.first(std::min<std::size_t>(row.size(), 4)), ", ", shown_value),
                why.empty() ? "" : " (" + text::printable(why) + ")"));
}

bool is_storable(std::string_view text) {
  while (!text.empty()) {
    // Most texts are ASCII: eight characters at a time, none of them 0 or beyond.
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    std::uint64_t eight = 0;
    if (text.size() >= sizeof eight) {
      std::memcpy(&eight, text.data(), sizeof eight);
      if ((((eight - kOnes) | eight) & (kOnes << 7U)) == 0) {
        text.remove_prefix(sizeof eight);
        continue;
      }
    }
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = first < 0x80 ? 1 : text::utf8_length(text);
    if (first == 0 || length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string without_password(std::string_view url) {
  if (!is_postgres(url)) return std::string(url);
  std::string text(url.substr(0, url.find('?')));
  const std::size_t user = text.find("://") + 3;
  const std::size_t colon = text.find(':', user);
  const std::size_t at = text.rfind('@');
  if (at != std::string::npos) {
    if (colon < at) text.erase(colon, at - colon);
  } else if (colon < text.find('/', user) && text[user] != '[') {
    // An invalid port is the beginning of a password that contains a '?'.
    const std::size_t end = text.find_first_not_of("0123456789", colon + 1);
    if (end != std::string::npos && text[end] != '/') text.erase(colon);
  }
  return text;
}

std::string storable_text(std::string_view text) {
  std::string clean;
  const bool has_nul = text.find('\0') != std::string_view::npos;
  if (has_nul) {
    for (const char each : text) {
      if (each == '\0') {
        clean += text::kReplacementCharacter;
      } else {
        clean += each;
      }
    }
  }
  return text::to_valid_utf8(has_nul ? std::string_view(clean) : text);
}

}  // namespace stepbench::nights
