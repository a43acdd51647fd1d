// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/plan.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/json/json_text.h"
#include "harness/plan/internal/torch_translation.h"
#include "harness/plan/option_index.h"
#include "harness/plan/yaml_document.h"

namespace stepbench::plan {
namespace {

bool is_plain(std::string_view text) {
  if (text.empty() || text.front() == '-' || text.back() == ':') return false;
  if (text.find(": ") != std::string_view::npos) return false;
  return std::ranges::all_of(text,
                             [](char c) {
                               const auto byte = static_cast<unsigned char>(c);
                               return std::isalnum(byte) != 0 ||
                                      std::string_view("_-./+:${}~ ").find(c) != std::string::npos;
                             }) &&
         text.front() != ' ' && text.back() != ' ' && text.front() != '{' && text.front() != '}';
}

ConfigNode text_node(std::string text, bool quoted = false) {
  ConfigNode node;
  node.kind = ConfigNode::Kind::kScalar;
  node.text = std::move(text);
  node.quoted = quoted;
  return node;
}

std::string scalar(const ConfigNode& node) {
  if (node.kind == ConfigNode::Kind::kNull) return "null";
  // A quoted text is never a number.
  return node.quoted || !is_plain(node.text) ? json::json_string(node.text) : node.text;
}

// Escapes dollar signs that do not begin ${NAME}.
std::string without_names(const std::string& text) {
  std::string escaped;
  for (const char letter : text) escaped += letter == '$' ? "$$" : std::string(1, letter);
  return escaped;
}

std::string in_flow(const ConfigNode& node) {
  std::string text;
  switch (node.kind) {
    case ConfigNode::Kind::kNull:
    case ConfigNode::Kind::kScalar:
      // ${NAME:-default} needs no quotes in brackets.
      return scalar(node);
    case ConfigNode::Kind::kList:
      for (const ConfigNode& item : node.items) text += (text.empty() ? "" : ", ") + in_flow(item);
      return '[' + text + ']';
    case ConfigNode::Kind::kMap:
      for (const ConfigEntry& entry : node.entries) {
        text += formatted("{}{}: {}", text.empty() ? "" : ", ", scalar(text_node(entry.key)),
                          in_flow(entry.value));
      }
      return '{' + text + '}';
  }
  return text;
}

void write_entries(const ConfigNode& map, const std::string& indent, std::string& out) {
  for (const ConfigEntry& entry : map.entries) {
    out += indent + scalar(text_node(entry.key)) + ':';
    if (entry.value.kind == ConfigNode::Kind::kMap && !entry.value.entries.empty()) {
      out += '\n';
      write_entries(entry.value, indent + "  ", out);
    } else {
      out += ' ' + in_flow(entry.value) + '\n';
    }
  }
}

// `name`: the remaining part of the option's name, "num_workers" or "margin.step".
void put(ConfigNode& map, std::string_view name, const ConfigNode& value) {
  if (map.kind != ConfigNode::Kind::kMap) {
    map = ConfigNode();
    map.kind = ConfigNode::Kind::kMap;
  }
  const auto entry_of = [&](std::string_view key) -> ConfigNode& {
    for (ConfigEntry& entry : map.entries) {
      if (entry.key == key) return entry.value;
    }
    map.entries.push_back({.key = std::string(key)});
    return map.entries.back().value;
  };
  const std::size_t dot = name.find('.');
  // Keys of an open section may contain dots.
  const bool is_there =
      std::ranges::find(map.entries, name, &ConfigEntry::key) != map.entries.end();
  if (dot == std::string_view::npos || is_there) {
    entry_of(name) = value;
  } else {
    put(entry_of(name.substr(0, dot)), name.substr(dot + 1), value);
  }
}

}  // namespace

std::string fixed_experiment(const std::string& text, const std::string& source,
                             const Catalogue& catalogue, std::span<const std::string> set,
                             const Fields& values) {
  ConfigNode root = parse_yaml(text, source);
  std::erase_if(root.entries, [](const ConfigEntry& entry) { return entry.key == "sweep"; });
  const OptionIndex index(catalogue);
  ConfigErrors errors;
  const ParseContext context{source, index, {}, errors};
  translate_torch_options(root, context);
  const std::vector<std::string> ours = translate_torch_settings(set, {}, context);
  errors.throw_if_any();
  for (const std::string& each : ours) {
    const std::size_t equals = each.find('=');
    if (equals == std::string::npos) throw ConfigError("--set " + each, "expected NAME=VALUE");
    std::string name;
    try {
      name = index.resolve(each.substr(0, equals));
    } catch (const Error& error) {
      throw ConfigError("--set " + each, error.what());
    }
    put(root, name, text_node(without_names(each.substr(equals + 1))));
  }
  for (const auto& [name, value] : values) {
    if (is_null(value)) continue;
    const bool is_text = std::holds_alternative<std::string>(value);
    put(root, name, text_node(without_names(to_text(value)), is_text && !is_plain(to_text(value))));
  }
  std::string out;
  write_entries(root, "", out);
  return out;
}

}  // namespace stepbench::plan
