// SPDX-License-Identifier: Apache-2.0
#include "harness/text/printable.h"

#include <algorithm>
#include <array>
#include <map>

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

namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::size_t length_by_lead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

// The second byte has a narrower range after these lead bytes: no overlong form, no surrogate,
// nothing above U+10FFFF (Unicode, table 3-7).
bool second_fits(unsigned char lead, unsigned char second) {
  if (lead == 0xE0) return second >= 0xA0;
  if (lead == 0xED) return second < 0xA0;
  if (lead == 0xF0) return second >= 0x90;
  if (lead == 0xF4) return second < 0x90;
  return true;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = length_by_lead(lead);
  if (length < 2) return length;
  if (text.size() < length) return 0;
  const std::string_view rest = text.substr(1, length - 1);
  if (!std::all_of(rest.begin(), rest.end(), is_continuation)) return 0;
  return second_fits(lead, static_cast<unsigned char>(text[1])) ? length : 0;
}

char32_t code_point(std::string_view text) {
  const std::size_t length = utf8_length(text);
  const auto lead = static_cast<unsigned char>(text[0]);
  if (length == 1) return lead;
  char32_t code = lead & (0x7FU >> length);
  for (const char c : text.substr(1, length - 1)) {
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  }
  return code;
}

std::string to_valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    text += length == 0 ? kReplacementCharacter : bytes.substr(0, length);
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string shortened(std::string_view text, std::size_t cells) {
  if (width(text) <= cells) return std::string(text);
  if (cells == 0) return {};
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_continuation(text[at]) && ++used == cells) break;
    ++at;
  }
  std::string cut(text.substr(0, at));
  while (!cut.empty() && cut.back() == ' ') cut.pop_back();
  return cut + "…";
}

std::string shortened_inside(std::string_view text, std::size_t cells) {
  if (width(text) <= cells) return std::string(text);
  const std::size_t head = (cells + 1) / 3;
  if (head < 2) return shortened(text, cells);
  std::size_t left = width(text) - (cells - head);
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!is_continuation(text[at]) && left-- == 0) break;
  }
  return shortened(text, head) + std::string(text.substr(at));
}

std::string shortened_to_end(std::string_view text, std::size_t cells) {
  if (width(text) <= cells) return std::string(text);
  if (cells == 0) return {};
  std::size_t excess = width(text) - (cells - 1);
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!is_continuation(text[at]) && excess-- == 0) break;
  }
  return "…" + std::string(text.substr(at));
}

namespace {

// Cuts the members anew: a third of the cells for the common beginning, the rest for what follows
// it. Those that still look alike differ further on.
void show_differences(std::span<const std::string> whole, std::span<const std::size_t> members,
                      std::size_t cells, std::vector<std::string>& cut) {
  const std::string& first = whole[members.front()];
  std::size_t same = first.size();
  bool differ = false;
  for (const std::size_t i : members) {
    const auto end = std::mismatch(first.begin(), first.end(), whole[i].begin(), whole[i].end());
    differ = differ || first != whole[i];
    same = std::min(same, static_cast<std::size_t>(end.first - first.begin()));
  }
  const std::size_t head = cells / 3;
  if (!differ || head < 2) return;
  const std::size_t before = std::min<std::size_t>(6, (cells - head) / 2);
  std::map<std::string, std::vector<std::size_t>> alike;
  for (const std::size_t i : members) {
    std::size_t begin = std::max(same, before) - before;
    while (begin > 0 && begin < whole[i].size() && is_continuation(whole[i][begin])) --begin;
    cut[i] = begin < head ? shortened(whole[i], cells)
                          : shortened(whole[i], head) +
                                shortened(std::string_view(whole[i]).substr(begin), cells - head);
    alike[cut[i]].push_back(i);
  }
  for (const auto& [text, group] : alike) {
    if (group.size() > 1 && group.size() < members.size()) {
      show_differences(whole, group, cells, cut);
    }
  }
}

}  // namespace

void keep_apart(std::span<const std::string> whole, std::size_t cells,
                std::vector<std::string>& cut) {
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < whole.size(); ++i) alike[cut[i]].push_back(i);
  for (const auto& [text, members] : alike) {
    if (members.size() > 1) show_differences(whole, members, cells, cut);
  }
}

}  // namespace stepbench::text
