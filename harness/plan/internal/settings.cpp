// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/internal/settings.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/catalogue/torch_names.h"
#include "harness/catalogue/validate.h"
#include "harness/os/files.h"
#include "harness/plan/option_index.h"
#include "harness/plan/yaml_document.h"
#include "harness/text/names.h"
#include "harness/text/words.h"

namespace stepbench::plan {
namespace {

std::vector<std::string> section_keys(const Catalogue& catalogue, const std::string& name) {
  std::vector<std::string> keys;
  const Section* section = catalogue.find_section(name);
  const auto add = [&](const std::vector<Option>& options) {
    for (const Option& option : options) {
      if (std::find(keys.begin(), keys.end(), option.name) == keys.end()) {
        keys.push_back(option.name);
      }
    }
  };
  add(section->options);
  for (const Variant& variant : section->variants) add(variant.options);
  return keys;
}

std::vector<std::string> top_level_keys(const Catalogue& catalogue) {
  std::vector<std::string> keys = section_keys(catalogue, "");
  for (const Section& section : catalogue.sections) {
    if (!section.name.empty()) keys.push_back(section.name);
  }
  keys.emplace_back("sweep");
  return keys;
}

std::string known_keys(const std::vector<std::string>& keys) {
  return keys.empty() ? "it has no keys" : "known keys: " + text::join(keys);
}

// "'launches' at the top level", "'model.precision'"
std::string with_section(const std::string& full) {
  return full.find('.') == std::string::npos ? formatted("'{}' at the top level", full)
                                             : "'" + full + "'";
}

// The section's selector if `value` names a variant, as in `name: resnet18`.
std::string selector_for(const ConfigNode& value, const std::string& section,
                         const OptionIndex& index) {
  const Section* in = index.catalogue().find_section(section);
  if (in == nullptr || in->selector.empty()) return {};
  const bool is_one = std::ranges::any_of(in->variants, [&](const Variant& variant) {
    return text::edit_distance(variant.name, value.text) == 0;
  });
  return is_one ? in->selector : std::string();
}

// Suggests, in order: the selector if the value names a variant, the same word, similar spellings.
std::string unknown_key(const ConfigEntry& entry, const std::string& key,
                        const std::string& section, const std::vector<std::string>& keys,
                        const OptionIndex& index) {
  const std::string prefix = section.empty() ? "" : section + '.';
  if (const std::string removal_note = text::removed(prefix + key); !removal_note.empty()) {
    return formatted("key '{}{}': {}", prefix, key, removal_note);
  }
  std::string text = formatted("unknown key '{}'", key);
  text += section.empty() ? " at the top level" : formatted(" in section '{}'", section);
  if (const std::string where = index.elsewhere(prefix + key); !where.empty()) return text + where;
  if (const std::string selector = selector_for(entry.value, section, index); !selector.empty()) {
    return text + text::did_you_mean(selector);
  }
  if (const std::string full = index.same_word(section, key); !full.empty()) {
    if (!section.empty() && full.starts_with(prefix)) {
      return text + text::did_you_mean(full.substr(prefix.size()));
    }
    return formatted("{} (did you mean {}?)", text, with_section(full));
  }
  if (const auto ours = index.called(key); section.empty() && !ours.empty()) {
    return formatted("{} (did you mean {}?)", text, with_section(ours.front()));
  }
  std::vector<std::string> similar_keys = keys;
  for (const catalogue::TorchName& each : catalogue::torch_names()) {
    const std::string_view name = each.name;
    const bool is_of_section =
        name.starts_with(prefix) && name.find('.', prefix.size()) == name.npos;
    if (is_of_section && index.torch_name_in_full(name) != nullptr) {
      similar_keys.emplace_back(name.substr(prefix.size()));
    }
  }
  const std::string similar = text::nearest(key, similar_keys);
  if (!similar.empty()) return text + text::did_you_mean(similar);
  if (section.empty()) {
    for (const std::string& known : keys) {
      if (key.ends_with(known)) return text + text::did_you_mean(known);
    }
  }
  return text + "; " + known_keys(keys);
}

bool is_group(const std::string& key, const std::string& section, const Catalogue& catalogue) {
  const std::vector<std::string> keys = section_keys(catalogue, section);
  return std::any_of(keys.begin(), keys.end(),
                     [&](const std::string& known) { return known.starts_with(key + '.'); });
}

bool is_variable(const std::string& name) {
  return !name.empty() && name.find('=') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

bool is_path(std::span<const Option* const> declarations) {
  return declarations.front()->type == OptionType::kPath;
}

// `key`: relative to its section. An option named "margin.step" is written as `margin: {step:
// ...}`.
void read_entry(const ConfigEntry& entry, const std::string& key, const std::string& section,
                const ParseContext& context, Settings& settings) {
  const Catalogue& catalogue = context.index.catalogue();
  if (entry.value.kind == ConfigNode::Kind::kMap && is_group(key, section, catalogue)) {
    for (const ConfigEntry& inner : entry.value.entries) {
      read_entry(inner, key + '.' + inner.key, section, context, settings);
    }
    return;
  }
  const std::string name = full_name(section, key);
  if (catalogue.find_section(section)->open && !is_variable(key)) {
    context.errors.add(place(context.source, entry.mark),
                       formatted("'{}' cannot be the name of an environment variable: it is empty "
                                 "or holds '=' or a zero byte",
                                 key));
    return;
  }
  const auto declarations = context.index.find(name);
  if (declarations.empty()) {
    context.errors.add(
        place(context.source, entry.mark),
        unknown_key(entry, key, section, section_keys(catalogue, section), context.index));
    return;
  }
  const auto value = read_option_value(name, declarations, entry.value, context);
  if (value) settings.options[name] = {*value, place(context.source, entry.value.mark)};
}

void read_section(const ConfigEntry& entry, const Section& section, const ParseContext& context,
                  Settings& settings) {
  settings.sections[section.name] = place(context.source, entry.mark);
  if (entry.value.kind == ConfigNode::Kind::kNull) return;
  if (entry.value.kind != ConfigNode::Kind::kMap) {
    context.errors.add(
        place(context.source, entry.value.mark),
        formatted("'{}' is a section: expected keys, as in `{}: {{key: value}}`, found {}",
                  section.name, section.name, describe(entry.value)));
    return;
  }
  for (const ConfigEntry& option : entry.value.entries) {
    read_entry(option, option.key, section.name, context, settings);
  }
}

struct Assignment {
  std::string name;
  std::string text;
};

Assignment split_assignment(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigError("--set " + argument, "expected KEY=VALUE, as in --set loader.num_workers=4");
  }
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

// Suggests a sweep for a list of individually valid values.
std::string sweep_hint(const Assignment& assignment, const OptionIndex& index) {
  const std::vector<std::string> meant = index.meant(assignment.name);
  std::string text = assignment.text;
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  if (meant.size() != 1 || text.find(',') == std::string::npos) return {};
  std::vector<std::string> values;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::size_t first = std::min(text.find_first_not_of(' ', start), end);
    values.push_back(text.substr(first, end - first));
    start = end + 1;
  }
  const bool all_values_valid =
      std::all_of(values.begin(), values.end(), [&](const std::string& value) {
        try {
          (void)parse_value(index.find(meant.front()), value, false);
          return true;
        } catch (const Error&) {
          return false;
        }
      });
  return all_values_valid ? formatted("; to measure each of them: --sweep {}={}", assignment.name,
                                      text::join(values, ","))
                          : "";
}

constexpr std::size_t kMaxErrorsShown = 20;

// True for options with "null" among their choices, like any keyword.
constexpr const char* kNullWord = "null";
bool takes_null(std::span<const Option* const> declarations) {
  return std::ranges::any_of(declarations, [](const Option* option) {
    return std::ranges::find(option->choices, kNullWord) != option->choices.end();
  });
}

struct ShortSchedule {
  std::int64_t launches;
  std::int64_t warmup;
  std::int64_t active;
};

void apply_short(const ShortSchedule& given, const char* where, Settings& settings) {
  const std::pair<const char*, std::int64_t> all[] = {
      {"launches", given.launches},      {"schedule.wait", 0},   {"schedule.warmup", given.warmup},
      {"schedule.active", given.active}, {"schedule.repeat", 1}, {"schedule.skip_first", 0}};
  for (const auto& [name, value] : all) settings.options[name] = {value, where};
  for (const char* name : {"schedule.precision", "schedule.max_active", "schedule.window"})
    settings.options.erase(name);
}

}  // namespace

std::optional<Value> read_option_value(const std::string& name,
                                       std::span<const Option* const> declarations,
                                       const ConfigNode& node, const ParseContext& context) {
  const std::string where = place(context.source, node.mark);
  if (node.kind == ConfigNode::Kind::kNull && takes_null(declarations)) {
    return Value{std::string(kNullWord)};
  }
  if (node.kind != ConfigNode::Kind::kScalar) {
    std::string what = formatted("'{}': expected {}, found {}", name,
                                 catalogue::expectation(*declarations.front()), describe(node));
    if (node.kind == ConfigNode::Kind::kList) {
      what += formatted("; to vary it write `sweep: {{matrix: {{{}: [...]}}}}`", name);
    }
    context.errors.add(where, what);
    return std::nullopt;
  }
  try {
    if (node.text.find('\0') != std::string::npos) throw Error("a value cannot hold a zero byte");
    const bool path = is_path(declarations);
    const std::string given = path ? expand_home(node.text, context.variables) : node.text;
    const std::string text = interpolate(given, context.variables);
    return parse_value(declarations, text, node.quoted);
  } catch (const Error& error) {
    context.errors.add(where, formatted("'{}': {}", name, error.what()));
    return std::nullopt;
  }
}

Settings read_settings(const ConfigNode& root, const ParseContext& context) {
  if (root.kind == ConfigNode::Kind::kNull) {
    throw ConfigError(place(context.source, {}), "is empty; expected at least `workload: NAME`");
  }
  if (root.kind != ConfigNode::Kind::kMap) {
    throw ConfigError(place(context.source, root.mark),
                      "expected keys such as `workload: NAME`, found " + describe(root));
  }
  const Catalogue& catalogue = context.index.catalogue();
  Settings settings;
  for (const ConfigEntry& entry : root.entries) {
    if (entry.key == "sweep") continue;
    const Section* section = entry.key.empty() ? nullptr : catalogue.find_section(entry.key);
    const auto declarations = context.index.find(entry.key);
    if (section != nullptr) {
      read_section(entry, *section, context, settings);
    } else if (!declarations.empty() && entry.key.find('.') == std::string::npos) {
      const auto value = read_option_value(entry.key, declarations, entry.value, context);
      if (value) settings.options[entry.key] = {*value, place(context.source, entry.value.mark)};
    } else if (!declarations.empty()) {
      const std::size_t dot = entry.key.find('.');
      context.errors.add(place(context.source, entry.mark),
                         formatted("'{}' stands inside its section: `{}: {{{}: ...}}`", entry.key,
                                   entry.key.substr(0, dot), entry.key.substr(dot + 1)));
    } else {
      context.errors.add(
          place(context.source, entry.mark),
          unknown_key(entry, entry.key, "", top_level_keys(catalogue), context.index));
    }
  }
  return settings;
}

void apply_set(std::span<const std::string> assignments, const ParseContext& context,
               Settings& settings) {
  for (const std::string& argument : assignments) {
    const Assignment assignment = split_assignment(argument);
    const std::string where = "--set " + assignment.name;
    try {
      const std::string name = context.index.resolve(assignment.name);
      const auto declarations = context.index.find(name);
      const std::string text =
          is_path(declarations) ? expand_home(assignment.text, context.variables) : assignment.text;
      Value value = parse_value(declarations, text, false);
      settings.options[name] = {std::move(value), where};
    } catch (const Error& error) {
      context.errors.add(where, error.what() + sweep_hint(assignment, context.index));
    }
  }
}

void check_path(const std::string& name, const Value& value, const std::string& where,
                const ParseContext& context) {
  const auto declarations = context.index.find(name);
  const Option& option = *declarations.front();
  const auto* path = std::get_if<std::string>(&value);
  if (!option.must_exist || path == nullptr) return;
  const std::string scheme = path->substr(0, std::min(path->find("//"), path->size()) + 2);
  if (const std::string removal_note = text::removed(scheme); !removal_note.empty()) {
    context.errors.add(where, scheme + ": " + removal_note);  // the rest may hold a secret
    return;
  }
  std::error_code error;
  if (std::filesystem::exists(*path, error)) return;
  const bool one_doc = std::all_of(declarations.begin(), declarations.end(),
                                   [&](const Option* other) { return other->doc == option.doc; });
  const std::string doc =
      one_doc
          ? option.doc
          : formatted("`stepbench list {}` says what each kind expects and which command makes one",
                      name);
  const bool braces = path->find('{') < path->find("..");  // "shard-{000000..000007}.tar"
  const std::string absent =
      formatted("no such file or folder: '{}' (seen from {}){}", *path,
                std::filesystem::current_path(error).string(),
                braces ? "; braces are not expanded to files here: give the folder that holds them"
                       : os::similar_file_hint(*path));
  const std::string why = os::why_absent(*path, absent);
  context.errors.add(
      where,
      formatted("{}; '{}': {}", why == absent ? why : formatted("'{}' {}", *path, why), name, doc));
}

void check_paths(const Settings& settings, const ParseContext& context) {
  for (const auto& [name, setting] : settings.options) {
    check_path(name, setting.value, setting.where, context);
  }
}

void apply_smoke(Settings& settings) {
  apply_short({.launches = 1, .warmup = 1, .active = 2}, "--smoke", settings);
}

void apply_quick(Settings& settings) {
  apply_short({.launches = 2, .warmup = 3, .active = 10}, "--quick", settings);
}

void ConfigErrors::add(std::string where, std::string what) {
  std::pair mistake(std::move(where), std::move(what));
  if (std::find(errors_.begin(), errors_.end(), mistake) == errors_.end()) {
    errors_.push_back(std::move(mistake));
  }
  if (errors_.size() >= kMaxErrorsShown) throw_if_any();
}

void ConfigErrors::throw_if_any() const {
  if (errors_.empty()) return;
  std::string what = errors_.front().second;
  for (std::size_t i = 1; i < errors_.size(); ++i) {
    what += formatted("\n{}: {}", errors_[i].first, errors_[i].second);
  }
  throw ConfigError(errors_.front().first, what);
}

}  // namespace stepbench::plan
