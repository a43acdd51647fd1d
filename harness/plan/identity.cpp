// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/identity.h"

#include <algorithm>

#include "harness/base/digest.h"

namespace stepbench::plan {
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

}  // namespace

std::optional<std::string> identity_text(std::string_view name, const Value& value,
                                         const Value& identity_default) {
  if (is_null(value) || value == identity_default) return std::nullopt;
  std::string text = to_text(value);
  if (name == "device") text.resize(std::min(text.size(), text.find(':')));
  return text;
}

std::string case_id(const OptionValues& options, const IdentityKeys& keys) {
  std::string text;
  for (const IdentityKey& key : keys) {
    const Value* option =
        key.slot == OptionValues::kNoSlot ? options.get(key.name) : &options.in_slot(key.slot);
    if (option == nullptr) continue;
    const auto value = identity_text(key.name, *option, key.identity_default);
    if (!value) continue;
    text += key.name;
    text += '=';
    append_escaped(text, *value);
    text += '\n';
  }
  return digest(text);
}

}  // namespace stepbench::plan
