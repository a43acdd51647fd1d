// SPDX-License-Identifier: Apache-2.0
// Lists, plurals, spelling suggestions, line wrapping and shell quoting. Pure; any thread.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepbench::text {

// "a, b, c"; `text_of` converts each element.
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

template <typename Range>
[[nodiscard]] std::string join(const Range& texts, std::string_view separator = ", ") {
  return join(
      texts, separator, [](const auto& text) -> const auto& { return text; });
}

// "10", "10 and 20", "10, 20 and 40".
[[nodiscard]] std::string join_and(std::span<const std::string> texts);

// English plurals: "batches", "classes", "entries", "cases".
[[nodiscard]] std::string plural(std::string_view noun);
// "1 launch", "1,024 launches".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);
template <std::integral Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun) {
  return counted(static_cast<std::int64_t>(count), noun);
}

// Number of edits (insert, delete, replace, swap of neighbours) between two texts; differences in
// case and between '-' and '_' are free.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);
// The most similar candidate; empty if none is close. Ties go to the first.
[[nodiscard]] std::string nearest(std::string_view name, std::span<const std::string> candidates);
// " (did you mean 'num_workers'?)"; empty if `candidate` is empty.
[[nodiscard]] std::string did_you_mean(std::string_view candidate);
// did_you_mean() of the nearest candidate.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       std::span<const std::string> candidates);

// Wraps `text` into lines of at most `columns` cells, each with `indent` leading blanks and a line
// end. A longer word gets its own line.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t columns, std::size_t indent);
// Wraps a remark: the first line keeps its indent, the others get two blanks, and there is no line
// end after the last. Text that fits is returned unchanged.
[[nodiscard]] std::string wrap_hanging(std::string_view text, std::size_t columns);

// Quotes a word for a POSIX shell if needed.
[[nodiscard]] std::string shell_word(std::string_view word);

}  // namespace stepbench::text
