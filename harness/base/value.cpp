// SPDX-License-Identifier: Apache-2.0
#include "harness/base/value.h"

#include "harness/base/number_text.h"

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

}  // namespace stepbench
