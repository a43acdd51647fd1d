// SPDX-License-Identifier: Apache-2.0
#include "harness/text/xml.h"

#include "harness/text/printable.h"
#include "harness/text/utf8.h"

namespace stepbench {

std::string xml_text(std::string_view text) {
  const std::string safe = printable(text, LineEnds::kKeep);
  std::string escaped;
  escaped.reserve(safe.size());
  for (std::size_t i = 0; i < safe.size(); ++i) {
    // U+FFFE and U+FFFF are the only characters left that XML forbids.
    const std::string_view rest = std::string_view(safe).substr(i);
    if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
      escaped += kReplacementCharacter;
      i += 2;
      continue;
    }
    switch (safe[i]) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':
        escaped += "&#10;";
        break;
      default:
        escaped += safe[i];
    }
  }
  return escaped;
}

}  // namespace stepbench
