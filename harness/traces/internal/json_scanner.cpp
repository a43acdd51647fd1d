// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/json_scanner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "harness/base/format.h"
#include "harness/text/printable.h"

namespace stepbench::traces {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '_';
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Finds the first quotation mark, backslash or control character, eight bytes at a time. There
// always is one: the zeros after the window.
const char* first_special(const char* at) {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    constexpr std::uint64_t kHigh = kOnes * 0x80;
    for (;; at += sizeof(std::uint64_t)) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, at, sizeof eight);
      const std::uint64_t quote = eight ^ (kOnes * '"');
      const std::uint64_t backslash = eight ^ (kOnes * '\\');
      const std::uint64_t special =
          (((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) |
           ((eight - kOnes * ' ') & ~eight)) &
          kHigh;
      if (special != 0) return at + std::countr_zero(special) / 8;
    }
  }
  while (*at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= ' ') ++at;
  return at;
}

// A byte as shown in error messages.
std::string shown(char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= ' ' && byte < 0x7f) return std::string("'") + c + '\'';
  return std::string("byte 0x") + kHex[byte >> 4U] + kHex[byte & 15U];
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The code unit of "\uXXXX" at the front; -1: none.
std::int32_t code_unit(std::string_view text) {
  constexpr std::size_t kLength = 6;
  if (text.size() < kLength || text[0] != '\\' || text[1] != 'u') return -1;
  std::int32_t unit = 0;
  for (const char c : text.substr(2, 4)) {
    const int digit = hex_digit(c);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

void append_utf8(std::string& to, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { to += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0U | (code >> 6U));
    byte(0x80U | (code & 63U));
  } else if (code < 0x10000) {
    byte(0xe0U | (code >> 12U));
    byte(0x80U | ((code >> 6U) & 63U));
    byte(0x80U | (code & 63U));
  } else {
    byte(0xf0U | (code >> 18U));
    byte(0x80U | ((code >> 12U) & 63U));
    byte(0x80U | ((code >> 6U) & 63U));
    byte(0x80U | (code & 63U));
  }
}

// Appends "\uXXXX", or a pair, at the front of `text`; returns the bytes consumed, 0 if none.
std::size_t append_code_point(std::string& to, std::string_view text) {
  constexpr std::size_t kLength = 6;
  constexpr std::int32_t kHighSurrogate = 0xd800;
  constexpr std::int32_t kLowSurrogate = 0xdc00;
  constexpr std::int32_t kBehindSurrogates = 0xe000;
  const std::int32_t unit = code_unit(text);
  if (unit < 0) return 0;
  if (unit < kHighSurrogate || unit >= kBehindSurrogates) {
    append_utf8(to, std::uint32_t(unit));
    return kLength;
  }
  const std::int32_t low = unit < kLowSurrogate ? code_unit(text.substr(kLength)) : -1;
  if (low < kLowSurrogate || low >= kBehindSurrogates) {
    to += text::kReplacementCharacter;
    return kLength;
  }
  append_utf8(to, std::uint32_t(0x10000 + ((unit - kHighSurrogate) << 10) + (low - kLowSurrogate)));
  return 2 * kLength;
}

char escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '"':
    case '\\':
    case '/':
      return c;
    default:
      return '\0';
  }
}

}  // namespace

bool JsonScanner::broken(std::string what) {
  stop_ = Stop::kBroken;
  problem_ = std::move(what);
  return false;
}

bool JsonScanner::expected(std::string_view what) {
  if (at_ >= end_) {
    stop_ = Stop::kEnd;
    return false;
  }
  return broken(formatted("expected {}, found {}", what, shown(*at_)));
}

void JsonScanner::damaged(std::int64_t& count) {
  ++count;
  if (damage_.first == nullptr) damage_.first = at_;
}

bool JsonScanner::next_behind_blanks(char& c) {
  while (is_blank(*at_)) ++at_;
  c = *at_;
  if (at_ < end_) return true;
  stop_ = Stop::kEnd;
  return false;
}

