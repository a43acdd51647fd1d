// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/number_ranges.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <system_error>
#include <vector>

#include "harness/base/format.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

struct Unit {
  std::string_view name;
  std::string_view dimension;  // units of the same dimension are comparable
  double scale;
};
constexpr std::array<Unit, 11> kUnits = {{{"ns", "time", 1},
                                          {"us", "time", 1e3},
                                          {"ms", "time", 1e6},
                                          {"s", "time", 1e9},
                                          {"B", "bytes", 1},
                                          {"KiB", "bytes", 0x1p10},
                                          {"MiB", "bytes", 0x1p20},
                                          {"GiB", "bytes", 0x1p30},
                                          {"TiB", "bytes", 0x1p40},
                                          {"%", "%", 1},
                                          {"x", "x", 1}}};
constexpr Unit kNoUnit = {"", "", 1};
// A number after one of these words is an identifier, not an amount.
constexpr std::array<std::string_view, 10> kNaming = {
    "line", "code", "status", "version", "port", "process", "pid", "errno", "case", "arm"};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

struct Number {
  std::string text;
  Unit unit = kNoUnit;
  std::string gap = {};  // between number and unit
  double value = 0;
};

struct Amount {
  Number low;
  Number high;
  bool is_interval = false;  // "[low, high]"
};

// Words before an amount; the last part has no amount.
struct Part {
  std::string words;
  std::optional<Amount> amount;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Part> take() {
    std::vector<Part> parts(1);
    while (at_ < text_.size()) {
      if (auto amount = amount_here()) {
        parts.back().amount = std::move(amount);
        parts.emplace_back();
      } else {
        parts.back().words += text_[at_++];
      }
    }
    return parts;
  }

 private:
  [[nodiscard]] bool ends_at(std::size_t place) const {
    if (place >= text_.size()) return true;
    const char c = text_[place];
    if (c == '.' || c == ',' || c == ':') {
      return place + 1 == text_.size() || text_[place + 1] == ' ';
    }
    return std::string_view(" ;)]").find(c) != std::string_view::npos;
  }

  [[nodiscard]] bool begins_at(std::size_t place) const {
    return place == 0 || std::string_view(" ([").find(text_[place - 1]) != std::string_view::npos;
  }

  [[nodiscard]] bool is_named(std::size_t place) const {
    if (place < 2 || text_[place - 1] != ' ') return false;
    std::size_t first = place - 1;
    while (first > 0 && is_letter(text_[first - 1])) --first;
    return std::ranges::find(kNaming, text_.substr(first, place - 1 - first)) != kNaming.end();
  }

  static std::optional<Unit> unit_at(std::string_view rest) {
    std::optional<Unit> found;
    for (const Unit& unit : kUnits) {
      if (rest.starts_with(unit.name) && (!found || unit.name.size() > found->name.size()))
        found = unit;
    }
    return found;
  }

