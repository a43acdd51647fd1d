// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/internal/torch_translation.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/catalogue/torch_names.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::plan {
namespace {

using catalogue::TorchName;
using catalogue::TorchValue;
using Entries = std::vector<ConfigEntry>;

bool is_of(std::string_view section, const TorchName& row) {
  return row.name.substr(0, row.name.find('.')) == section;
}

ConfigNode scalar(std::string text, Mark mark) {
  ConfigNode node;
  node.kind = ConfigNode::Kind::kScalar;
  node.mark = mark;
  node.text = std::move(text);
  return node;
}

ConfigNode list_of(std::vector<ConfigNode> items, Mark mark) {
  ConfigNode node;
  node.kind = ConfigNode::Kind::kList;
  node.mark = mark;
  node.items = std::move(items);
  return node;
}

std::string lower(std::string_view text) {
  std::string low(text);
  std::ranges::transform(low, low.begin(), [](unsigned char c) { return std::tolower(c); });
  return low;
}

// Normalises a value to the lower-case form of the table: torch.bfloat16 is bfloat16, None is null,
// 65536.0 is 65536.
std::string plain(const ConfigNode& node) {
  if (node.kind == ConfigNode::Kind::kNull) return "null";
  if (node.kind == ConfigNode::Kind::kList) return text::join(node.items, ",", plain);
  if (node.kind == ConfigNode::Kind::kMap) return describe(node);  // equals no value
  std::string text = lower(node.text);
  if (text.starts_with("torch.")) text.erase(0, 6);
  if (text == "none") return "null";
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return text;
  return text::short_number(number, 6);
}

// Our settings for one value of torch's; no entries: it matches the default behaviour.
struct Translation {
  Entries entries = {};
  int weight = 1;
};

class Translator {
 public:
  explicit Translator(const ParseContext& context) : context_(context) {}

  Translation translate(const TorchName& row, const ConfigEntry& entry) {
    const std::string text = plain(filled_in(entry.value));
    const auto value = std::ranges::find_if(
        row.values, [&](const TorchValue& each) { return lower(each.theirs) == text; });
    if (value != row.values.end()) {
      if (value->ours.empty()) return {};
      return {{translated(row.ours.front(), entry.mark,
                          scalar(std::string(value->ours), entry.value.mark))},
              value->weight};
    }
    if (!row.takes_others) {
      std::vector<std::string_view> taken;
      for (const TorchValue& each : row.values) {
        if (!each.theirs.empty()) taken.push_back(each.theirs);
      }
      error(entry, formatted("'{}' takes {} here, found {}{}", row.name, text::join(taken, " or "),
                             text.empty() ? "''" : text,
                             row.instead.empty() ? "" : "; " + std::string(row.instead)));
      return {};
    }
    if (row.ours.size() == 1) return {{translated(row.ours.front(), entry.mark, entry.value)}};
    if (entry.value.items.size() != row.ours.size()) {
      error(entry, formatted("'{}': expected {} values, as in [0.9, 0.999], found {}", row.name,
                             row.ours.size(), describe(entry.value)));
      return {};
    }
    Translation all;
    for (std::size_t i = 0; i < row.ours.size(); ++i) {
      all.entries.push_back(translated(row.ours[i], entry.mark, entry.value.items[i]));
    }
    return all;
  }

  // Returns the swept values of each option.
  Entries translate_axis(const TorchName& row, const ConfigEntry& entry) {
    const bool lists = row.ours.size() > 1;
    const ConfigNode& value = entry.value;
    const bool several = value.kind == ConfigNode::Kind::kList && !value.items.empty() &&
                         (!lists || value.items.front().kind == ConfigNode::Kind::kList);
    const std::vector<ConfigNode> alternatives =
        several ? value.items : std::vector<ConfigNode>{value};
    if (row.ours.empty()) {
      error(entry, formatted("'{}' cannot be varied{}", row.name,
                             row.instead.empty() ? "" : "; " + std::string(row.instead)));
      return {};
    }
    std::vector<std::vector<ConfigNode>> columns(row.ours.size());
    for (const ConfigNode& each : alternatives) {
      const Translation translated =
          translate(row, {.key = entry.key, .mark = entry.mark, .value = each});
      if (is_of("autocast", row) && names_no_value(row, each)) {
        error(entry, formatted("'{}': {} names no type to compute in; vary model.precision",
                               row.name, plain(each)));
        return {};
      }
      for (std::size_t i = 0; i < columns.size(); ++i) {
        columns[i].push_back(i < translated.entries.size() ? translated.entries[i].value
                                                           : default_node(row.ours[i], each.mark));
      }
    }
    Entries axis;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      axis.push_back(translated(
          row.ours[i], entry.mark,
          several ? list_of(std::move(columns[i]), value.mark) : std::move(columns[i].front())));
    }
    return axis;
  }

  static bool names_no_value(const TorchName& row, const ConfigNode& node) {
    return std::ranges::any_of(row.values, [&](const TorchValue& each) {
      return each.ours.empty() && lower(each.theirs) == plain(node);
    });
  }

