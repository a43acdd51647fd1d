// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/internal/sweep.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/plan/internal/torch_translation.h"
#include "harness/plan/yaml_document.h"
#include "harness/text/words.h"

namespace stepbench::plan {
namespace {

class SweepReader {
 public:
  explicit SweepReader(const ParseContext& context) : context_(context) {}

  std::optional<SweepAxis::Key> read_matrix_key(const ConfigEntry& entry) {
    auto key = read_key(entry, true);
    if (key) refuse_context(*key, true);
    return key;
  }

  Sweep read(const ConfigEntry& entry) {
    sweep_.present = true;
    sweep_.where = place(context_.source, entry.mark);
    if (entry.value.kind != ConfigNode::Kind::kMap || entry.value.entries.empty()) {
      add(entry.value.kind == ConfigNode::Kind::kNull ? entry.mark : entry.value.mark,
          "the sweep is empty: expected matrix, zip, exclude or include, found " +
              describe(entry.value));
      return std::move(sweep_);
    }
    for (const ConfigEntry& part : entry.value.entries) read_part(part);
    if (sweep_.axes.empty() && sweep_.includes.empty() && context_.errors.empty()) {
      add(entry.mark, "the sweep is empty: matrix, zip or include must name at least one option");
    }
    refuse_repeated_keys();
    return std::move(sweep_);
  }

 private:
  void add(Mark mark, std::string what) {
    context_.errors.add(place(context_.source, mark), std::move(what));
  }

  void read_part(const ConfigEntry& part) {
    static const std::vector<std::string> parts = {"matrix", "zip", "exclude", "include"};
    if (part.key == "matrix" || part.key == "zip") {
      read_axes(part);
    } else if (part.key == "exclude" || part.key == "include") {
      read_entries(part);
    } else if (context_.index.meant(part.key).empty()) {
      add(part.mark,
          formatted("unknown key '{}' in 'sweep'{}; expected matrix, zip, exclude or include",
                    part.key, text::did_you_mean(part.key, parts)));
    } else {
      add(part.mark,
          formatted("'{}' stands inside `matrix` or `zip`: `sweep: {{matrix: {{{}: [...]}}}}`",
                    part.key, part.key));
    }
  }

  void read_axes(const ConfigEntry& part) {
    if (part.value.kind != ConfigNode::Kind::kMap || part.value.entries.empty()) {
      const bool empty = part.value.entries.empty() && part.value.items.empty();
      add(part.mark, formatted("'{}' is {}: expected options with lists of values, as in `{}: "
                               "{{loader.num_workers: [0, 2, 4]}}`",
                               part.key, empty ? "empty" : describe(part.value), part.key));
      return;
    }
    std::vector<SweepAxis::Key> keys;
    for (const ConfigEntry& entry : part.value.entries) {
      auto key = read_key(entry, true);
      if (!key) continue;
      refuse_context(*key, part.key == "matrix");
      keys.push_back(std::move(*key));
    }
    if (keys.empty()) return;
    if (part.key == "matrix") {
      for (SweepAxis::Key& key : keys) sweep_.add_to_matrix(std::move(key));
      return;
    }
    for (const SweepAxis::Key& key : keys) {
      if (key.values.size() == keys.front().values.size()) continue;
      add(key.mark,
          formatted("zip needs lists of equal length: '{}' has {} values, '{}' has {}", key.name,
                    key.values.size(), keys.front().name, keys.front().values.size()));
      return;
    }
    sweep_.axes.push_back({.keys = std::move(keys), .zip = true});
  }

  void read_entries(const ConfigEntry& part) {
    const bool exclude = part.key == "exclude";
    if (part.value.kind != ConfigNode::Kind::kList || part.value.items.empty()) {
      add(part.mark,
          formatted("'{}' is empty: expected a list, as in `{}: [{{loader.num_workers: 0}}]`",
                    part.key, part.key));
      return;
    }
    for (const ConfigNode& item : part.value.items) {
      if (item.kind != ConfigNode::Kind::kMap || item.entries.empty()) {
        add(item.mark, formatted("an entry of '{}' names options and values, found {}", part.key,
                                 describe(item)));
        continue;
      }
      SweepEntry entry{.mark = item.mark};
      for (const ConfigEntry& option : item.entries) {
        if (auto key = read_key(option, exclude)) entry.keys.push_back(std::move(*key));
      }
      if (entry.keys.size() != item.entries.size()) continue;
      (exclude ? sweep_.excludes : sweep_.includes).push_back(std::move(entry));
    }
  }

