// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/option_index.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/catalogue/validate.h"
#include "harness/text/names.h"
#include "harness/text/words.h"

namespace stepbench::plan {
namespace {

// Options whose last part alone means another option: the model's precision, the steps of timed
// launches.
constexpr std::array<std::string_view, 3> kNeedSection = {"profile.active", "profile.warmup",
                                                          "schedule.precision"};

}  // namespace

std::string full_name(std::string_view section, std::string_view option) {
  return section.empty() ? std::string(option) : std::string(section) + "." + std::string(option);
}

bool is_harness_section(std::string_view section) {
  static const std::vector<Section> sections = harness_sections();
  return std::any_of(sections.begin(), sections.end(),
                     [&](const Section& candidate) { return candidate.name == section; });
}

OptionIndex::OptionIndex(const Catalogue& catalogue) : catalogue_(catalogue) {
  open_.doc = "a text";
  open_list_ = {&open_};
  for (const Section& section : catalogue.sections) {
    for (const Option& option : section.options) {
      options_[full_name(section.name, option.name)].push_back(&option);
    }
    for (const Variant& variant : section.variants) {
      for (const Option& option : variant.options) {
        options_[full_name(section.name, option.name)].push_back(&option);
      }
    }
  }
  if (const Option* workload = catalogue.find_option("workload")) workload_ = *workload;
  workload_.type = OptionType::kEnum;
  for (const WorkloadSpec& workload : catalogue.workloads)
    workload_.choices.push_back(workload.name);
  options_["workload"] = {&workload_};
  for (const auto& [name, declarations] : options_) {
    names_.push_back(name);
    if (std::ranges::find(kNeedSection, name) == kNeedSection.end()) short_names_.push_back(name);
  }
  add_torch_names();
}

std::span<const Option* const> OptionIndex::find(std::string_view full_name) const {
  if (const auto found = options_.find(full_name); found != options_.end()) return found->second;
  const std::size_t dot = full_name.find('.');
  if (dot == std::string_view::npos || dot + 1 == full_name.size()) return {};
  const Section* section = catalogue_.find_section(full_name.substr(0, dot));
  if (section == nullptr || !section->open) return {};
  return open_list_;
}

void OptionIndex::add_torch_names() {
  for (const catalogue::TorchName& row : catalogue::torch_names()) {
    const bool ours = std::ranges::all_of(
        row.ours, [&](std::string_view option) { return options_.find(option) != options_.end(); });
    const std::string_view section = row.name.substr(0, row.name.find('.'));
    // Sections that only torch has are accepted in catalogues with a model.
    const bool own = catalogue_.find_section(section) != nullptr;
    const bool read = !row.ours.empty() || own || options_.contains("model.precision");
    if (ours && read) torch_.emplace(row.name, &row);
  }
}

const catalogue::TorchName* OptionIndex::torch_name_in_full(std::string_view name) const {
  const auto found = torch_.find(name);
  return found == torch_.end() ? nullptr : found->second;
}

const catalogue::TorchName* OptionIndex::torch_name(std::string_view name) const {
  if (!find(name).empty() || torch_.contains(name)) return torch_name_in_full(name);
  const std::vector<std::string> ours = meant_of_ours(name);
  if (!ours.empty()) return ours.size() == 1 ? torch_name_in_full(ours.front()) : nullptr;
  const std::string end = '.' + std::string(name);
  const auto ends = [&](const auto& row) { return row.first.ends_with(end); };
  const auto found = std::ranges::find_if(torch_, ends);
  return std::ranges::count_if(torch_, ends) == 1 ? found->second : nullptr;
}

bool OptionIndex::is_torch_section(std::string_view name) const {
  const auto first = torch_.lower_bound(std::string(name) + '.');
  return catalogue_.find_section(name) == nullptr && first != torch_.end() &&
         first->first.starts_with(std::string(name) + '.');
}

std::vector<std::string> OptionIndex::meant_of_ours(std::string_view name) const {
  const std::vector<std::string> meant = text::matching_names(name, short_names_);
  return meant.empty() ? text::matching_names(name, names_) : meant;
}

std::vector<std::string> OptionIndex::meant(std::string_view name) const {
  const std::vector<std::string> ours = meant_of_ours(name);
  const catalogue::TorchName* torch = ours.empty() ? torch_name(name) : nullptr;
  if (torch == nullptr) return ours;
  return {torch->ours.begin(), torch->ours.end()};
}

std::string OptionIndex::resolve(std::string_view name) const {
  if (!find(name).empty()) return std::string(name);
  const std::vector<std::string> found = meant(name);
  if (found.empty()) throw Error(unknown(name));
  return text::resolve_name(name, found);
}

std::vector<std::string> OptionIndex::called(std::string_view name) const {
  const std::string_view last = name.substr(name.find('.') + 1);
  std::vector<std::string> found;
  for (const auto& [full, declarations] : options_) {
    const bool is_called =
        std::any_of(declarations.begin(), declarations.end(), [&](const Option* option) {
          return std::any_of(
              option->also_called.begin(), option->also_called.end(),
              [&](const std::string& word) { return text::edit_distance(word, last) == 0; });
        });
    if (is_called) found.push_back(full);
  }
  return found;
}

std::string OptionIndex::same_word(std::string_view section, std::string_view key) const {
  const std::string prefix = std::string(section) + '.';
  const auto is_of_section = [&](const std::string& full) {
    return section.empty() ? full.find('.') == std::string::npos : full.starts_with(prefix);
  };
  for (const std::string& full : called(key)) {
    if (is_of_section(full)) return full;
  }
  const Section* known = section.empty() ? nullptr : catalogue_.find_section(section);
  if (known != nullptr && !known->selector.empty() && (key == "name" || key == "type")) {
    return prefix + known->selector;
  }
  const std::string end = '_' + std::string(key);
  for (const std::string& full : names_) {
    if (is_of_section(full) && full.ends_with(end)) return full;
  }
  const std::vector<std::string> others = meant(key);
  return others.empty() ? std::string() : others.front();
}

std::string OptionIndex::similar_in(std::string_view section, std::string_view key) const {
  const std::string prefix = std::string(section) + '.';
  std::vector<std::string> keys;
  for (const std::string& full : names_) {
    if (full.starts_with(prefix)) keys.push_back(full.substr(prefix.size()));
  }
  const std::string similar = text::nearest(key, keys);
  return similar.empty() ? similar : prefix + similar;
}

std::string OptionIndex::elsewhere(std::string_view name) const {
  const std::size_t dot = name.find('.');
  const bool at_top = dot == std::string_view::npos;
  const Section* section = catalogue_.find_section(at_top ? "" : name.substr(0, dot));
  if (section == nullptr) return {};
  for (const auto& [theirs, where] : section->elsewhere) {
    if (theirs == name.substr(at_top ? 0 : dot + 1)) return "; " + where;
  }
  return {};
}

std::string OptionIndex::unknown(std::string_view name) const {
  if (const std::string removal_note = text::removed(name); !removal_note.empty()) {
    return formatted("option '{}': {}", name, removal_note);
  }
  if (const std::string where = elsewhere(name); !where.empty()) {
    return formatted("unknown option '{}'{}", name, where);
  }
  const std::size_t dot = name.find('.');
  const std::string_view section = dot == std::string_view::npos ? "" : name.substr(0, dot);
  const std::string_view key = dot == std::string_view::npos ? name : name.substr(dot + 1);
  std::string similar = same_word(section, key);
  const bool known = dot != std::string_view::npos && catalogue_.find_section(section) != nullptr;
  if (known) {
    if (similar.empty()) similar = similar_in(section, key);
  } else {
    if (const auto ours = called(key); similar.empty() && !ours.empty()) similar = ours.front();
    if (similar.empty()) similar = text::nearest_name(name, short_names_);
    if (similar.empty()) similar = text::nearest_name(name, names_);
  }
  return formatted("unknown option '{}'{}", name,
                   !similar.empty() ? text::did_you_mean(similar)
                   : known          ? formatted("; `stepbench list {}` shows its section", section)
                                    : "; `stepbench list` shows all");
}

namespace {

template <typename Number>
std::optional<Number> whole_text_as(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// True for numbers beyond the range of double: "1e309".
bool is_too_large(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc::result_out_of_range && end == text.data() + text.size();
}

// 8.0 is the whole number 8.
std::optional<std::int64_t> as_whole(double number) {
  constexpr double kLast = 9007199254740992;  // doubles are exact integers up to here
  if (number != std::floor(number) || std::abs(number) > kLast) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<bool> as_bool(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

bool is_text(OptionType type) {
  return type == OptionType::kString || type == OptionType::kEnum || type == OptionType::kPath;
}

// Parses the text as a value of this type; returns the text itself if that fails.
Value read(const Option& option, std::string_view text, bool quoted) {
  if (quoted || is_text(option.type)) return std::string(text);
  if (option.type == OptionType::kBool) {
    if (const auto flag = as_bool(text)) return *flag;
  } else if (option.type == OptionType::kInteger) {
    if (const auto number = whole_text_as<std::int64_t>(text)) return *number;
    if (const auto number = whole_text_as<double>(text)) {
      if (const auto whole = as_whole(*number)) return *whole;
      return *number;
    }
  } else if (const auto number = whole_text_as<double>(text)) {
    return *number;
  }
  return std::string(text);
}

std::string hint(const Option& option, std::string_view text, bool quoted) {
  const bool wants_text = is_text(option.type);
  if (quoted && !wants_text) {
    const Value unquoted = read(option, text, false);
    if (!catalogue::check_value(option, unquoted)) return "; remove the quotes";
  }
  const bool digits = text.find_first_not_of("0123456789_-") == std::string_view::npos;
  if (option.type == OptionType::kInteger && digits && text.find('_') != std::string_view::npos) {
    return "; write it without '_'";
  }
  if (option.type == OptionType::kInteger && digits && text.find('-', 1) < text.size() - 1) {
    return formatted("; several values are a sweep: `--sweep {}={},...,{}`", option.name,
                     text.substr(0, text.find('-', 1)), text.substr(text.find('-', 1) + 1));
  }
  if (option.type == OptionType::kBool && (text == "yes" || text == "on")) return "; write true";
  if (option.type == OptionType::kBool && (text == "no" || text == "off")) return "; write false";
  return {};
}

}  // namespace

Value parse_value(const Option& option, std::string_view text, bool quoted) {
  Value value = read(option, text, quoted);
  if (const auto mistake = catalogue::check_value(option, value)) {
    if (!quoted && !is_text(option.type) && is_too_large(text)) {
      throw Error(formatted("'{}' is too large for a number; expected {}", text,
                            catalogue::expectation(option)));
    }
    throw Error(*mistake + hint(option, text, quoted));
  }
  return value;
}

Value parse_value(std::span<const Option* const> options, std::string_view text, bool quoted) {
  for (std::size_t i = 0; i + 1 < options.size(); ++i) {
    Value value = read(*options[i], text, quoted);
    if (!catalogue::check_value(*options[i], value)) return value;
  }
  return parse_value(*options.back(), text, quoted);
}

std::optional<std::string> identity_text(std::string_view name, const Value& value,
                                         const Value& identity_default) {
  if (is_null(value) || value == identity_default) return std::nullopt;
  std::string text = to_text(value);
  if (name == "device") text.resize(std::min(text.size(), text.find(':')));
  return text;
}

}  // namespace stepbench::plan
