// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/config_node.h"

#include <algorithm>

namespace stepbench {

const ConfigEntry* ConfigNode::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const ConfigEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

std::string describe(const ConfigNode& node) {
  constexpr std::size_t kLongest = 60;
  switch (node.kind) {
    case ConfigNode::Kind::kNull:
      return "nothing";
    case ConfigNode::Kind::kList:
      return "a list";
    case ConfigNode::Kind::kMap:
      return "a group of keys";
    case ConfigNode::Kind::kScalar:
      break;
  }
  const std::string text =
      node.text.size() > kLongest ? node.text.substr(0, kLongest - 3) + "..." : node.text;
  return node.quoted ? "the text \"" + text + "\"" : "'" + text + "'";
}

}  // namespace stepbench
