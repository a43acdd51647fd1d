// SPDX-License-Identifier: Apache-2.0
// Builds one line of JSON by appending. Keeps the order of calls; adds commas itself. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"

namespace stepbench {

class JsonText {
 public:
  JsonText& open_object(std::string_view key = {});  // without a key: an element, or the whole line
  JsonText& close_object();
  JsonText& open_array(std::string_view key = {});
  JsonText& close_array();

  JsonText& text(std::string_view key, std::string_view value);
  JsonText& integer(std::string_view key, std::int64_t value);
  JsonText& flag(std::string_view key, bool value);
  JsonText& number(std::string_view key, double value);  // null when not finite
  JsonText& value(std::string_view key, const Value& value);
  JsonText& null(std::string_view key);
  JsonText& texts(std::string_view key, std::span<const std::string> values);
  JsonText& integers(std::string_view key, std::span<const std::int64_t> values);

  [[nodiscard]] const std::string& line() const { return line_; }
  [[nodiscard]] std::string take() { return std::move(line_); }

 private:
  void begin(std::string_view key);
  void quoted(std::string_view text);  // bytes that are not UTF-8 become U+FFFD
  std::string line_;
};

}  // namespace stepbench
