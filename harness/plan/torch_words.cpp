// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/torch_words.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <utility>

#include "harness/base/error.h"
#include "harness/catalogue/torch_names.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::plan {
namespace {

using catalogue::TorchName;
using catalogue::TorchValue;
using Entries = std::vector<ConfigEntry>;

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
  std::string text = lower(node.text);
  if (text.starts_with("torch.")) text.erase(0, 6);
  if (text == "none") return "null";
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return text;
  return text::short_number(number, 6);
}

// Our settings for one value of torch's; no entries: it matches the default behaviour.
struct Told {
  Entries entries = {};
  int weight = 1;
};

class Teller {
 public:
  explicit Teller(const ParseContext& context) : context_(context) {}

  Told tell(const TorchName& row, const ConfigEntry& entry) {
    const std::string text = plain(filled_in(entry.value));
    const auto value = std::ranges::find_if(
        row.values, [&](const TorchValue& each) { return lower(each.theirs) == text; });
    if (value != row.values.end()) {
      if (value->ours.empty()) return {};
      return {
          {told(row.ours.front(), entry.mark, scalar(std::string(value->ours), entry.value.mark))},
          value->weight};
    }
    if (!row.takes_others) {
      std::vector<std::string_view> taken;
      for (const TorchValue& each : row.values) {
        if (!each.theirs.empty()) taken.push_back(each.theirs);
      }
      error(entry, "'" + std::string(row.name) + "' takes " + text::join(taken, " or ") +
                       " here, found " + (text.empty() ? "''" : text) +
                       (row.instead.empty() ? "" : "; " + std::string(row.instead)));
      return {};
    }
    if (row.ours.size() == 1) return {{told(row.ours.front(), entry.mark, entry.value)}};
    if (entry.value.items.size() != row.ours.size()) {
      error(entry, "'" + std::string(row.name) + "': expected " + std::to_string(row.ours.size()) +
                       " values, as in [0.9, 0.999], found " + describe(entry.value));
      return {};
    }
    Told all;
    for (std::size_t i = 0; i < row.ours.size(); ++i) {
      all.entries.push_back(told(row.ours[i], entry.mark, entry.value.items[i]));
    }
    return all;
  }

  // Returns the swept values of each option.
  Entries tell_axis(const TorchName& row, const ConfigEntry& entry) {
    const bool lists = row.ours.size() > 1;
    const ConfigNode& value = entry.value;
    const bool several = value.kind == ConfigNode::Kind::kList && !value.items.empty() &&
                         (!lists || value.items.front().kind == ConfigNode::Kind::kList);
    const std::vector<ConfigNode> alternatives =
        several ? value.items : std::vector<ConfigNode>{value};
    if (row.ours.empty()) {
      error(entry, "'" + std::string(row.name) + "' cannot be varied" +
                       (row.instead.empty() ? "" : "; " + std::string(row.instead)));
      return {};
    }
    std::vector<std::vector<ConfigNode>> columns(row.ours.size());
    for (const ConfigNode& each : alternatives) {
      const Told told = tell(row, {.key = entry.key, .mark = entry.mark, .value = each});
      for (std::size_t i = 0; i < columns.size(); ++i) {
        columns[i].push_back(i < told.entries.size() ? told.entries[i].value
                                                     : default_node(row.ours[i], each.mark));
      }
    }
    Entries axis;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      axis.push_back(told(
          row.ours[i], entry.mark,
          several ? list_of(std::move(columns[i]), value.mark) : std::move(columns[i].front())));
    }
    return axis;
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

  static ConfigEntry told(std::string_view name, Mark mark, ConfigNode value) {
    return {.key = std::string(name), .mark = mark, .value = std::move(value)};
  }

  [[nodiscard]] ConfigNode default_node(std::string_view name, Mark mark) const {
    return scalar(to_text(context_.index.find(name).front()->default_value), mark);
  }

  const ParseContext& context_;
};

std::string both_set(const std::string& one, const std::string& other, const std::string& option) {
  return "'" + one + "' and '" + other + "' both say " + option + "; leave one out";
}

// Translates the tree of one file, section by section.
class FileTeller {
 public:
  explicit FileTeller(const ParseContext& context) : context_(context), teller_(context) {}

  void tell(ConfigNode& root) {
    Entries kept;
    for (ConfigEntry& entry : root.entries) {
      if (entry.key == "sweep") {
        tell_sweep(entry.value);
      } else if (const TorchName* row = context_.index.torch_name_in_full(entry.key)) {
        note(*row, entry);
        continue;
      } else if (tell_section(entry)) {
        continue;
      }
      kept.push_back(std::move(entry));
    }
    root.entries = std::move(kept);
    for (const auto& [option, said] : said_) put(root, option, said);
  }

 private:
  struct Said {
    ConfigEntry entry;
    std::string written;
    int weight = 1;
    bool whole = true;  // the name covers the whole option, not one aspect of it
  };

  // Returns true if the section is empty afterwards and can be removed.
  bool tell_section(ConfigEntry& section) {
    Entries& entries = section.value.entries;
    std::erase_if(entries, [&](const ConfigEntry& entry) {
      const TorchName* row = context_.index.torch_name_in_full(full_name(section.key, entry.key));
      if (row != nullptr) note(*row, entry);
      return row != nullptr;
    });
    return entries.empty() && context_.index.is_torch_section(section.key);
  }

  void note(const TorchName& row, const ConfigEntry& entry) {
    const Told told = teller_.tell(row, entry);
    for (const ConfigEntry& each : told.entries) {
      settle(each.key, {each, std::string(row.name), told.weight, row.takes_others});
    }
  }

