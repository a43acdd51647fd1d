// SPDX-License-Identifier: Apache-2.0
#include "harness/foreign/read_foreign.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>

#include "harness/base/error.h"
#include "harness/foreign/formats.h"
#include "harness/foreign/json_file.h"
#include "harness/foreign/to_import.h"
#include "harness/os/text_file.h"

namespace stepbench::foreign {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSniffed = 4096;

// The first character that is no blank.
char first_character(std::string_view text) {
  const auto at = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return at == std::string_view::npos ? '\0' : text[at];
}

Measurements measurements_of(const std::string& text, const fs::path& file,
                             const ForeignOptions& options) {
  const char first = first_character(text);
  if (first != '{' && first != '[') {
    return table_measurements(csv_table(text, file.string()), file.string(), options);
  }
  if (first == '{') {
    const Json parsed = parsed_json(text, file.string());
    if (is_pytest_benchmark(parsed)) return pytest_benchmark(parsed, file.string(), options);
    if (is_google_benchmark(parsed)) return google_benchmark(parsed, file.string(), options);
    if (is_asv(parsed)) return asv(parsed, file, options);
    if (is_asv_description(parsed)) {
      return {.format = "asv", .notes = {file.string() + " describes asv's, and has no results"}};
    }
  }
  return table_measurements(json_table(text, file, options.value_columns), file.string(), options);
}

}  // namespace

bool is_foreign(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  const std::string name = file.filename().string();
  constexpr std::array<std::string_view, 3> kNames = {".csv", ".tsv", ".json"};
  const bool named = std::any_of(kNames.begin(), kNames.end(),
                                 [&](std::string_view ending) { return name.ends_with(ending); });
  // Lines of ours say first of what kind they are.
  return named && os::first_bytes(file, kSniffed).find("{\"kind\":") != 0;
}

track::Import read_foreign(const fs::path& file, const ForeignOptions& options) {
  const auto text = os::read_text(file);
  if (!text) throw ConfigError(file.string(), "cannot be read");
  if (first_character(*text) == '\0') throw ConfigError(file.string(), "is empty");
  return to_import(measurements_of(*text, file, options), file, options);
}

}  // namespace stepbench::foreign