  std::optional<Number> number_at(std::size_t place) {
    std::size_t end = place;
    if (end < text_.size() && (text_[end] == '+' || text_[end] == '-')) ++end;
    const std::size_t digits = end;
    std::string plain(text_.substr(place, end - place));
    while (end < text_.size() &&
           (is_digit(text_[end]) || (text_[end] == ',' && end + 1 < text_.size() &&
                                     is_digit(text_[end + 1]) && end > digits))) {
      if (text_[end] != ',') plain += text_[end];
      ++end;
    }
    if (end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1])) {
      do plain += text_[end++];
      while (end < text_.size() && is_digit(text_[end]));
    }
    if (end == digits) return std::nullopt;
    Number number{.text = std::string(text_.substr(place, end - place))};
    const char* first = plain.data() + (plain.front() == '+' ? 1 : 0);
    if (std::from_chars(first, plain.data() + plain.size(), number.value).ec != std::errc()) {
      return std::nullopt;
    }
    const std::size_t gap = end < text_.size() && text_[end] == ' ' ? 1 : 0;
    if (const auto unit = unit_at(text_.substr(std::min(end + gap, text_.size())));
        unit && ends_at(end + gap + unit->name.size())) {
      number.unit = *unit;
      number.gap = std::string(gap, ' ');
      end += gap + unit->name.size();
    }
    if (!ends_at(end)) return std::nullopt;
    next_ = end;
    return number;
  }

  std::optional<Amount> amount_here() {
    const bool interval = text_[at_] == '[';
    const std::size_t begin = at_ + (interval ? 1 : 0);
    if (!begins_at(begin) || is_named(begin)) return std::nullopt;
    auto low = number_at(begin);
    if (!low) return std::nullopt;
    const std::string_view between = interval ? ", " : " to ";
    const std::size_t end = next_;
    if (text_.substr(end).starts_with(between)) {
      auto high = number_at(end + between.size());
      const bool closed = high && (!interval || (next_ < text_.size() && text_[next_] == ']'));
      if (closed) {
        if (low->unit.name.empty() && !interval) {
          low->unit = high->unit;
          low->gap = high->gap;
        }
        at_ = next_ + (interval ? 1 : 0);
        return Amount{*low, *high, interval};
      }
    }
    if (interval) return std::nullopt;
    at_ = end;
    return Amount{*low, *low};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t next_ = 0;  // after the last number read
};

bool is_one(const Part& part) {
  return part.amount && part.amount->high.text == "1" && part.amount->high.unit.name.empty();
}

// " launch ends" after a 1 becomes " launches ends", to compare with plural forms.
std::string in_plural(const std::string& words) {
  std::size_t end = 1;
  while (end < words.size() && is_letter(words[end])) ++end;
  if (words.size() < 2 || words[0] != ' ' || end < 4) return words;  // "of", "in", "to"
  return ' ' + text::plural(std::string_view(words).substr(1, end - 1)) + words.substr(end);
}

std::string number_text(const Number& number) {
  return number.text + number.gap + std::string(number.unit.name);
}

double scaled(const Number& number) { return number.value * number.unit.scale; }

std::string amount_text(const Amount& amount) {
  const Number& low = amount.low;
  const Number& high = amount.high;
  if (amount.is_interval) return formatted("[{}, {}]", number_text(low), number_text(high));
  if (number_text(low) == number_text(high)) return number_text(low);
  return (low.unit.name == high.unit.name ? low.text : number_text(low)) + " to " +
         number_text(high);
}

}  // namespace

std::string without_amounts(std::string_view sentence) {
  std::string shape;
  bool one = false;
  for (const Part& part : Parser(sentence).take()) {
    shape += one ? in_plural(part.words) : part.words;
    one = is_one(part);
    if (!part.amount) continue;
    shape += '\1' + std::string(part.amount->is_interval ? "[]" : "");
    shape += part.amount->low.unit.dimension;
  }
  return shape;
}

std::string with_ranges(std::span<const std::string> alike) {
  std::vector<Part> all = Parser(alike.front()).take();
  for (const std::string& each : alike.subspan(1)) {
    const std::vector<Part> parts = Parser(each).take();
    for (std::size_t i = 0; i < std::min(parts.size(), all.size()); ++i) {
      if (i > 0 && is_one(all[i - 1])) all[i].words = parts[i].words;
    }
    for (std::size_t i = 0; i < std::min(parts.size(), all.size()); ++i) {
      if (!parts[i].amount || !all[i].amount) continue;
      Amount& amount = *all[i].amount;
      if (scaled(parts[i].amount->low) < scaled(amount.low)) amount.low = parts[i].amount->low;
      if (scaled(parts[i].amount->high) > scaled(amount.high)) amount.high = parts[i].amount->high;
    }
  }
  std::string text;
  for (const Part& part : all) {
    text += part.words;
    if (part.amount) text += amount_text(*part.amount);
  }
  return text;
}

}  // namespace stepbench::report
