// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/parse_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "harness/base/error.h"
#include "harness/catalogue/validate.h"

namespace stepbench::plan {
namespace {

template <typename Number>
std::optional<Number> whole_text_as(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// True for numbers beyond the range of double: "1e309".
bool is_too_large(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc::result_out_of_range && end == text.data() + text.size();
}

// 8.0 is the whole number 8.
std::optional<std::int64_t> as_whole(double number) {
  constexpr double kLast = 9007199254740992;  // doubles are exact integers up to here
  if (number != std::floor(number) || std::abs(number) > kLast) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<bool> as_bool(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

bool is_text(OptionType type) {
  return type == OptionType::kString || type == OptionType::kEnum || type == OptionType::kPath;
}

// Parses the text as a value of this type; returns the text itself if that fails.
Value read(const Option& option, std::string_view text, bool quoted) {
  if (quoted || is_text(option.type)) return std::string(text);
  if (option.type == OptionType::kBool) {
    if (const auto flag = as_bool(text)) return *flag;
  } else if (option.type == OptionType::kInteger) {
    if (const auto number = whole_text_as<std::int64_t>(text)) return *number;
    if (const auto number = whole_text_as<double>(text)) {
      if (const auto whole = as_whole(*number)) return *whole;
      return *number;
    }
  } else if (const auto number = whole_text_as<double>(text)) {
    return *number;
  }
  return std::string(text);
}

std::string hint(const Option& option, std::string_view text, bool quoted) {
  const bool wants_text = is_text(option.type);
  if (quoted && !wants_text) {
    const Value unquoted = read(option, text, false);
    if (!catalogue::check_value(option, unquoted)) return "; remove the quotes";
  }
  const bool digits = text.find_first_not_of("0123456789_-") == std::string_view::npos;
  if (option.type == OptionType::kInteger && digits && text.find('_') != std::string_view::npos) {
    return "; write it without '_'";
  }
  if (option.type == OptionType::kInteger && digits && text.find('-', 1) < text.size() - 1) {
    return "; several values are a sweep: `--sweep " + option.name + "=" +
           std::string(text.substr(0, text.find('-', 1))) + ",...," +
           std::string(text.substr(text.find('-', 1) + 1)) + "`";
  }
  if (option.type == OptionType::kBool && (text == "yes" || text == "on")) return "; write true";
  if (option.type == OptionType::kBool && (text == "no" || text == "off")) return "; write false";
  return {};
}

}  // namespace

Value parse_value(const Option& option, std::string_view text, bool quoted) {
  Value value = read(option, text, quoted);
  if (const auto mistake = catalogue::check_value(option, value)) {
    if (!quoted && !is_text(option.type) && is_too_large(text)) {
      throw Error("'" + std::string(text) + "' is too large for a number; expected " +
                  catalogue::expectation(option));
    }
    throw Error(*mistake + hint(option, text, quoted));
  }
  return value;
}

Value parse_value(std::span<const Option* const> options, std::string_view text, bool quoted) {
  for (std::size_t i = 0; i + 1 < options.size(); ++i) {
    Value value = read(*options[i], text, quoted);
    if (!catalogue::check_value(*options[i], value)) return value;
  }
  return parse_value(*options.back(), text, quoted);
}

}  // namespace stepbench::plan
