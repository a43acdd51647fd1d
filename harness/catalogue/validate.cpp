// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/validate.h"
#include "harness/base/limits.h"
#include "harness/catalogue/check_value.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

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
        add(what + " '" + entry.name + "': a name is lower-case letters, digits and '_'");
      }
      if (!seen.insert(entry.name).second) add(what + " '" + entry.name + "' is declared twice");
    }
  }

  void check(const Section& section) {
    const std::string prefix = section.name.empty() ? "" : section.name + ".";
    names("option of section '" + section.name + "'", section.options);
    names("variant of section '" + section.name + "'", section.variants);
    for (const Option& option : section.options) {
      check(option, prefix + option.name);
      check_default_in(section, option);
    }
    for (const Variant& variant : section.variants) {
      std::vector<Option> all = section.options;
      all.insert(all.end(), variant.options.begin(), variant.options.end());
      names("option of " + prefix + variant.name, all);
      for (const Option& option : variant.options) check(option, prefix + option.name);
    }
    if (section.selector.empty() != section.variants.empty()) {
      add("section '" + section.name + "': selector and variants come together");
    }
    if (!section.selector.empty()) check_selector(section);
  }

  void check_default_in(const Section& section, const Option& option) {
    const std::string name = section.name + "." + option.name + ": default";
    for (const auto& [variant, value] : option.default_in) {
      check_default(option, value, name + " in " + variant);
      if (std::ranges::find(section.variants, variant, &Variant::name) == section.variants.end()) {
        add(name + " in the unknown variant '" + variant + "'");
      }
    }
  }

  void check_selector(const Section& section) {
    const auto selector = std::find_if(section.options.begin(), section.options.end(),
                                       [&](const Option& o) { return o.name == section.selector; });
    if (selector == section.options.end() || selector->type != OptionType::kEnum) {
      add("section '" + section.name + "': its selector '" + section.selector +
          "' must be an option of type enum");
      return;
    }
    std::set<std::string> variants;
    for (const Variant& variant : section.variants) variants.insert(variant.name);
    if (variants != std::set<std::string>(selector->choices.begin(), selector->choices.end())) {
      add("section '" + section.name + "': the choices of '" + section.selector +
          "' must be its variants");
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
      add(name + ": requires the unknown option '" + option.requires_->option + "'");
    }
  }

  bool check_pattern(const Option& option, const std::string& name) {
    try {
      const std::regex compiled(option.pattern);
      return true;
    } catch (const std::regex_error&) {
      add(name + ": the pattern '" + option.pattern + "' is not a regular expression");
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
        add("workload '" + workload.name + "': reads the unknown section '" + section + "'");
      }
    }
    if (workload.phases.size() > kMaxDeclaredPhases) {
      add("workload '" + workload.name + "': declares more than " +
          std::to_string(kMaxDeclaredPhases) + " phases");
    }
    std::vector<Phase> phases = built_in_phases();
    phases.insert(phases.end(), workload.phases.begin(), workload.phases.end());
    names("phase of workload '" + workload.name + "'", phases);
    std::vector<Metric> metrics(taken_.begin(), taken_.end());
    metrics.insert(metrics.end(), workload.metrics.begin(), workload.metrics.end());
    names("metric of workload '" + workload.name + "'", metrics);
  }

  const Catalogue& catalogue_;
  std::span<const Metric> taken_;
  std::vector<std::string> mistakes_;
};

}  // namespace

std::vector<std::string> validate(const Catalogue& catalogue, std::span<const Metric> taken) {
  return Validator(catalogue, taken).run();
}

}  // namespace stepbench::catalogue
