// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/internal/shell_template.h"

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

namespace stepbench::bisect {
namespace {

// Tracks the shell quoting at a position of a command. "$(...)" within quotes starts unquoted.
class Quotes {
 public:
  void take(char letter, char before) {
    char& quote = open_.back();
    if (quote == '#') {
      if (letter == '\n') quote = 0;
    } else if (quote == '\'') {
      if (letter == '\'') quote = 0;
    } else if (letter == '"') {
      quote = quote == '"' ? 0 : '"';
    } else if (quote == 0 && (letter == '\'' || (letter == '#' && is_between_words(before)))) {
      quote = letter;
    } else if (letter == '(' && (quote == 0 || before == '$')) {
      open_.push_back(0);
    } else if (letter == ')' && quote == 0 && open_.size() > 1) {
      open_.pop_back();
    }
  }
  // True if a backslash escapes the next character.
  [[nodiscard]] bool can_escape() const { return open_.back() == 0 || open_.back() == '"'; }
  [[nodiscard]] std::string use_of(std::string_view variable) const {
    const std::string value = "${" + std::string(variable) + "}";
    if (open_.back() == '"' || open_.back() == '#') return value;
    return open_.back() == '\'' ? "'\"" + value + "\"'" : '"' + value + '"';
  }

 private:
  static bool is_between_words(char letter) {
    return std::string_view(" \t\n;&|()").find(letter) != std::string_view::npos;
  }

  std::vector<char> open_ = {0};  // innermost last: 0, a quotation mark, or # for a comment
};

}  // namespace

std::string with_variables(std::string_view command, std::span<const ShellHole> holes) {
  std::string text;
  Quotes quotes;
  char before = '\n';
  for (std::size_t at = 0; at < command.size();) {
    const std::string_view rest = command.substr(at);
    const auto hole = std::ranges::find_if(
        holes, [&](const ShellHole& each) { return rest.starts_with(each.name); });
    if (hole != holes.end()) {
      text += quotes.use_of(hole->variable);
      at += hole->name.size();
      before = '}';
      continue;
    }
    const bool escapes = rest.front() == '\\' && quotes.can_escape();
    if (!escapes) quotes.take(rest.front(), before);
    before = rest.front();
    text += rest.substr(0, escapes ? 2 : 1);
    at += escapes ? std::min<std::size_t>(2, rest.size()) : 1;
  }
  return text;
}

bool is_read_again(std::string_view command, std::span<const ShellHole> holes) {
  static const std::regex kReader(
      R"((^|[^\w-])(eval|(a|ba|c|da|fi|k|tc|z)?sh(\s+-\S*)*\s+-[a-z]*c)\s)");
  const std::string text(command);
  std::smatch reader;
  if (!std::regex_search(text, reader, kReader)) return false;
  const std::string_view behind = command.substr(static_cast<std::size_t>(reader.position()));
  return std::ranges::any_of(holes, [&](const ShellHole& each) {
    return behind.find(each.name) != std::string_view::npos;
  });
}

}  // namespace stepbench::bisect
