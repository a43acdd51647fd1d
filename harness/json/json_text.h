// SPDX-License-Identifier: Apache-2.0
// The only writer of JSON: builds a line by appending, keeps the order of calls, adds commas
// itself. indented() spreads a line over several, for people and for parsers that read line by
// line. A text that is too long to hold in memory goes to a TextSink of the caller. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/value.h"

namespace stepbench::json {

// Called with the pieces of a text in order, in the caller's thread. Pieces may end anywhere.
using TextSink = std::function<void(std::string_view piece)>;

inline constexpr std::size_t kTextPiece = std::size_t{1} << 20U;  // bytes worth a call

// Collects everything that `write` passes to its sink.
template <typename Write>
[[nodiscard]] std::string whole_text(const Write& write) {
  std::string text;
  write(TextSink([&](std::string_view piece) { text += piece; }));
  return text;
}

// Quotes the text as a JSON string. Bytes that are not UTF-8 become U+FFFD; characters that
// printable() makes visible are written as \uXXXX, so that a terminal can show the line.
void append_json_string(std::string& to, std::string_view text);
[[nodiscard]] std::string json_string(std::string_view text);

class JsonText {
 public:
  JsonText& open_object(std::string_view key = {});  // empty key: an element, or the whole line
  JsonText& close_object();
  JsonText& open_array(std::string_view key = {});
  JsonText& close_array();

  JsonText& text(std::string_view key, std::string_view value);
  JsonText& integer(std::string_view key, std::int64_t value);
  JsonText& flag(std::string_view key, bool value);
  JsonText& number(std::string_view key, double value);  // null when not finite
  JsonText& number(std::string_view key, const std::optional<double>& value);  // null if empty
  JsonText& value(std::string_view key, const Value& value);
  JsonText& null(std::string_view key);
  JsonText& json(std::string_view key, std::string_view already_json);  // inserted unchanged
  JsonText& texts(std::string_view key, std::span<const std::string> values);
  JsonText& integers(std::string_view key, std::span<const std::int64_t> values);
  JsonText& numbers(std::string_view key, std::span<const double> values);  // null when not finite
  // An object of plain values: Fields, the options of a case.
  template <typename Values>
  JsonText& values(std::string_view key, const Values& values) {
    open_object(key);
    for (const auto& [name, each] : values) value(name, each);
    return close_object();
  }

  [[nodiscard]] const std::string& line() const { return line_; }
  [[nodiscard]] std::string take() { return std::move(line_); }
  // Passes the text so far to `sink`, except its last character, and continues after it.
  void pass_on(const TextSink& sink);

 private:
  void begin(std::string_view key);
  std::string line_;
};

// Puts each member and element on its own line, indented by one blank per level.
[[nodiscard]] std::string indented(std::string_view json);

}  // namespace stepbench::json
