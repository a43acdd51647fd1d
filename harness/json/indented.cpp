// SPDX-License-Identifier: Apache-2.0
#include "harness/json/indented.h"

#include "harness/json/json_text.h"
#include "harness/json/line_object.h"

namespace stepbench::json {
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