  void error(const ConfigEntry& entry, std::string what) {
    context_.errors.add(place(context_.source, entry.mark), std::move(what));
  }

 private:
  // Fills in variables; unchanged if one is missing, which is reported when the value is read.
  [[nodiscard]] ConfigNode filled_in(ConfigNode node) const {
    try {
      if (node.kind == ConfigNode::Kind::kScalar) {
        node.text = interpolate(node.text, context_.variables);
      }
    } catch (const Error&) {
      return node;
    }
    return node;
  }

  static ConfigEntry translated(std::string_view name, Mark mark, ConfigNode value) {
    return {.key = std::string(name), .mark = mark, .value = std::move(value)};
  }

  [[nodiscard]] ConfigNode default_node(std::string_view name, Mark mark) const {
    return scalar(to_text(context_.index.find(name).front()->default_value), mark);
  }

  const ParseContext& context_;
};

std::string both_set(const std::string& one, const std::string& other, const std::string& option) {
  return formatted("'{}' and '{}' both say {}; leave one out", one, other, option);
}

// Translates the tree of one file, section by section.
class FileTranslator {
 public:
  explicit FileTranslator(const ParseContext& context) : context_(context), translator_(context) {}

  void translate(ConfigNode& root) {
    Entries kept;
    for (ConfigEntry& entry : root.entries) {
      if (entry.key == "sweep") {
        translate_sweep(entry.value);
      } else if (const TorchName* row = context_.index.torch_name_in_full(entry.key)) {
        note(*row, entry);
        continue;
      } else if (translate_section(entry)) {
        continue;
      }
      kept.push_back(std::move(entry));
    }
    root.entries = std::move(kept);
    for (const auto& [option, assigned] : assigned_) put(root, option, assigned);
  }

 private:
  struct Assigned {
    ConfigEntry entry;
    std::string written;
    int weight = 1;
    bool whole = true;  // the name covers the whole option, not one aspect of it
  };

  // Returns true if the section is empty afterwards and can be removed.
  bool translate_section(ConfigEntry& section) {
    Entries& entries = section.value.entries;
    std::erase_if(entries, [&](const ConfigEntry& entry) {
      const TorchName* row = context_.index.torch_name_in_full(full_name(section.key, entry.key));
      if (row != nullptr) note(*row, entry);
      return row != nullptr;
    });
    if (!context_.index.is_torch_section(section.key)) return false;
    using Kind = ConfigNode::Kind;
    if (section.value.kind != Kind::kMap && section.value.kind != Kind::kNull) {
      translator_.error(
          section, formatted("'{}' is a section: expected torch's arguments, found {}", section.key,
                             describe(section.value)));
      return true;
    }
    return entries.empty();
  }

  void note(const TorchName& row, const ConfigEntry& entry) {
    const Translation translated = translator_.translate(row, entry);
    for (const ConfigEntry& each : translated.entries) {
      settle(each.key, {each, std::string(row.name), translated.weight, row.takes_others});
    }
  }

  void settle(const std::string& option, Assigned assigned) {
    const auto [found, is_new] = assigned_.try_emplace(option, assigned);
    if (is_new) return;
    Assigned& earlier = found->second;
    const bool same = plain(earlier.entry.value) == plain(assigned.entry.value);
    if ((earlier.whole && assigned.whole) || (earlier.weight == assigned.weight && !same)) {
      translator_.error(assigned.entry, both_set(assigned.written, earlier.written, option));
    } else if (assigned.weight > earlier.weight) {
      earlier = std::move(assigned);
    }
  }

  void put(ConfigNode& root, const std::string& option, const Assigned& assigned) {
    const std::size_t dot = option.find('.');
    const std::string section = option.substr(0, dot);
    auto found = std::ranges::find(root.entries, section, &ConfigEntry::key);
    if (found == root.entries.end()) {
      root.entries.push_back({.key = section, .mark = assigned.entry.mark});
      found = std::prev(root.entries.end());
      found->value.mark = assigned.entry.value.mark;
    }
    if (found->value.kind == ConfigNode::Kind::kNull) found->value.kind = ConfigNode::Kind::kMap;
    if (found->value.kind != ConfigNode::Kind::kMap) return;  // reported when the section is read
    ConfigEntry ours = assigned.entry;
    ours.key = option.substr(dot + 1);
    const auto own = std::ranges::find(found->value.entries, ours.key, &ConfigEntry::key);
    if (own == found->value.entries.end()) {
      found->value.entries.push_back(std::move(ours));
    } else if (assigned.whole || (assigned.weight > 0 && plain(own->value) != plain(ours.value))) {
      translator_.error(assigned.entry, both_set(assigned.written, option, option));
    }
  }

