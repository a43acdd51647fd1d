// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/csv.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "harness/text/printable.h"

namespace stepbench::report {
namespace {

bool is_decimal(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

bool is_formula(std::string_view text) {
  // Spreadsheets treat the full-width forms the same way.
  for (const std::string_view sign : {"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"}) {
    if (text.starts_with(sign)) return !is_decimal(text);
  }
  return false;
}

}  // namespace

std::string csv_cell(const std::string& text) {
  std::string safe = text::printable(text, text::LineEnds::kKeep);
  if (is_formula(text)) safe.insert(0, 1, '\'');
  if (safe.find_first_of(",\"\n") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char c : safe) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_value(const Value& value) {
  if (const auto* words = std::get_if<std::string>(&value)) return csv_cell(*words);
  const auto* number = std::get_if<double>(&value);
  const bool is_empty = is_null(value) || (number != nullptr && !std::isfinite(*number));
  return is_empty ? std::string() : to_text(value);
}

}  // namespace stepbench::report
