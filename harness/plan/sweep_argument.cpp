// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "harness/base/error.h"
#include "harness/plan/sweep.h"
#include "harness/plan/torch_words.h"
#include "harness/text/words.h"

namespace stepbench::plan {
namespace {

// Line and column inside an argument are useless to the user.
void forget_places(ConfigNode& node) {
  node.mark = {.line = 0, .column = 0};
  for (ConfigNode& item : node.items) forget_places(item);
  for (ConfigEntry& entry : node.entries) {
    entry.mark = {.line = 0, .column = 0};
    forget_places(entry.value);
  }
}

// "fp32,bf16" and "[fp32, bf16]" are the same list.
ConfigNode parse_list(const std::string& text, const std::string& where) {
  const auto blank = [](char c) { return c == ' '; };
  if (std::all_of(text.begin(), text.end(), blank)) {
    throw ConfigError(where, "names no value; expected as in --sweep loader.num_workers=0,2,4");
  }
  try {
    ConfigNode list = parse_yaml("[" + text + "]", where);
    if (list.kind != ConfigNode::Kind::kList) throw ConfigError(where, "no list");
    if (list.items.size() == 1 && list.items.front().kind == ConfigNode::Kind::kList) {
      list = ConfigNode(std::move(list.items.front()));
    }
    forget_places(list);
    return list;
  } catch (const ConfigError&) {
    throw ConfigError(where, "'" + text +
                                 "' is not a list of values; expected as in `--sweep "
                                 "num_workers=0,2,4` or `--sweep 'name=[\"a, b\", c]'`");
  }
}

ConfigEntry parse_argument(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigError("--sweep " + argument,
                      "expected KEY=V1,V2,..., as in --sweep loader.num_workers=0,2,4");
  }
  const std::string name = argument.substr(0, equals);
  return {.key = name,
          .mark = {.line = 0, .column = 0},
          .value = parse_list(argument.substr(equals + 1), "--sweep " + name)};
}

// Returns the options that the argument sets: torch may have one name for two.
std::vector<ConfigEntry> entries_of(const ConfigEntry& entry, const ParseContext& context) {
  std::vector<ConfigEntry> entries =
      translate_torch_axis(entry, context).value_or(std::vector<ConfigEntry>{entry});
  if (entries.size() > 1 && std::ranges::count_if(entries, varies) > 1) {
    context.errors.add(context.source, "'" + entries.front().key + "' and '" + entries.back().key +
                                           "' would vary together: name both in `sweep: {zip: "
                                           "...}` of a file");
    return {};
  }
  if (entries.size() > 1) {
    for (ConfigEntry& each : entries) {
      if (!varies(each) && !each.value.items.empty()) each.value.items.resize(1);
    }
  }
  return entries;
}

SweepAxis::Key* find_key(Sweep& sweep, const std::string& name) {
  for (SweepAxis& axis : sweep.axes) {
    for (SweepAxis::Key& key : axis.keys) {
      if (key.name == name) return &key;
    }
  }
  return nullptr;
}

// An include that sets the option is replaced by the argument.
void leave_out_includes(const std::string& name, const std::string& file, Sweep& sweep) {
  std::erase_if(sweep.includes, [&](const SweepEntry& include) {
    const bool include_has_axis =
        std::any_of(include.keys.begin(), include.keys.end(),
                    [&](const SweepAxis::Key& key) { return key.name == name; });
    if (include_has_axis) {
      sweep.notes.push_back("the include at " + place(file, include.mark) +
                            " is left out: --sweep " + name + " replaces it");
    }
    return include_has_axis;
  });
}

void check_zip(const Sweep& sweep, ConfigErrors& errors) {
  for (const SweepAxis& axis : sweep.axes) {
    for (const SweepAxis::Key& key : axis.keys) {
      const bool given = key.source.starts_with("--sweep");
      const auto other = std::find_if(
          axis.keys.begin(), axis.keys.end(),
          [&](const SweepAxis::Key& one) { return one.values.size() != key.values.size(); });
      if (!given || other == axis.keys.end()) continue;
      errors.add(key.source, text::counted(std::ssize(key.values), "value") + ", but " +
                                 other->name +
                                 ", which advances along with it in the file's `zip`, has " +
                                 std::to_string(other->values.size()) +
                                 "; give as many, or --sweep " + other->name + " too");
    }
  }
}

}  // namespace

void apply_sweep(std::span<const std::string> arguments, const ParseContext& context,
                 Sweep& sweep) {
  std::vector<std::string> given;
  for (const std::string& argument : arguments) {
    const ConfigEntry entry = parse_argument(argument);
    const std::string source = "--sweep " + entry.key;
    const ParseContext here{source, context.index, context.variables, context.errors};
    for (const ConfigEntry& each : entries_of(entry, here)) {
      std::optional<SweepAxis::Key> key = read_matrix_key(each, here);
      if (!key) continue;
      if (std::find(given.begin(), given.end(), key->name) != given.end()) {
        context.errors.add(source, "is given twice; write all values of it in one list");
        continue;
      }
      given.push_back(key->name);
      leave_out_includes(key->name, context.source, sweep);
      if (SweepAxis::Key* swept = find_key(sweep, key->name)) {
        *swept = std::move(*key);
      } else {
        sweep.add_to_matrix(std::move(*key));
      }
      if (!sweep.present) sweep.where = "--sweep";
      sweep.present = true;
    }
  }
  check_zip(sweep, context.errors);
}

}  // namespace stepbench::plan
