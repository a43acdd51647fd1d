// SPDX-License-Identifier: Apache-2.0
#include "harness/text/ascii.h"

#include <algorithm>
#include <cctype>

#include "harness/text/utf8.h"

namespace stepbench::text {
namespace {

char drawn_character(char32_t character) {
  struct Look {
    char32_t drawn;
    char ascii;
  };
  constexpr Look kLooks[] = {{U'─', '-'},  {U'│', '|'}, {U'┊', ':'}, {U'║', '!'}, {U'┄', '.'},
                             {U'├', '|'},  {U'┤', '|'}, {U'┼', '+'}, {U'└', '+'}, {U'╷', '.'},
                             {U'╵', '\''}, {U'•', 'o'}, {U'█', '#'}, {U'▉', '#'}, {U'▊', '#'},
                             {U'▋', '#'},  {U'▌', '#'}, {U'▍', ' '}, {U'▎', ' '}, {U'▏', ' '},
                             {U'▲', '^'},  {U'…', '~'}};
  const auto* found = std::find_if(std::begin(kLooks), std::end(kLooks),
                                   [&](const Look& look) { return look.drawn == character; });
  return found == std::end(kLooks) ? '?' : found->ascii;
}

}  // namespace

std::string drawn_in_ascii(std::string_view text) {
  std::string drawn;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 1) {
      drawn += text.front();
    } else {
      drawn += length == 0 ? '?' : drawn_character(code_point(text));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return drawn;
}

bool has_utf8(std::string_view locale) {
  std::string letters;
  for (const char c : locale) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return letters.empty() || letters.find("utf8") != std::string::npos;
}

}  // namespace stepbench::text
