// SPDX-License-Identifier: Apache-2.0
#include "harness/text/printable.h"

#include <algorithm>
#include <array>

#include "harness/text/utf8.h"

namespace stepbench::text {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};

// Besides control characters: code points that are zero-width, change the writing direction, or
// break a line without being a line end.
constexpr std::array<CodeRange, 11> kInvisible = {{{0x7F, 0x9F},
                                                   {0xAD, 0xAD},
                                                   {0x61C, 0x61C},
                                                   {0x180E, 0x180E},
                                                   {0x200B, 0x200F},
                                                   {0x2028, 0x202E},
                                                   {0x2060, 0x206F},
                                                   {0xFEFF, 0xFEFF},
                                                   {0xFFF9, 0xFFFB},
                                                   {0x1D173, 0x1D17A},
                                                   {0xE0000, 0xE007F}}};

bool is_invisible(char32_t code) {
  return code < 0x20 || std::any_of(kInvisible.begin(), kInvisible.end(), [&](CodeRange range) {
           return code >= range.first && code <= range.last;
         });
}

// Printable ASCII: the common case.
bool is_plain(char c) { return c >= 0x20 && c < 0x7F; }

// "\x1b" below 0x80, else "\u202e" with as many digits as needed.
std::string escaped(char32_t code) {
  constexpr std::string_view kHex = "0123456789abcdef";
  if (code == U'\n') return "\\n";
  if (code == U'\t') return "\\t";
  if (code == U'\r') return "\\r";
  std::string digits;
  const std::size_t least = code < 0x80 ? 2 : 4;
  for (; code > 0 || digits.size() < least; code >>= 4U) digits.insert(0, 1, kHex[code & 15U]);
  return (least == 2 ? "\\x" : "\\u") + digits;
}

// "](" or "][".
bool begins_link(char c, std::string_view before) {
  return (c == '(' || c == '[') && before.ends_with(']');
}

}  // namespace

std::size_t unprintable_length(std::string_view text) {
  const std::size_t length = utf8_length(text);
  return length > 0 && is_invisible(code_point(text)) ? length : 0;
}

std::string printable(std::string_view text, LineEnds ends) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    safe += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      safe += kReplacementCharacter;
    } else if (unprintable_length(text) > 0 && !(text[0] == '\n' && ends == LineEnds::kKeep)) {
      safe += escaped(code_point(text));
    } else {
      safe += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return safe;
}

std::string markdown_cell(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else {
      if (c == '|' || c == '\\' || c == '`' || begins_link(c, safe)) safe += '\\';
      safe += c;
    }
  }
  return safe;
}

std::string markdown_line(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else {
      if (begins_link(c, safe)) safe += '\\';
      safe += c;
    }
  }
  return safe;
}

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
