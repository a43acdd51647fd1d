// SPDX-License-Identifier: Apache-2.0
#include "harness/text/utf8.h"

#include <algorithm>
#include <map>

namespace stepbench::text {
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
