// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/shapes_text.h"

#include "harness/text/utf8.h"

namespace stepbench::trace {

bool are_plain_shapes(std::string_view shapes) {
  return !shapes.empty() && shapes.find_first_not_of("[]0123456789, -") == std::string_view::npos;
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

}  // namespace stepbench::trace
