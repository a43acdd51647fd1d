// SPDX-License-Identifier: Apache-2.0
#include "harness/text/html.h"

#include "harness/text/xml.h"

namespace stepbench::text {

std::string html_text(std::string_view text, LineEnds ends) {
  const std::string safe = printable(text, ends);
  std::string escaped;
  escaped.reserve(safe.size());
  for (const char c : safe) {
    const std::string_view reference = c == '\'' ? "&#39;" : markup_reference(c);
    if (reference.empty()) {
      escaped += c;
    } else {
      escaped += reference;
    }
  }
  return escaped;
}

std::string script_json(std::string_view json) {
  constexpr std::string_view kLineSeparator = "\xE2\x80\xA8";
  constexpr std::string_view kParagraphSeparator = "\xE2\x80\xA9";
  std::string safe;
  safe.reserve(json.size());
  std::size_t begin = 0;
  for (std::size_t at = json.find_first_of("<\xE2"); at != std::string_view::npos;
       at = json.find_first_of("<\xE2", at + 1)) {
    const std::string_view rest = json.substr(at);
    const bool line = rest.starts_with(kLineSeparator);
    if (rest[0] != '<' && !line && !rest.starts_with(kParagraphSeparator)) continue;
    safe += json.substr(begin, at - begin);
    safe += rest[0] == '<' ? "\\u003c" : line ? "\\u2028" : "\\u2029";
    begin = at + (rest[0] == '<' ? 1 : kLineSeparator.size());
  }
  return safe += json.substr(begin);
}

}  // namespace stepbench::text
