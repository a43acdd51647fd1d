// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/identity.h"

#include "harness/base/digest.h"

namespace stepbench {
namespace {

void append_escaped(std::string& text, const std::string& value) {
  for (const char c : value) {
    if (c == '\\') {
      text += "\\\\";
    } else if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
}

void append_value(std::string& text, const std::string& name, const Value& value) {
  const std::string written = to_text(value);
  append_escaped(text, name == "device" ? written.substr(0, written.find(':')) : written);
}

}  // namespace

std::string case_id(const OptionValues& options, const IdentityKeys& keys) {
  std::string text;
  auto option = options.begin();
  const auto end = options.end();
  for (const IdentityKey& key : keys) {
    while (option != end && option->first < key.name) ++option;
    if (option == end) break;
    if (option->first != key.name) continue;
    const Value& value = option->second;
    if (is_null(value) || value == key.identity_default) continue;
    text += key.name;
    text += '=';
    append_value(text, key.name, value);
    text += '\n';
  }
  return digest(text);
}

}  // namespace stepbench
