// SPDX-License-Identifier: Apache-2.0
// Reads JSON out of a piece of text that may end anywhere. It makes no values: strings, numbers and
// nested values are handed out as views of their text, because times have more digits than a double
// holds and most values are never looked at. Passes over the damage that profilers are known for:
// control characters in strings, bare words such as N/A and NaN. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepbench::trace {

class JsonScanner {
 public:
  static constexpr int kMaxDepth = 128;  // of lists and objects in each other

  enum class Stop : std::uint8_t {
    kNone,
    kEnd,     // the text ended: more of it is needed
    kBroken,  // no JSON, whatever follows
  };
  struct Damage {
    std::int64_t control_characters = 0;
    std::int64_t bare_words = 0;
    const char* first = nullptr;
  };

  // Behind `end` stand TextWindow::kPadding zeros.
  void begin(const char* at, const char* end) {
    at_ = at;
    end_ = end;
    stop_ = Stop::kNone;
    damage_ = {};
  }

  // Each returns false and sets stop() when it cannot.
  [[nodiscard]] bool next(char& c) {  // the next character that is no blank; stays there
    c = *at_;
    return static_cast<unsigned char>(c) > ' ' || next_behind_blanks(c);
  }
  [[nodiscard]] bool take(char wanted) {  // that character and no other
    char c = 0;
    if (!next(c)) return false;
    if (c != wanted) return expected(wanted);
    ++at_;
    return true;
  }
  [[nodiscard]] bool string(std::string_view& inside);  // without its quotation marks, as written
  [[nodiscard]] bool value(std::string_view& text) { return value(text, 0); }  // of any type, whole
  // "key": and stands at its value.
  [[nodiscard]] bool key(std::string_view& inside) { return string(inside) && take(':'); }
  // Behind an element: ',' is passed over, `close` ends the list.
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
  [[nodiscard]] const std::string& problem() const { return problem_; }  // of kBroken
  [[nodiscard]] const Damage& damage() const { return damage_; }
  bool broken(std::string what);  // at(); returns false

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

// The text of a JSON string, without its quotation marks. `bad` counts escapes that are none; they
// stay as they are. Half a surrogate pair becomes U+FFFD.
[[nodiscard]] std::string unescaped(std::string_view inside, std::int64_t& bad);

}  // namespace stepbench::trace
