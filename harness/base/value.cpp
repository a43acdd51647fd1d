// SPDX-License-Identifier: Apache-2.0
#include "harness/base/value.h"

#include <array>
#include <charconv>

namespace stepbench {
namespace {

template <typename Number>
std::string number_text(Number number) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
}

struct ToText {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::int64_t number) const { return number_text(number); }
  std::string operator()(double number) const { return number_text(number); }
  std::string operator()(const std::string& text) const { return text; }
};

}  // namespace

std::string to_text(const Value& value) { return std::visit(ToText{}, value); }

std::string text_of(const Fields& fields, std::string_view name, std::string_view otherwise) {
  const auto found = fields.find(name);
  const bool known = found != fields.end() && !is_null(found->second);
  return known ? to_text(found->second) : std::string(otherwise);
}

}  // namespace stepbench
