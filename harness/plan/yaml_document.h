// SPDX-License-Identifier: Apache-2.0
// A YAML file as stepbench's own tree: every key and value has its position, keys are unique,
// aliases and ${NAME} are expanded. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepbench::plan {

struct Mark {
  int line = 1;    // 1-based; 0: the whole input
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
  std::vector<ConfigEntry> entries;    // kMap, in file order; clang 14 rejects `= {}` here
  std::size_t size = 1;                // nodes in this tree

  [[nodiscard]] const ConfigEntry* find(std::string_view key) const;
};

struct ConfigEntry {
  std::string key;
  Mark mark = {};
  ConfigNode value = {};
};

// Describes a node for messages: "a list", "the text 'x'".
[[nodiscard]] std::string describe(const ConfigNode& node);

// Limits against hostile input.
struct YamlLimits {
  std::size_t bytes = std::size_t{8} << 20;
  std::size_t nodes = 1'000'000;  // after expansion of aliases
  int depth = 32;
};

// Reads a whole file. Throws ConfigError if it is unreadable or larger than `limits.bytes`.
[[nodiscard]] std::string read_config_text(const std::filesystem::path& file,
                                           const YamlLimits& limits = {});

// The same from an open stream; errors use `name`.
[[nodiscard]] std::string read_config_text(std::istream& stream, const std::string& name,
                                           const YamlLimits& limits = {});

// `source` names the text in errors: "sweep.yaml". Throws ConfigError{source:line:column} for
// syntax errors, repeated keys, keys other than plain text, more than one document, and aliases
// that expand beyond the limits. ${NAME:-default} may be unquoted anywhere, also inside {...} and
// [...].
[[nodiscard]] ConfigNode parse_yaml(std::string_view text, const std::string& source,
                                    const YamlLimits& limits = {});

// "sweep.yaml:12:5"; only the source for line 0.
[[nodiscard]] std::string place(const std::string& source, Mark mark);

// Interpolation: ${NAME} and ${NAME:-default} in values. `$$` is a dollar sign.

using InterpolationVariables = std::span<const std::pair<std::string, std::string>>;

// Fills in variables; an empty variable takes its default, as in a shell. Throws Error with the
// problem: a missing variable without default, an unterminated ${.
[[nodiscard]] std::string interpolate(std::string_view text, InterpolationVariables variables);

// Replaces the "~" of a path "~/x" by the home folder. Throws Error for "~user" and "$NAME", which
// only a shell expands, and if HOME is not set.
[[nodiscard]] std::string expand_home(std::string_view path, InterpolationVariables variables);

// YAML ends an unquoted value at '{', '}' and ',' inside a flow group. These two functions hide
// such characters of a ${...} from the parser and restore them, byte for byte, so that locations
// stay right.
[[nodiscard]] std::string protect_interpolation(std::string_view text);
[[nodiscard]] std::string restore_interpolation(std::string_view text);

}  // namespace stepbench::plan
