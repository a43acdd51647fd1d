// SPDX-License-Identifier: Apache-2.0
#include "harness/base/value.h"

#include <array>
#include <charconv>
#include <cmath>

namespace stepbench {
namespace {

struct AppendText {
  std::string& text;

  void operator()(std::monostate) const { text += "null"; }
  void operator()(bool flag) const { text += flag ? "true" : "false"; }
  void operator()(const std::string& words) const { text += words; }
  template <typename Number>
  void operator()(Number number) const {
    append_number(text, number);
  }
};

}  // namespace

void append_text(std::string& text, const Value& value) { std::visit(AppendText{text}, value); }

std::string to_text(const Value& value) {
  std::string text;
  append_text(text, value);
  return text;
}

namespace {

template <typename Number>
void append_shortest(std::string& text, Number number) {
  std::array<char, 32> buffer;  // the longest text of either type has 24
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  text.append(buffer.data(), end);
}

// True if the text is that of an integer. Most numbers are nanoseconds, bytes and counts, and
// integers are far quicker to format. Excludes five or more trailing zeros, where an exponent may
// be shorter.
bool is_plainly_whole(double number) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (!(std::fabs(number) < kExact)) return false;
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number && whole % 100'000 != 0;
}

}  // namespace

void append_number(std::string& text, std::int64_t number) { append_shortest(text, number); }

void append_number(std::string& text, double number) {
  if (is_plainly_whole(number)) {
    append_shortest(text, static_cast<std::int64_t>(number));
  } else {
    append_shortest(text, number);
  }
}

}  // namespace stepbench
