// SPDX-License-Identifier: Apache-2.0
#include "harness/json/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <variant>

#include "harness/base/value.h"
#include "harness/json/line_object.h"
#include "harness/text/printable.h"

namespace stepbench::json {
namespace {

void append_code_unit(std::string& to, char32_t unit) {
  constexpr std::string_view kHex = "0123456789abcdef";
  to += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) to += kHex[(unit >> shift) & 15U];
}

void append_escaped(std::string& to, char32_t code) {
  constexpr char32_t kFirstPair = 0x10000;
  if (code < kFirstPair) return append_code_unit(to, code);
  append_code_unit(to, 0xD800 + ((code - kFirstPair) >> 10U));
  append_code_unit(to, 0xDC00 + ((code - kFirstPair) & 0x3FFU));
}

// Characters that need no escape: the vast majority.
constexpr std::array<bool, 256> plain_characters() {
  std::array<bool, 256> plain{};
  for (std::size_t byte = 0x20; byte < 0x7F; ++byte) plain[byte] = byte != '"' && byte != '\\';
  return plain;
}

constexpr std::uint64_t of_each_byte(std::uint64_t byte) { return byte * 0x0101010101010101U; }

// Non-zero if any byte is 0.
constexpr std::uint64_t zero_bytes(std::uint64_t eight) {
  return (eight - of_each_byte(0x01)) & ~eight & of_each_byte(0x80);
}

inline bool are_plain(std::uint64_t eight) {
  const std::uint64_t control = (eight - of_each_byte(0x20)) & ~eight;
  const std::uint64_t beyond_ascii = eight;
  return (((control | beyond_ascii) & of_each_byte(0x80)) | zero_bytes(eight ^ of_each_byte('"')) |
          zero_bytes(eight ^ of_each_byte('\\')) | zero_bytes(eight ^ of_each_byte(0x7F))) == 0;
}

std::size_t plain_length(std::string_view text) {
  constexpr std::array<bool, 256> kPlain = plain_characters();
  constexpr std::size_t kEight = sizeof(std::uint64_t);
  const auto eight_from = [&](std::size_t place) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + place, kEight);
    return eight;
  };
  std::size_t length = 0;
  while (text.size() - length >= kEight && are_plain(eight_from(length))) length += kEight;
  // The last eight bytes overlap those already checked.
  const bool has_end = length >= kEight && text.size() - length < kEight;
  if (has_end && are_plain(eight_from(text.size() - kEight))) return text.size();
  while (length < text.size() && kPlain[static_cast<unsigned char>(text[length])]) ++length;
  return length;
}

}  // namespace

void append_json_string(std::string& to, std::string_view text) {
  to += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t plain = plain_length(text.substr(i));
    if (plain > 0) {
      to.append(text, i, plain);
      i += plain;
      continue;
    }
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      const std::string_view rest = text.substr(i);
      const std::size_t length = text::utf8_length(rest);
      if (text::unprintable_length(rest) > 0) {
        append_escaped(to, text::code_point(rest));
      } else {
        to += length == 0 ? text::kReplacementCharacter : rest.substr(0, length);
      }
      i += length == 0 ? 1 : length;
      continue;
    }
    ++i;
    switch (c) {
      case '"':
        to += "\\\"";
        break;
      case '\\':
        to += "\\\\";
        break;
      case '\n':
        to += "\\n";
        break;
      case '\r':
        to += "\\r";
        break;
      case '\t':
        to += "\\t";
        break;
      default:
        append_code_unit(to, byte);
    }
  }
  to += '"';
}

std::string json_string(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size() + 2);
  append_json_string(quoted, text);
  return quoted;
}

void JsonText::begin(std::string_view key) {
  if (!line_.empty() && line_.back() != '{' && line_.back() != '[') line_ += ',';
  if (key.data() == nullptr) return;  // an array element; an empty key is still a key
  append_json_string(line_, key);
  line_ += ':';
}

void JsonText::pass_on(const TextSink& sink) {
  if (line_.empty()) return;
  sink(std::string_view(line_).substr(0, line_.size() - 1));
  line_.erase(0, line_.size() - 1);  // the last character decides whether a comma comes next
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
  append_json_string(line_, value);
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
  begin(key);
  if (!std::isfinite(value)) {
    line_ += "null";
    return *this;
  }
  const std::size_t start = line_.size();
  append_number(line_, value);
  // Keeps a double a double when it is read back.
  const bool is_whole = std::all_of(line_.begin() + static_cast<std::ptrdiff_t>(start), line_.end(),
                                    [](char c) { return c != '.' && c != 'e'; });
  if (is_whole) line_ += ".0";
  return *this;
}

JsonText& JsonText::value(std::string_view key, const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return number(key, *real);
  begin(key);
  if (const auto* text = std::get_if<std::string>(&value)) {
    append_json_string(line_, *text);
  } else {
    append_text(line_, value);  // already JSON: true, 4, null
  }
  return *this;
}

JsonText& JsonText::number(std::string_view key, const std::optional<double>& value) {
  return value ? number(key, *value) : null(key);
}

JsonText& JsonText::json(std::string_view key, std::string_view already_json) {
  begin(key);
  line_ += already_json;
  return *this;
}

JsonText& JsonText::texts(std::string_view key, std::span<const std::string> values) {
  open_array(key);
  for (const std::string& each : values) text({}, each);
  return close_array();
}

JsonText& JsonText::integers(std::string_view key, std::span<const std::int64_t> values) {
  constexpr std::size_t kMaxLength = 21;  // -9223372036854775808 and a comma
  begin(key);
  line_ += '[';
  const std::size_t start = line_.size();
  line_.resize(start + values.size() * kMaxLength);
  char* at = line_.data() + start;
  for (const std::int64_t each : values) {
    at = std::to_chars(at, at + kMaxLength, each).ptr;
    *at++ = ',';
  }
  if (!values.empty()) --at;
  line_.resize(static_cast<std::size_t>(at - line_.data()));
  line_ += ']';
  return *this;
}

JsonText& JsonText::numbers(std::string_view key, std::span<const double> values) {
  open_array(key);
  for (const double each : values) number({}, each);
  return close_array();
}

namespace {

class Indented {
 public:
  void add(const JsonView& view) {
    if (const auto object = view.object()) {
      lines('{', object->members(), '}', [&](const auto& member) {
        append_json_string(text_, member.first);
        text_ += ": ";
        add(member.second);
      });
    } else if (const auto elements = view.elements()) {
      lines('[', *elements, ']', [&](const JsonView& each) { add(each); });
    } else {
      text_ += view.json();
    }
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void lines(char open, const auto& all, char close, const auto& add_one) {
    text_ += open;
    ++depth_;
    for (std::size_t i = 0; i < all.size(); ++i) {
      text_ += i == 0 ? "\n" : ",\n";
      text_.append(depth_, ' ');
      add_one(all[i]);
    }
    --depth_;
    if (!all.empty()) text_.append("\n").append(depth_, ' ');
    text_ += close;
  }

  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string indented(std::string_view json) {
  LineParser parser;
  Indented text;
  text.add(parser.parse_value(json).value());
  return text.take();
}

}  // namespace stepbench::json
