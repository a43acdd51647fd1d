// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/validate.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <regex>
#include <set>

#include "harness/base/format.h"
#include "harness/base/limits.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::catalogue {
namespace {

bool is_name(const std::string& name) {
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
  });
}

// Accepts "margin.step": an option of a group inside its section.
bool is_option_name(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return is_name(name);
  return is_name(name.substr(0, dot)) && is_name(name.substr(dot + 1));
}

class Validator {
 public:
  Validator(const Catalogue& catalogue, std::span<const Metric> taken)
      : catalogue_(catalogue), taken_(taken) {}

  std::vector<std::string> run() {
    names("section", catalogue_.sections);
    names("workload", catalogue_.workloads);
    for (const Section& section : catalogue_.sections) check(section);
    for (const WorkloadSpec& workload : catalogue_.workloads) check(workload);
    return std::move(mistakes_);
  }

 private:
  void add(const std::string& mistake) { mistakes_.push_back(mistake); }

  template <typename Range>
  void names(const std::string& what, const Range& range) {
    std::set<std::string> seen;
    for (const auto& entry : range) {
      const bool top_level = what == "section" && entry.name.empty();
      const bool good =
          what.starts_with("option") ? is_option_name(entry.name) : is_name(entry.name);
      if (!top_level && !good) {
        add(formatted("{} '{}': a name is lower-case letters, digits and '_'", what, entry.name));
      }
      if (!seen.insert(entry.name).second)
        add(formatted("{} '{}' is declared twice", what, entry.name));
    }
  }

  void check(const Section& section) {
    const std::string prefix = section.name.empty() ? "" : section.name + ".";
    names(formatted("option of section '{}'", section.name), section.options);
    names(formatted("variant of section '{}'", section.name), section.variants);
    for (const Option& option : section.options) {
      check(option, prefix + option.name);
      check_default_in(section, option);
    }
    for (const Variant& variant : section.variants) {
      std::vector<Option> all = section.options;
      all.insert(all.end(), variant.options.begin(), variant.options.end());
      names(formatted("option of {}{}", prefix, variant.name), all);
      for (const Option& option : variant.options) check(option, prefix + option.name);
    }
    if (section.selector.empty() != section.variants.empty()) {
      add(formatted("section '{}': selector and variants come together", section.name));
    }
    if (!section.selector.empty()) check_selector(section);
  }

  void check_default_in(const Section& section, const Option& option) {
    const std::string name = formatted("{}.{}: default", section.name, option.name);
    for (const auto& [variant, value] : option.default_in) {
      check_default(option, value, name + " in " + variant);
      if (std::ranges::find(section.variants, variant, &Variant::name) == section.variants.end()) {
        add(formatted("{} in the unknown variant '{}'", name, variant));
      }
    }
  }

  void check_selector(const Section& section) {
    const auto selector = std::find_if(section.options.begin(), section.options.end(),
                                       [&](const Option& o) { return o.name == section.selector; });
    if (selector == section.options.end() || selector->type != OptionType::kEnum) {
      add(formatted("section '{}': its selector '{}' must be an option of type enum", section.name,
                    section.selector));
      return;
    }
    std::set<std::string> variants;
    for (const Variant& variant : section.variants) variants.insert(variant.name);
    if (variants != std::set<std::string>(selector->choices.begin(), selector->choices.end())) {
      add(formatted("section '{}': the choices of '{}' must be its variants", section.name,
                    section.selector));
    }
  }

  void check(const Option& option, const std::string& name) {
    if (option.doc.empty()) add(name + ": has no doc");
    if (option.min > option.max) add(name + ": min is above max");
    if (option.type == OptionType::kEnum && option.choices.empty()) add(name + ": has no choices");
    if (option.type == OptionType::kPath && option.identity == Identity::kKey) {
      add(name +
          ": a path differs from machine to machine and cannot be part of a case's identity");
    }
    if (!check_pattern(option, name)) return;
    check_default(option, option.default_value, name + ": default");
    if (option.identity == Identity::kKey) {
      check_default(option, option.identity_default, name + ": identity_default");
    }
    if (option.required && !is_null(option.default_value)) {
      add(name + ": is required and has a default");
    }
    if (option.requires_ && catalogue_.find_option(option.requires_->option) == nullptr) {
      add(formatted("{}: requires the unknown option '{}'", name, option.requires_->option));
    }
  }

  bool check_pattern(const Option& option, const std::string& name) {
    try {
      const std::regex compiled(option.pattern);
      return true;
    } catch (const std::regex_error&) {
      add(formatted("{}: the pattern '{}' is not a regular expression", name, option.pattern));
      return false;
    }
  }

  void check_default(const Option& option, const Value& value, const std::string& what) {
    if (is_null(value)) return;
    if (const auto mistake = check_value(option, value)) add(what + ": " + *mistake);
  }

