// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/shapes_text.h"

#include "harness/text/printable.h"

namespace stepbench::traces {

bool are_plain_shapes(std::string_view shapes) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  int depth = 0;
  bool ended = false;
  bool wants_value = true;  // otherwise a comma or a bracket
  bool may_end = false;     // directly after an opening bracket
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const char c = shapes[i];
    if (c == ' ') continue;
    if (ended || (depth == 0 && c != '[')) return false;
    if (c == '[' && wants_value) {
      ++depth;
      may_end = true;
    } else if (c == ']' && (!wants_value || may_end)) {
      ended = --depth == 0;
      wants_value = may_end = false;
    } else if (c == ',' && !wants_value) {
      wants_value = true;
    } else if (wants_value && (c == '-' || is_digit(c))) {
      const std::size_t first = c == '-' ? i + 1 : i;
      while (i + 1 < shapes.size() && is_digit(shapes[i + 1])) ++i;
      if (i < first || (shapes[first] == '0' && i > first)) return false;
      wants_value = may_end = false;
    } else {
      return false;
    }
  }
  return ended;
}

std::string spaced_array(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 4);
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < json.size()) out += json[++i];
      if (c == '"') in_string = false;
      continue;
    }
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') continue;
    out += c;
    if (c == ',') out += ' ';
    in_string = c == '"';
  }
  return out;
}

std::string shapes_text(std::string_view shapes) {
  return are_plain_shapes(shapes) ? spaced_array(shapes) : text::to_valid_utf8(shapes);
}

bool are_plain_arguments(std::string_view arguments) {
  if (arguments.size() < 2 || arguments.front() != '[' || arguments.back() != ']') return false;
  bool in_string = false;
  for (const char c : arguments.substr(1, arguments.size() - 2)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    constexpr std::string_view kInside = "[]., -+_";
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string ? !letter && kInside.find(c) == std::string_view::npos
                         : c != ',' && c != ' ') {
      return false;
    }
  }
  return !in_string;
}

std::string arguments_text(std::string_view arguments) {
  return are_plain_arguments(arguments) ? spaced_array(arguments) : text::to_valid_utf8(arguments);
}

}  // namespace stepbench::traces
