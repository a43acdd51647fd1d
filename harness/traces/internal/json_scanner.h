// SPDX-License-Identifier: Apache-2.0
// Scans JSON in a piece of text that may end anywhere. Returns strings, numbers and nested values
// as views of their text, because times have more digits than a double holds and most values are
// never used. Tolerates damage known from profilers: control characters in strings, bare words such
// as N/A and NaN. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepbench::traces {

class JsonScanner {
 public:
  static constexpr int kMaxDepth = 128;  // nesting of lists and objects

  enum class Stop : std::uint8_t {
    kNone,
    kEnd,     // the text ended: more is needed
    kBroken,  // not JSON, whatever follows
  };
  struct Damage {
    std::int64_t control_characters = 0;
    std::int64_t bare_words = 0;
    const char* first = nullptr;
  };

  // TextWindow::kPadding zeros must follow `end`.
  void begin(const char* at, const char* end) {
    at_ = at;
    end_ = end;
    stop_ = Stop::kNone;
    damage_ = {};
  }

  // Each of these returns false and sets stop() on failure.
  [[nodiscard]] bool next(char& c) {  // next non-blank character; does not consume it
    c = *at_;
    return static_cast<unsigned char>(c) > ' ' || next_behind_blanks(c);
  }
  [[nodiscard]] bool take(char wanted) {  // consumes exactly this character
    char c = 0;
    if (!next(c)) return false;
    if (c != wanted) return expected(wanted);
    ++at_;
    return true;
  }
  [[nodiscard]] bool string(std::string_view& inside);  // without quotation marks, as written
  // A whole value of any type.
  [[nodiscard]] bool value(std::string_view& text) { return value(text, 0); }
  // Consumes `"key":`; the position is then at the value.
  [[nodiscard]] bool key(std::string_view& inside) { return string(inside) && take(':'); }
  // After the opening character: consumes `close` of an empty list, which ends it.
  [[nodiscard]] bool first(char close, bool& ended) {
    char c = 0;
    if (!next(c)) return false;
    ended = c == close;
    if (ended) ++at_;
    return true;
  }
  // After an element: consumes ',' or `close`, which ends the list.
  [[nodiscard]] bool separator(char close, bool& ended) {
    char c = 0;
    if (!next(c)) return false;
    ended = c == close;
    if (!ended && c != ',') return expected(',', close);
    ++at_;
    return true;
  }

  void skip(std::size_t bytes) { at_ += bytes; }

  [[nodiscard]] const char* at() const { return at_; }
  [[nodiscard]] Stop stop() const { return stop_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }  // reason for kBroken
  [[nodiscard]] const Damage& damage() const { return damage_; }
  bool broken(std::string what);  // sets the problem at at(); returns false

 private:
  [[nodiscard]] bool value(std::string_view& text, int depth);
  [[nodiscard]] bool nested(char close, int depth);
  [[nodiscard]] bool number();
  [[nodiscard]] bool word();
  [[nodiscard]] bool next_behind_blanks(char& c);
  [[nodiscard]] bool expected(std::string_view what);
  [[nodiscard]] bool expected(char wanted);
  [[nodiscard]] bool expected(char wanted, char other);
  void damaged(std::int64_t& count);

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  Stop stop_ = Stop::kNone;
  Damage damage_;
  std::string problem_;
};

// Returns the text of a JSON string given without its quotation marks. `bad` counts invalid
// escapes, which are kept as they are. An unpaired surrogate becomes U+FFFD.
[[nodiscard]] std::string unescaped(std::string_view inside, std::int64_t& bad);

}  // namespace stepbench::traces