  std::optional<SweepAxis::Key> read_key(const ConfigEntry& entry, bool list_allowed) {
    SweepAxis::Key key{.name = {}, .source = context_.source, .mark = entry.mark};
    if (entry.value.kind == ConfigNode::Kind::kMap && !entry.value.entries.empty() &&
        context_.index.catalogue().find_section(entry.key) != nullptr) {
      add(entry.mark, formatted("options of a section are named in full here: `{}.{}: [...]`",
                                entry.key, entry.value.entries.front().key));
      return std::nullopt;
    }
    try {
      key.name = context_.index.resolve(entry.key);
    } catch (const Error& error) {
      add(entry.mark, error.what());
      return std::nullopt;
    }
    if (entry.value.kind == ConfigNode::Kind::kList && list_allowed) {
      if (entry.value.items.empty()) {
        add(entry.value.mark,
            formatted("the list of '{}' is empty: expected at least one value", entry.key));
        return std::nullopt;
      }
      key.values.reserve(entry.value.items.size());
      for (const ConfigNode& item : entry.value.items) read_value(key, item);
    } else {
      read_value(key, entry.value);
    }
    if (key.values.empty()) return std::nullopt;
    return key;
  }

  void read_value(SweepAxis::Key& key, const ConfigNode& node) {
    auto value = read_option_value(key.name, context_.index.find(key.name), node, context_);
    if (!value) return;
    check_path(key.name, *value, place(context_.source, node.mark), context_);
    key.values.push_back({std::move(*value), node.mark});
  }

  // In zip a context option may accompany one that distinguishes the cases (data.path with
  // data.id).
  void refuse_context(const SweepAxis::Key& key, bool matrix) {
    const auto declarations = context_.index.find(key.name);
    const bool context = std::all_of(declarations.begin(), declarations.end(), [](const Option* o) {
      return o->identity == Identity::kContext;
    });
    if (!context || (!matrix && key.name != "name")) return;
    add(key.mark,
        formatted("'{}' cannot be varied alone: it is not part of a case's identity, so the cases "
                  "could not be told apart{}",
                  key.name,
                  key.name == "data.path" ? "; vary data.id along with it in `zip`" : ""));
  }

  void refuse_repeated_keys() {
    std::vector<const SweepAxis::Key*> seen;
    for (const SweepAxis& axis : sweep_.axes) {
      for (const SweepAxis::Key& key : axis.keys) {
        for (const SweepAxis::Key* earlier : seen) {
          if (earlier->name == key.name) {
            add(key.mark,
                formatted("'{}' is in matrix and in zip; it can vary in one of them", key.name));
          }
        }
        seen.push_back(&key);
      }
    }
  }

  const ParseContext& context_;
  Sweep sweep_;
};

}  // namespace

std::int64_t Sweep::grid() const {
  if (axes.empty()) return includes.empty() ? 1 : 0;
  std::int64_t count = 1;
  for (const SweepAxis& axis : axes) {
    const auto size = static_cast<std::int64_t>(axis.size());
    if (count > std::numeric_limits<std::int64_t>::max() / 4 / size) {
      return std::numeric_limits<std::int64_t>::max() / 4;
    }
    count *= size;
  }
  return count;
}

std::int64_t Sweep::points() const { return grid() + static_cast<std::int64_t>(includes.size()); }

void Sweep::add_to_matrix(SweepAxis::Key key) {
  const auto zip =
      std::find_if(axes.begin(), axes.end(), [](const SweepAxis& axis) { return axis.zip; });
  axes.insert(zip, SweepAxis{.keys = {std::move(key)}});
}

void values_of(const Sweep& sweep, std::int64_t point, std::vector<PointValue>& values) {
  values.clear();
  const std::int64_t grid = sweep.grid();
  if (point >= grid) {
    for (const SweepAxis::Key& key : sweep.includes[static_cast<std::size_t>(point - grid)].keys) {
      values.push_back({&key, &key.values.front()});
    }
    return;
  }
  std::int64_t stride = grid;
  for (const SweepAxis& axis : sweep.axes) {
    const auto size = static_cast<std::int64_t>(axis.size());
    stride /= size;
    const auto index = static_cast<std::size_t>(point / stride % size);
    for (const SweepAxis::Key& key : axis.keys) values.push_back({&key, &key.values[index]});
  }
}

std::optional<SweepAxis::Key> read_matrix_key(const ConfigEntry& entry,
                                              const ParseContext& context) {
  return SweepReader(context).read_matrix_key(entry);
}

Sweep read_sweep(const ConfigNode& root, const ParseContext& context) {
  const ConfigEntry* entry = root.find("sweep");
  if (entry == nullptr) return {};
  return SweepReader(context).read(*entry);
}

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
    throw ConfigError(where, formatted("'{}' is not a list of values; expected as in `--sweep "
                                       "num_workers=0,2,4` or `--sweep 'name=[\"a, b\", c]'`",
                                       text));
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
    context.errors.add(
        context.source,
        formatted("'{}' and '{}' would vary together: name both in `sweep: {{zip: ...}}` of a file",
                  entries.front().key, entries.back().key));
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
      sweep.notes.push_back(formatted("the include at {} is left out: --sweep {} replaces it",
                                      place(file, include.mark), name));
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
      errors.add(key.source, formatted("{}, but {}, which advances along with it in the file's "
                                       "`zip`, has {}; give as many, or --sweep {} too",
                                       text::counted(std::ssize(key.values), "value"), other->name,
                                       other->values.size(), other->name));
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
