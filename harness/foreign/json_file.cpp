// SPDX-License-Identifier: Apache-2.0
#include "harness/foreign/json_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/text/printable.h"

namespace stepbench::foreign {
namespace {

std::string without_nan(std::string_view text) {
  constexpr std::array<std::string_view, 3> kNoJson = {"-Infinity", "Infinity", "NaN"};
  std::string out;
  out.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\' && i + 1 < text.size()) {
      out += c;
      out += text[++i];
      continue;
    }
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '-' || c == 'I' || c == 'N')) {
      const auto word = std::find_if(kNoJson.begin(), kNoJson.end(), [&](std::string_view each) {
        return text.substr(i, each.size()) == each;
      });
      if (word != kNoJson.end()) {
        out += "null";
        i += word->size() - 1;
        continue;
      }
    }
    out += c;
  }
  return out;
}

// "12:5" of an offset into the text.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t begin = before.rfind('\n');
  const std::size_t column = before.size() - (begin == std::string_view::npos ? 0 : begin + 1) + 1;
  return std::to_string(line) + ':' + std::to_string(column);
}

}  // namespace

Json parsed_json(std::string_view text, const std::string& file) {
  const std::string clean = without_nan(text);
  try {
    return Json::parse(clean);
  } catch (const Json::parse_error& error) {
    std::string why = error.what();
    if (const auto colon = why.rfind(": "); colon != std::string::npos) why.erase(0, colon + 2);
    throw ConfigError(file + ':' + line_and_column(clean, error.byte),
                      "is no JSON: " + text::printable(why));
  }
}

std::string text_at(const Json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number_at(const Json& object, const char* name) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const double number = found->get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

}  // namespace stepbench::foreign