  void translate_sweep(ConfigNode& sweep) {
    for (std::size_t i = 0; i < sweep.entries.size(); ++i) {
      const std::string part = sweep.entries[i].key;
      Entries zipped;  // entries that move to a zip
      for (ConfigNode& item : sweep.entries[i].value.items) translate_axes(item, nullptr);
      translate_axes(sweep.entries[i].value, part == "matrix" ? &zipped : nullptr);
      if (zipped.empty()) continue;
      if (sweep.find("zip") != nullptr) {
        translator_.error(zipped.front(),
                          formatted("'{}' and '{}' vary together: name both in `zip`",
                                    zipped.front().key, zipped.back().key));
        continue;
      }
      ConfigEntry zip{.key = "zip", .mark = zipped.front().mark};
      zip.value.kind = ConfigNode::Kind::kMap;
      zip.value.mark = zipped.front().mark;
      zip.value.entries = std::move(zipped);
      const bool only_zip = sweep.entries[i].value.entries.empty();
      if (only_zip) {
        sweep.entries[i] = std::move(zip);
      } else {
        sweep.entries.push_back(std::move(zip));
      }
    }
  }

  void translate_axes(ConfigNode& map, Entries* zipped) {
    Entries kept;
    std::map<std::string, std::string> written;  // key: option
    for (ConfigEntry& entry : map.entries) {
      std::optional<Entries> axes = translate_torch_axis(entry, context_);
      if (!axes) {
        const bool full = !context_.index.find(entry.key).empty();
        const std::vector<std::string> meant =
            full ? std::vector{entry.key} : context_.index.meant(entry.key);
        if (meant.size() == 1) written.emplace(meant.front(), entry.key);
        kept.push_back(std::move(entry));
        continue;
      }
      const bool together =
          zipped != nullptr && axes->size() > 1 && std::ranges::count_if(*axes, varies) > 1;
      for (ConfigEntry& axis : *axes) {
        const auto [other, is_new] = written.emplace(axis.key, entry.key);
        if (!is_new) translator_.error(entry, both_set(entry.key, other->second, axis.key));
        if (!together && axes->size() > 1 && zipped != nullptr && !varies(axis) &&
            !axis.value.items.empty()) {
          axis.value.items.resize(1);
        }
        (together ? *zipped : kept).push_back(std::move(axis));
      }
    }
    map.entries = std::move(kept);
  }

  const ParseContext& context_;
  Translator translator_;
  std::map<std::string, Assigned> assigned_;  // key: option
};

ConfigNode node_of(const std::string& text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return scalar(text, {0, 0});
  try {
    return parse_yaml(text, "");
  } catch (const ConfigError&) {
    return scalar(text, {0, 0});
  }
}

// True if the file's setting is one of the row's own values.
bool is_already_set(const TorchName& row, const Settings& settings) {
  const auto now = settings.options.find(row.ours.front());
  return now != settings.options.end() &&
         std::ranges::any_of(row.values, [&](const TorchValue& value) {
           return value.weight > 0 && value.ours == to_text(now->second.value);
         });
}

}  // namespace

std::string place_of_section(std::string_view section, const ConfigNode& root,
                             std::span<const std::string> set, const ParseContext& context) {
  for (const std::string& each : set) {
    const TorchName* row = context.index.torch_name(each.substr(0, each.find('=')));
    if (row != nullptr && is_of(section, *row)) return "--set " + std::string(row->name);
  }
  const ConfigEntry* found = root.find(section);
  return found != nullptr && context.index.is_torch_section(section)
             ? place(context.source, found->mark)
             : "";
}

void translate_torch_options(ConfigNode& root, const ParseContext& context) {
  FileTranslator(context).translate(root);
}

bool varies(const ConfigEntry& axis) {
  const auto& items = axis.value.items;
  return std::ranges::any_of(
      items, [&](const ConfigNode& each) { return plain(each) != plain(items.front()); });
}

std::optional<Entries> translate_torch_axis(const ConfigEntry& entry, const ParseContext& context) {
  const TorchName* row = context.index.torch_name(entry.key);
  if (row == nullptr) return std::nullopt;
  return Translator(context).translate_axis(*row, entry);
}

std::vector<std::string> translate_torch_settings(std::span<const std::string> set,
                                                  const Settings& before,
                                                  const ParseContext& context) {
  std::vector<std::string> ours;
  for (const std::string& each : set) {
    const std::size_t equals = std::min(each.find('='), each.size());
    const std::string name = each.substr(0, equals);
    const TorchName* row = equals < each.size() ? context.index.torch_name(name) : nullptr;
    if (row == nullptr) {
      ours.push_back(each);
      continue;
    }
    const std::string source = "--set " + name;
    const ParseContext here{source, context.index, context.variables, context.errors};
    const Translation translated = Translator(here).translate(
        *row, {.key = name, .mark = {0, 0}, .value = node_of(each.substr(equals + 1))});
    if (translated.weight == 0 && !is_already_set(*row, before)) continue;
    for (const ConfigEntry& entry : translated.entries) {
      ours.push_back(entry.key + '=' + entry.value.text);
    }
  }
  return ours;
}

}  // namespace stepbench::plan
