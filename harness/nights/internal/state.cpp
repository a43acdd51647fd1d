// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/state.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "harness/json/line_object.h"
#include "harness/nights/internal/pairs.h"

namespace stepbench::nights {
namespace {

constexpr char kBetweenRows = ';';
constexpr char kBetweenWords = ' ';
constexpr char kEscape = '%';
constexpr std::string_view kSameRun = "%=";  // the last run is the first

[[noreturn]] void refuse() { throw json::LineError("field 'builds' is not a list of builds"); }

// No word contains a separator.
void add_word(std::string_view word, std::string& text) {
  if (word.find_first_of(" ;%") == std::string_view::npos) {
    text += word;
  } else {
    for (const char letter : word) {
      text += letter == kBetweenWords  ? "%w"
              : letter == kBetweenRows ? "%r"
              : letter == kEscape      ? "%%"
                                       : std::string(1, letter);
    }
  }
  text += kBetweenWords;
}

std::string word_of(std::string_view text) {
  std::string word;
  for (std::size_t at = 0; (at = text.find(kEscape)) != std::string_view::npos;) {
    if (at + 1 == text.size()) refuse();
    const char letter = text[at + 1];
    word.append(text.substr(0, at));
    word += letter == 'w' ? kBetweenWords : letter == 'r' ? kBetweenRows : letter;
    text.remove_prefix(at + 2);
  }
  return word.append(text);
}

template <typename Number>
void add_number(Number number, std::string& text) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  text.append(digits.data(), end);
  text += kBetweenWords;
}

// Reads the words of a row, one after another.
class Words {
 public:
  explicit Words(std::string_view row) : rest_(row) {}

  std::string_view next() {
    const std::size_t end = rest_.find(kBetweenWords);
    if (end == std::string_view::npos) refuse();
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return word;
  }
  template <typename Number>
  void number(Number& number) {
    const std::string_view word = next();
    const char* const end = word.data() + word.size();
    const auto [last, error] = std::from_chars(word.data(), end, number);
    if (error != std::errc() || last != end || !std::isfinite(static_cast<double>(number))) {
      refuse();
    }
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

BuildRow row_of(std::string_view text) {
  Words words(text);
  BuildRow row{.build = word_of(words.next()), .first_run = word_of(words.next())};
  const std::string_view last = words.next();
  row.last_run = last == kSameRun ? row.first_run : word_of(last);
  const auto level = one_of<Level>(words.next());
  if (!level) refuse();
  row.level = *level;
  words.number(row.night);
  words.number(row.centre);
  words.number(row.spread);
  words.number(row.count);
  row.pairs = pairs_of_text(words.rest());
  return row;
}

}  // namespace

std::string rows_text(const std::vector<BuildRow>& rows) {
  std::string text;
  for (const BuildRow& row : rows) {
    if (!text.empty()) text += kBetweenRows;
    add_word(row.build, text);
    add_word(row.first_run, text);
    if (row.last_run == row.first_run) {
      text += kSameRun;
      text += kBetweenWords;
    } else {
      add_word(row.last_run, text);
    }
    add_word(name_of(row.level), text);
    add_number(row.night, text);
    add_number(row.centre, text);
    add_number(row.spread, text);
    add_number(row.count, text);
    text += pairs_text(row.pairs);
  }
  return text;
}

std::vector<BuildRow> rows_of_text(std::string_view text) {
  std::vector<BuildRow> rows;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kBetweenRows), text.size());
    rows.push_back(row_of(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

}  // namespace stepbench::nights
