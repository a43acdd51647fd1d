// SPDX-License-Identifier: Apache-2.0
#include "harness/text/words.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "harness/text/numbers.h"
#include "harness/text/printable.h"

namespace stepbench::text {
namespace {

constexpr std::size_t kMaxNameLength = 128;

char fold(char c) {
  if (c == '-') return '_';
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool ends_with_any(std::string_view noun, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return noun.ends_with(ending); });
}

// `first` and `others` are indents. The lines have no line ends.
std::vector<std::string> lines_of(std::string_view text, std::size_t columns, std::size_t first,
                                  std::size_t others) {
  constexpr std::string_view kBlank = " \t\r\n";
  std::vector<std::string> lines;
  std::string line(first, ' ');
  bool empty = true;
  for (std::size_t at = 0; (at = text.find_first_not_of(kBlank, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (!empty && width(line) + 1 + width(word) > columns) {
      lines.push_back(std::exchange(line, std::string(others, ' ')));
      empty = true;
    }
    if (!std::exchange(empty, false)) line += ' ';
    line += word;
  }
  if (!empty) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

std::string join_and(std::span<const std::string> texts) {
  if (texts.size() < 2) return join(texts);
  return join(texts.first(texts.size() - 1)) + " and " + texts.back();
}

std::string plural(std::string_view noun) {
  if (noun.ends_with("series")) return std::string(noun);
  if (ends_with_any(noun, {"s", "x", "z", "ch", "sh"})) return std::string(noun) + "es";
  if (noun.ends_with('y') && !ends_with_any(noun, {"ay", "ey", "oy", "uy"})) {
    return std::string(noun.substr(0, noun.size() - 1)) + "ies";
  }
  return std::string(noun) + 's';
}

std::string counted(std::int64_t count, std::string_view noun) {
  return with_separators(count) + ' ' + (count == 1 ? std::string(noun) : plural(noun));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_back(b.size() + 1);
  std::vector<std::size_t> back(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) back[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = fold(a[i - 1]) == fold(b[j - 1]);
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
    std::swap(two_back, back);
    std::swap(back, row);
  }
  return back[b.size()];
}

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  if (name.size() > kMaxNameLength) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (!best.empty() || name.size() < 3) return best;
  const auto contains = [&](const std::string& candidate) {
    return candidate.find(name) != std::string::npos;
  };
  const auto found = std::find_if(candidates.begin(), candidates.end(), contains);
  return found == candidates.end() ? std::string() : *found;
}

std::string did_you_mean(std::string_view candidate) {
  if (candidate.empty()) return {};
  return " (did you mean '" + std::string(candidate) + "'?)";
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  return did_you_mean(nearest(name, candidates));
}

std::string wrap(std::string_view text, std::size_t columns, std::size_t indent) {
  return join(lines_of(text, columns, indent, indent), "",
              [](const std::string& line) { return line + '\n'; });
}

std::string wrap_hanging(std::string_view text, std::size_t columns) {
  if (width(text) <= columns) return std::string(text);
  const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
  return join(lines_of(text, columns, indent, 2), "\n");
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace stepbench::text
