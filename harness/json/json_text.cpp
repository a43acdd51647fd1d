// SPDX-License-Identifier: Apache-2.0
#include "harness/json/json_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <variant>

namespace stepbench {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the UTF-8 sequence at the start of `text`, 0 when it is not one (RFC 3629, table 3-7 of
// Unicode).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) >= 0x90;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

template <typename Number>
void append_number(std::string& line, Number number) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  line.append(buffer.data(), end);
}

}  // namespace

void JsonText::begin(std::string_view key) {
  if (!line_.empty() && line_.back() != '{' && line_.back() != '[') line_ += ',';
  if (key.data() == nullptr) return;  // an element; an empty key is still a key
  quoted(key);
  line_ += ':';
}

void JsonText::quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  line_ += '"';
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      const std::size_t length = utf8_length(text.substr(i));
      line_ += length == 0 ? kReplacement : text.substr(i, length);
      i += length == 0 ? 1 : length;
      continue;
    }
    ++i;
    switch (c) {
      case '"':
        line_ += "\\\"";
        break;
      case '\\':
        line_ += "\\\\";
        break;
      case '\n':
        line_ += "\\n";
        break;
      case '\r':
        line_ += "\\r";
        break;
      case '\t':
        line_ += "\\t";
        break;
      default:
        if (byte >= 0x20) {
          line_ += c;
        } else {
          line_ += "\\u00";
          line_ += kHex[byte >> 4U];
          line_ += kHex[byte & 15U];
        }
    }
  }
  line_ += '"';
}

JsonText& JsonText::open_object(std::string_view key) {
  begin(key);
  line_ += '{';
  return *this;
}

JsonText& JsonText::close_object() {
  line_ += '}';
  return *this;
}

JsonText& JsonText::open_array(std::string_view key) {
  begin(key);
  line_ += '[';
  return *this;
}

JsonText& JsonText::close_array() {
  line_ += ']';
  return *this;
}

JsonText& JsonText::text(std::string_view key, std::string_view value) {
  begin(key);
  quoted(value);
  return *this;
}

JsonText& JsonText::integer(std::string_view key, std::int64_t value) {
  begin(key);
  append_number(line_, value);
  return *this;
}

JsonText& JsonText::flag(std::string_view key, bool value) {
  begin(key);
  line_ += value ? "true" : "false";
  return *this;
}

JsonText& JsonText::null(std::string_view key) {
  begin(key);
  line_ += "null";
  return *this;
}

JsonText& JsonText::number(std::string_view key, double value) {
  if (!std::isfinite(value)) return null(key);
  begin(key);
  const std::size_t start = line_.size();
  append_number(line_, value);
  // A double stays a double when it is read back.
  if (line_.find_first_of(".e", start) == std::string::npos) line_ += ".0";
  return *this;
}

JsonText& JsonText::value(std::string_view key, const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return flag(key, *truth);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return integer(key, *whole);
  if (const auto* real = std::get_if<double>(&value)) return number(key, *real);
  if (const auto* string = std::get_if<std::string>(&value)) return text(key, *string);
  return null(key);
}

JsonText& JsonText::texts(std::string_view key, std::span<const std::string> values) {
  open_array(key);
  for (const std::string& each : values) text({}, each);
  return close_array();
}

JsonText& JsonText::integers(std::string_view key, std::span<const std::int64_t> values) {
  constexpr std::size_t kLongest = 21;  // -9223372036854775808 and a comma
  begin(key);
  line_ += '[';
  const std::size_t start = line_.size();
  line_.resize(start + values.size() * kLongest);
  char* at = line_.data() + start;
  for (const std::int64_t each : values) {
    at = std::to_chars(at, at + kLongest, each).ptr;
    *at++ = ',';
  }
  if (!values.empty()) --at;
  line_.resize(static_cast<std::size_t>(at - line_.data()));
  line_ += ']';
  return *this;
}

}  // namespace stepbench
