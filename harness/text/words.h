// SPDX-License-Identifier: Apache-2.0
// Words and lines: lists, plurals, names that were probably meant, line breaks, words of a shell.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepbench::text {

// "a, b, c"; `text_of` makes the text of each.
template <typename Range, typename TextOf>
[[nodiscard]] std::string join(const Range& range, std::string_view separator,
                               const TextOf& text_of) {
  std::string text;
  bool first = true;
  for (const auto& each : range) {
    if (!std::exchange(first, false)) text += separator;
    text += text_of(each);
  }
  return text;
}

// Of texts.
template <typename Range>
[[nodiscard]] std::string join(const Range& texts, std::string_view separator = ", ") {
  return join(
      texts, separator, [](const auto& text) -> const auto& { return text; });
}

// "10", "10 and 20", "10, 20 and 40".
[[nodiscard]] std::string join_and(std::span<const std::string> texts);

// In English: "batches", "classes", "entries", "cases".
[[nodiscard]] std::string plural(std::string_view noun);
// "1 launch", "1,024 launches".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);

// Edits (insert, delete, replace, swap of neighbours) that turn one text into the other; case and
// '-' for '_' cost nothing.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);
// The candidate that was probably meant; empty if none is close. Among equals the first wins.
[[nodiscard]] std::string nearest(std::string_view name, std::span<const std::string> candidates);
// " (did you mean 'num_workers'?)"; empty for an empty text.
[[nodiscard]] std::string did_you_mean(std::string_view candidate);
// The same for the nearest candidate.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       std::span<const std::string> candidates);

// The words of `text` in lines of at most `columns` cells, each after `indent` blanks and ended by
// a line end. A longer word stands in a line of its own.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t columns, std::size_t indent);
// The same for a remark: its first line keeps its own indent, the others have two blanks, and there
// is no line end behind the last. A text that fits stays as it is.
[[nodiscard]] std::string wrap_hanging(std::string_view text, std::size_t columns);

// Quoted for a POSIX shell where it has to be.
[[nodiscard]] std::string shell_word(std::string_view word);

}  // namespace stepbench::text