  void settle(const std::string& option, Said said) {
    const auto [found, is_new] = said_.try_emplace(option, said);
    if (is_new) return;
    Said& earlier = found->second;
    const bool same = plain(earlier.entry.value) == plain(said.entry.value);
    if ((earlier.whole && said.whole) || (earlier.weight == said.weight && !same)) {
      teller_.error(said.entry, both_set(said.written, earlier.written, option));
    } else if (said.weight > earlier.weight) {
      earlier = std::move(said);
    }
  }

  void put(ConfigNode& root, const std::string& option, const Said& said) {
    const std::size_t dot = option.find('.');
    const std::string section = option.substr(0, dot);
    auto found = std::ranges::find(root.entries, section, &ConfigEntry::key);
    if (found == root.entries.end()) {
      root.entries.push_back({.key = section, .mark = said.entry.mark});
      found = std::prev(root.entries.end());
      found->value.mark = said.entry.value.mark;
    }
    if (found->value.kind == ConfigNode::Kind::kNull) found->value.kind = ConfigNode::Kind::kMap;
    if (found->value.kind != ConfigNode::Kind::kMap) return;  // reported when the section is read
    ConfigEntry ours = said.entry;
    ours.key = option.substr(dot + 1);
    const auto own = std::ranges::find(found->value.entries, ours.key, &ConfigEntry::key);
    if (own == found->value.entries.end()) {
      found->value.entries.push_back(std::move(ours));
    } else if (said.whole || (said.weight > 0 && plain(own->value) != plain(ours.value))) {
      teller_.error(said.entry, both_set(said.written, option, option));
    }
  }

  void tell_sweep(ConfigNode& sweep) {
    for (std::size_t i = 0; i < sweep.entries.size(); ++i) {
      const std::string part = sweep.entries[i].key;
      Entries apart;  // entries that move to a zip
      for (ConfigNode& item : sweep.entries[i].value.items) tell_axes(item, nullptr);
      tell_axes(sweep.entries[i].value, part == "matrix" ? &apart : nullptr);
      if (apart.empty()) continue;
      if (sweep.find("zip") != nullptr) {
        teller_.error(apart.front(), "'" + apart.front().key + "' and '" + apart.back().key +
                                         "' vary together: name both in `zip`");
        continue;
      }
      ConfigEntry zip{.key = "zip", .mark = apart.front().mark};
      zip.value.kind = ConfigNode::Kind::kMap;
      zip.value.mark = apart.front().mark;
      zip.value.entries = std::move(apart);
      const bool alone = sweep.entries[i].value.entries.empty();
      if (alone) {
        sweep.entries[i] = std::move(zip);
      } else {
        sweep.entries.push_back(std::move(zip));
      }
    }
  }

  void tell_axes(ConfigNode& map, Entries* apart) {
    Entries kept;
    std::map<std::string, std::string> written;  // key: option
    for (ConfigEntry& entry : map.entries) {
      std::optional<Entries> axes = axis_in_our_words(entry, context_);
      if (!axes) {
        const bool full = !context_.index.find(entry.key).empty();
        const std::vector<std::string> meant =
            full ? std::vector{entry.key} : context_.index.meant(entry.key);
        if (meant.size() == 1) written.emplace(meant.front(), entry.key);
        kept.push_back(std::move(entry));
        continue;
      }
      const bool together =
          apart != nullptr && axes->size() > 1 && std::ranges::count_if(*axes, varies) > 1;
      for (ConfigEntry& axis : *axes) {
        const auto [other, is_new] = written.emplace(axis.key, entry.key);
        if (!is_new) teller_.error(entry, both_set(entry.key, other->second, axis.key));
        if (!together && axes->size() > 1 && apart != nullptr && !varies(axis) &&
            !axis.value.items.empty()) {
          axis.value.items.resize(1);
        }
        (together ? *apart : kept).push_back(std::move(axis));
      }
    }
    map.entries = std::move(kept);
  }

  const ParseContext& context_;
  Teller teller_;
  std::map<std::string, Said> said_;  // key: option
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
bool is_said(const TorchName& row, const Settings& settings) {
  const auto now = settings.options.find(row.ours.front());
  return now != settings.options.end() &&
         std::ranges::any_of(row.values, [&](const TorchValue& value) {
           return value.weight > 0 && value.ours == to_text(now->second.value);
         });
}

}  // namespace

void say_in_our_words(ConfigNode& root, const ParseContext& context) {
  FileTeller(context).tell(root);
}

bool varies(const ConfigEntry& axis) {
  const auto& items = axis.value.items;
  return std::ranges::any_of(
      items, [&](const ConfigNode& each) { return plain(each) != plain(items.front()); });
}

std::optional<Entries> axis_in_our_words(const ConfigEntry& entry, const ParseContext& context) {
  const TorchName* row = context.index.torch_name(entry.key);
  if (row == nullptr) return std::nullopt;
  return Teller(context).tell_axis(*row, entry);
}

std::vector<std::string> set_in_our_words(std::span<const std::string> set, const Settings& before,
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
    const Told told = Teller(here).tell(
        *row, {.key = name, .mark = {0, 0}, .value = node_of(each.substr(equals + 1))});
    if (told.weight == 0 && !is_said(*row, before)) continue;
    for (const ConfigEntry& entry : told.entries) {
      ours.push_back(entry.key + '=' + entry.value.text);
    }
  }
  return ours;
}

}  // namespace stepbench::plan
