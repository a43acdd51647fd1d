// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <regex>

#include "harness/catalogue/check_value.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::catalogue {
namespace {

// Limit, because std::regex recurses once per character.
constexpr std::size_t kMaxTextLength = 4096;

// Formats for people: 4096, 1,000,000,000, 0.001.
std::string bound_text(double bound) {
  constexpr double kFirstWithSeparators = 10'000;
  constexpr double kLastWhole = 9e15;
  const bool whole = bound == std::floor(bound) && std::abs(bound) < kLastWhole;
  if (!whole) return to_text(Value(bound));
  const auto number = static_cast<std::int64_t>(bound);
  return std::abs(bound) < kFirstWithSeparators ? std::to_string(number)
                                                : text::with_separators(number);
}

std::string range_text(const Option& option) {
  const bool low = std::isfinite(option.min);
  const bool high = std::isfinite(option.max);
  if (low && high) return " in " + bound_text(option.min) + " .. " + bound_text(option.max);
  if (low) return " >= " + bound_text(option.min);
  if (high) return " <= " + bound_text(option.max);
  return {};
}

std::string text_of_pattern(const Option& option) {
  if (option.pattern.empty()) return "a text";
  return option.pattern_words.empty() ? "a text like " + option.pattern : option.pattern_words;
}

std::string type_text(const Option& option) {
  switch (option.type) {
    case OptionType::kBool:
      return "true or false";
    case OptionType::kInteger:
      return "an integer" + range_text(option);
    case OptionType::kNumber:
      return "a number" + range_text(option);
    case OptionType::kString:
      return text_of_pattern(option);
    case OptionType::kPath:
      return "a path";
    case OptionType::kEnum:
      return "one of " + text::join(option.choices);
  }
  return {};
}

std::string found_text(const Value& value) {
  if (is_null(value)) return "nothing";
  if (const auto* text = std::get_if<std::string>(&value)) {
    return "'" + (text->size() > 60 ? text->substr(0, 57) + "..." : *text) + "'";
  }
  return to_text(value);
}

bool is_choice(const Option& option, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr &&
         std::find(option.choices.begin(), option.choices.end(), *text) != option.choices.end();
}

bool in_range(const Option& option, double number) {
  return number >= option.min && number <= option.max;
}

bool matches(const Option& option, const std::string& text) {
  if (option.pattern.empty()) return true;
  return text.size() <= kMaxTextLength && std::regex_match(text, std::regex(option.pattern));
}

bool is_right(const Option& option, const Value& value) {
  if (option.type != OptionType::kString && is_choice(option, value)) return true;
  switch (option.type) {
    case OptionType::kBool:
      return std::holds_alternative<bool>(value);
    case OptionType::kInteger: {
      const auto* number = std::get_if<std::int64_t>(&value);
      return number != nullptr && in_range(option, static_cast<double>(*number));
    }
    case OptionType::kNumber: {
      if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        return in_range(option, static_cast<double>(*whole));
      }
      const auto* number = std::get_if<double>(&value);
      return number != nullptr && std::isfinite(*number) && in_range(option, *number);
    }
    case OptionType::kString: {
      const auto* text = std::get_if<std::string>(&value);
      return text != nullptr && (is_choice(option, value) || matches(option, *text));
    }
    case OptionType::kPath: {
      const auto* text = std::get_if<std::string>(&value);
      return text != nullptr && !text->empty();
    }
    case OptionType::kEnum:
      return false;
  }
  return false;
}

// Returns the choice that `word` probably means; known names of other tools precede similar
// spellings.
std::string meant_choice(const Option& option, const std::string& word) {
  for (const auto& [theirs, ours] : option.values_called) {
    if (text::edit_distance(theirs, word) == 0) return ours;
  }
  return text::nearest(word, option.choices);
}

}  // namespace

std::string expectation(const Option& option) {
  std::string text = type_text(option);
  if (option.type != OptionType::kEnum && !option.choices.empty())
    text += " or " + text::join(option.choices);
  return text;
}

std::optional<std::string> check_value(const Option& option, const Value& value) {
  if (is_right(option, value)) return std::nullopt;
  const auto* word = std::get_if<std::string>(&value);
  const bool time = option.unit == "s" && word != nullptr && option.choices.empty();
  std::string text = "expected " + (time ? "seconds, such as 600" : expectation(option)) +
                     ", found " + found_text(value);
  if (word != nullptr) text += text::did_you_mean(meant_choice(option, *word));
  return text;
}

}  // namespace stepbench::catalogue
