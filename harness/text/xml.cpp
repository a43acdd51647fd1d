// SPDX-License-Identifier: Apache-2.0
#include "harness/text/xml.h"

#include "harness/text/printable.h"
#include "harness/text/utf8.h"

namespace stepbench::text {

std::string xml_text(std::string_view text) {
  const std::string safe = printable(text, LineEnds::kKeep);
  std::string escaped;
  escaped.reserve(safe.size());
  for (std::size_t i = 0; i < safe.size(); ++i) {
    // U+FFFE and U+FFFF are the only remaining characters that XML forbids.
    const std::string_view rest = std::string_view(safe).substr(i);
    if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
      escaped += kReplacementCharacter;
      i += 2;
      continue;
    }
    const std::string_view reference = safe[i] == '\n' ? "&#10;" : markup_reference(safe[i]);
    if (reference.empty()) {
      escaped += safe[i];
    } else {
      escaped += reference;
    }
  }
  return escaped;
}

std::string_view markup_reference(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {};
  }
}

}  // namespace stepbench::text
