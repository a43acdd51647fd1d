// SPDX-License-Identifier: Apache-2.0
// A YAML file as a tree of our own: every key and value knows its place, keys are unique, aliases
// are expanded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench {

struct Mark {
  int line = 1;    // 1-based
  int column = 1;  // 1-based, in bytes
};

struct ConfigEntry;

struct ConfigNode {
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  Mark mark = {};
  bool quoted = false;                 // a quoted scalar is a text, never a number
  std::string text = {};               // kScalar
  std::vector<ConfigNode> items = {};  // kList
  std::vector<ConfigEntry> entries;    // kMap, in file order; clang 14 wants no `= {}` here
  std::size_t size = 1;                // nodes in this tree

  [[nodiscard]] const ConfigEntry* find(std::string_view key) const;
};

struct ConfigEntry {
  std::string key;
  Mark mark = {};
  ConfigNode value = {};
};

// "a list", "the text 'x'": what stands here, for messages.
[[nodiscard]] std::string describe(const ConfigNode& node);

}  // namespace stepbench
