// SPDX-License-Identifier: Apache-2.0
#include "harness/json/number_arrays.h"

#include <limits>
#include <string>

#include "harness/json/line_error.h"

namespace stepbench::json {
namespace {

class NumberParser {
 public:
  explicit NumberParser(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  NumberArrays parse() {
    NumberArrays arrays;
    expect('[');
    if (!accept(']')) {
      do {
        std::vector<std::int64_t>& values = arrays.values.emplace_back();
        if (array_ > 0) values.reserve(arrays.values.front().size());
        parse_array(values);
        ++array_;
      } while (accept(','));
      expect(']');
    }
    arrays.tail = {at_, static_cast<std::size_t>(end_ - at_)};
    return arrays;
  }

 private:
  void parse_array(std::vector<std::int64_t>& values) {
    expect('[');
    if (accept(']')) return;
    do {
      element_ = values.size();
      values.push_back(parse_integer());
    } while (accept(','));
    expect(']');
  }

  std::int64_t parse_integer() {
    skip_blanks();
    const bool negative = *at_ == '-';
    if (negative) ++at_;
    const char* const first = at_;
    std::uint64_t number = 0;
    unsigned digit = 0;
    while ((digit = static_cast<unsigned>(static_cast<unsigned char>(*at_)) - '0') < 10) {
      number = number * 10 + digit;  // wraps only beyond 19 digits, which are rejected below
      ++at_;
    }
    const auto digits = at_ - first;
    const auto limit =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (negative ? 1U : 0U);
    if (digits == 0 || (digits > 1 && *first == '0') || digits > 19 || number > limit ||
        *at_ == '.' || *at_ == 'e' || *at_ == 'E') {
      fail("expected a 64-bit integer");
    }
    return static_cast<std::int64_t>(negative ? 0 - number : number);
  }

  void skip_blanks() {
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') ++at_;
  }
  bool accept(char wanted) {
    if (*at_ != wanted) skip_blanks();
    if (*at_ != wanted || at_ >= end_) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("not valid JSON: expected '") + wanted + "'");
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw LineError("field 'values', array " + std::to_string(array_) + ", value " +
                    std::to_string(element_) + ": " + what);
  }

  const char* at_;
  const char* end_;
  std::size_t array_ = 0;
  std::size_t element_ = 0;
};

}  // namespace

NumberArrays parse_number_arrays(std::string_view text) { return NumberParser(text).parse(); }

}  // namespace stepbench::json