  void check(const WorkloadSpec& workload) {
    for (const std::string& section : workload.sections) {
      if (catalogue_.find_section(section) == nullptr) {
        add(formatted("workload '{}': reads the unknown section '{}'", workload.name, section));
      }
    }
    if (workload.phases.size() > kMaxDeclaredPhases) {
      add(formatted("workload '{}': declares more than {} phases", workload.name,
                    kMaxDeclaredPhases));
    }
    std::vector<Phase> phases = built_in_phases();
    phases.insert(phases.end(), workload.phases.begin(), workload.phases.end());
    names(formatted("phase of workload '{}'", workload.name), phases);
    std::vector<Metric> metrics(taken_.begin(), taken_.end());
    metrics.insert(metrics.end(), workload.metrics.begin(), workload.metrics.end());
    names(formatted("metric of workload '{}'", workload.name), metrics);
  }

  const Catalogue& catalogue_;
  std::span<const Metric> taken_;
  std::vector<std::string> mistakes_;
};

}  // namespace

std::vector<std::string> validate(const Catalogue& catalogue, std::span<const Metric> taken) {
  return Validator(catalogue, taken).run();
}

namespace {

// Limit, because std::regex recurses once per character.
constexpr std::size_t kMaxTextLength = 4096;

// Formats for people: 4096, 1,000,000,000, 0.001.
std::string bound_text(double bound) {
  constexpr double kFirstWithSeparators = 10'000;
  constexpr double kLastWhole = 9e15;
  const bool whole = bound == std::floor(bound) && std::abs(bound) < kLastWhole;
  if (!whole) return to_text(Value(bound));
  const auto number = static_cast<std::int64_t>(bound);
  return std::abs(bound) < kFirstWithSeparators ? std::to_string(number)
                                                : text::with_separators(number);
}

std::string range_text(const Option& option) {
  const bool low = std::isfinite(option.min);
  const bool high = std::isfinite(option.max);
  if (low && high) return formatted(" in {} .. {}", bound_text(option.min), bound_text(option.max));
  if (low) return " >= " + bound_text(option.min);
  if (high) return " <= " + bound_text(option.max);
  return {};
}

std::string text_of_pattern(const Option& option) {
  if (option.pattern.empty()) return "a text";
  return option.pattern_words.empty() ? "a text like " + option.pattern : option.pattern_words;
}

std::string type_text(const Option& option) {
  switch (option.type) {
    case OptionType::kBool:
      return "true or false";
    case OptionType::kInteger:
      return "an integer" + range_text(option);
    case OptionType::kNumber:
      return "a number" + range_text(option);
    case OptionType::kString:
      return text_of_pattern(option);
    case OptionType::kPath:
      return "a path";
    case OptionType::kEnum:
      return "one of " + text::join(option.choices);
  }
  return {};
}

std::string found_text(const Value& value) {
  if (is_null(value)) return "nothing";
  if (const auto* text = std::get_if<std::string>(&value)) {
    return "'" + (text->size() > 60 ? text->substr(0, 57) + "..." : *text) + "'";
  }
  return to_text(value);
}

bool is_choice(const Option& option, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr &&
         std::find(option.choices.begin(), option.choices.end(), *text) != option.choices.end();
}

bool in_range(const Option& option, double number) {
  return number >= option.min && number <= option.max;
}

bool matches(const Option& option, const std::string& text) {
  if (option.pattern.empty()) return true;
  return text.size() <= kMaxTextLength && std::regex_match(text, std::regex(option.pattern));
}

bool is_right(const Option& option, const Value& value) {
  if (option.type != OptionType::kString && is_choice(option, value)) return true;
  switch (option.type) {
    case OptionType::kBool:
      return std::holds_alternative<bool>(value);
    case OptionType::kInteger: {
      const auto* number = std::get_if<std::int64_t>(&value);
      return number != nullptr && in_range(option, static_cast<double>(*number));
    }
    case OptionType::kNumber: {
      if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        return in_range(option, static_cast<double>(*whole));
      }
      const auto* number = std::get_if<double>(&value);
      return number != nullptr && std::isfinite(*number) && in_range(option, *number);
    }
    case OptionType::kString: {
      const auto* text = std::get_if<std::string>(&value);
      return text != nullptr && (is_choice(option, value) || matches(option, *text));
    }
    case OptionType::kPath: {
      const auto* text = std::get_if<std::string>(&value);
      return text != nullptr && !text->empty();
    }
    case OptionType::kEnum:
      return false;
  }
  return false;
}

// Returns the choice that `word` probably means; known names of other tools precede similar
// spellings.
std::string meant_choice(const Option& option, const std::string& word) {
  for (const auto& [theirs, ours] : option.values_called) {
    if (text::edit_distance(theirs, word) == 0) return ours;
  }
  return text::nearest(word, option.choices);
}

}  // namespace

std::string expectation(const Option& option) {
  std::string text = type_text(option);
  if (option.type != OptionType::kEnum && !option.choices.empty())
    text += " or " + text::join(option.choices);
  return text;
}

std::optional<std::string> check_value(const Option& option, const Value& value) {
  if (is_right(option, value)) return std::nullopt;
  const auto* word = std::get_if<std::string>(&value);
  const bool time = option.unit == "s" && word != nullptr && option.choices.empty();
  std::string text =
      formatted("expected {}, found {}", time ? "seconds, such as 600" : expectation(option),
                found_text(value));
  if (word != nullptr) text += text::did_you_mean(meant_choice(option, *word));
  return text;
}

}  // namespace stepbench::catalogue