bool JsonScanner::expected(char wanted) { return expected(std::string("'") + wanted + '\''); }

bool JsonScanner::expected(char wanted, char other) {
  return expected(formatted("'{}' or '{}'", wanted, other));
}

bool JsonScanner::string(std::string_view& inside) {
  char c = 0;
  if (!next(c)) return false;
  if (c != '"') return expected("'\"'");
  const char* const begin = ++at_;
  for (;;) {
    at_ = first_special(at_);
    if (*at_ == '"') break;
    if (at_ >= end_) {
      stop_ = Stop::kEnd;
      return false;
    }
    if (*at_ != '\\') {
      damaged(damage_.control_characters);
    } else if (++at_ >= end_) {
      stop_ = Stop::kEnd;
      return false;
    }
    ++at_;
  }
  inside = {begin, std::size_t(at_ - begin)};
  ++at_;
  return true;
}

// Consumes the characters of a number; its grammar is checked when it is converted.
bool JsonScanner::number() {
  const auto in_number = [](char c) {
    return is_digit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
  };
  const char* const begin = at_;
  if (*at_ == '-') ++at_;
  if (at_ >= end_) {
    stop_ = Stop::kEnd;
    return false;
  }
  if (!is_digit(*at_)) {
    if (at_ > begin && is_word(*at_)) return word();
    return expected("a digit");
  }
  while (in_number(*at_)) ++at_;
  if (at_ < end_) return true;
  stop_ = Stop::kEnd;
  return false;
}

bool JsonScanner::word() {
  constexpr std::array<std::string_view, 3> kWords = {"true", "false", "null"};
  constexpr std::array<std::string_view, 8> kBare = {"N/A", "NaN",  "nan",  "Infinity",
                                                     "inf", "None", "True", "False"};
  const char* const begin = at_;
  const char* end = at_;
  while (is_word(*end)) ++end;
  if (end >= end_) {
    stop_ = Stop::kEnd;
    return false;
  }
  const std::string_view word(begin, std::size_t(end - begin));
  if (std::ranges::find(kWords, word) == kWords.end()) {
    if (std::ranges::find(kBare, word) == kBare.end()) return expected("a value");
    damaged(damage_.bare_words);
  }
  at_ = end;
  return true;
}

bool JsonScanner::nested(char close, int depth) {
  if (depth >= kMaxDepth) {
    return broken(formatted("lists or objects nested deeper than {}", kMaxDepth));
  }
  ++at_;
  bool ended = false;
  if (!first(close, ended)) return false;
  std::string_view unused;
  while (!ended) {
    if (close == '}' && !key(unused)) return false;
    if (!value(unused, depth + 1) || !separator(close, ended)) return false;
  }
  return true;
}

bool JsonScanner::value(std::string_view& text, int depth) {
  char c = 0;
  if (!next(c)) return false;
  const char* const begin = at_;
  std::string_view inside;
  bool whole = false;
  if (c == '"') {
    whole = string(inside);
  } else if (c == '{') {
    whole = nested('}', depth);
  } else if (c == '[') {
    whole = nested(']', depth);
  } else if (c == '-' || is_digit(c)) {
    whole = number();
  } else {
    whole = is_word(c) ? word() : expected("a value");
  }
  text = {begin, std::size_t(at_ - begin)};
  return whole;
}

std::string unescaped(std::string_view inside, std::int64_t& bad) {
  std::string out;
  out.reserve(inside.size());
  while (!inside.empty()) {
    const std::size_t plain = std::min(inside.find('\\'), inside.size());
    out += inside.substr(0, plain);
    inside.remove_prefix(plain);
    if (inside.empty()) break;
    const char known = inside.size() > 1 ? escape(inside[1]) : '\0';
    std::size_t taken = known != '\0' ? 2 : append_code_point(out, inside);
    if (known != '\0') out += known;
    if (taken == 0) {
      ++bad;
      out += '\\';
      taken = 1;
    }
    inside.remove_prefix(taken);
  }
  return out;
}

}  // namespace stepbench::traces
