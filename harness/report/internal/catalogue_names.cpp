// SPDX-License-Identifier: Apache-2.0
// Finds what a name of `stepbench list` means.
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/catalogue/json.h"
#include "harness/plan/option_index.h"
#include "harness/report/internal/catalogue_text.h"
#include "harness/report/plans.h"
#include "harness/text/names.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::string_view kMetrics = "metrics";

// Declaration of an option and its variant ("" for the section itself).
struct Declaration {
  std::string name;  // full name
  std::string variant;
  const Option* option;
};

// Meanings of a name. A section and a workload may share one.
struct Named {
  const Section* section = nullptr;
  const WorkloadSpec* workload = nullptr;
  std::vector<Declaration> options = {};
};

void add_declarations(const Catalogue& catalogue, const std::string& name,
                      std::vector<Declaration>& found) {
  const std::size_t dot = name.find('.');
  const Section* section =
      catalogue.find_section(dot == std::string::npos ? "" : name.substr(0, dot));
  if (section == nullptr) return;
  const std::string key = name.substr(dot + 1);
  for (const Option& option : section->options) {
    if (option.name == key) found.push_back({name, "", &option});
  }
  for (const Variant& variant : section->variants) {
    for (const Option& option : variant.options) {
      if (option.name == key) {
        found.push_back({name, section->selector + ": " + variant.name, &option});
      }
    }
  }
}

bool is_top_level(const std::string& name) {
  return name == kTopLevel || name == "top level" || name == "(top level)";
}

[[noreturn]] void refuse(const Catalogue& catalogue, const plan::OptionIndex& index,
                         const std::string& name) {
  std::vector<std::string> names = {std::string(kMetrics), "all"};
  for (const WorkloadSpec& workload : catalogue.workloads) names.push_back(workload.name);
  for (const Section& section : catalogue.sections) {
    if (!section.name.empty()) names.push_back(section.name);
  }
  names.insert(names.end(), index.names().begin(), index.names().end());
  const std::string similar = text::nearest_name(name, names);
  throw ConfigError("list", formatted("unknown workload, section or option '{}'{}", name,
                                      similar.empty() ? "; `stepbench list` shows all"
                                                      : text::did_you_mean(similar)));
}

// Prefers sections and workloads to options that end in the name. Throws ConfigError for unknown
// names.
Named find_named(const Catalogue& catalogue, const std::string& name) {
  if (is_top_level(name)) return {.section = catalogue.find_section("")};
  const plan::OptionIndex index(catalogue);
  Named named{.section = name.empty() ? nullptr : catalogue.find_section(name),
              .workload = catalogue.find_workload(name)};
  if (named.section != nullptr || named.workload != nullptr) return named;
  for (const std::string& full : index.meant(name)) {
    add_declarations(catalogue, full, named.options);
  }
  if (named.options.empty()) refuse(catalogue, index, name);
  return named;
}

Catalogue only(const Catalogue& catalogue, const std::string& name) {
  const Named named = find_named(catalogue, name);
  Catalogue part;
  if (named.section != nullptr) part.sections.push_back(*named.section);
  if (named.workload != nullptr) part.workloads.push_back(*named.workload);
  for (const Declaration& declaration : named.options) {
    const std::size_t dot = declaration.name.find('.');
    const std::string section =
        dot == std::string::npos ? std::string() : declaration.name.substr(0, dot);
    if (part.sections.empty() || part.sections.back().name != section) {
      part.sections.push_back({.name = section, .doc = ""});
    }
    part.sections.back().options.push_back(*declaration.option);
  }
  return part;
}

std::string all_text(const Catalogue& catalogue, std::size_t width) {
  std::string text = overview_text(catalogue, width);
  for (const Section& section : catalogue.sections) text += "\n" + section_text(section, width);
  return text;
}

std::string named_text(const Catalogue& catalogue, const std::string& name, std::size_t width) {
  const Named named = find_named(catalogue, name);
  std::vector<std::string> parts;
  if (named.section != nullptr) parts.push_back(section_text(*named.section, width));
  if (named.workload != nullptr) {
    parts.push_back(workload_text(*named.workload, catalogue, width));
  }
  for (const auto& [full, variant, option] : named.options) {
    parts.push_back(
        option_text(*option, variant.empty() ? full : formatted("{} ({})", full, variant), width));
  }
  return text::join(parts, "\n");
}

std::string named_markdown(const Catalogue& catalogue, const std::string& name) {
  const Catalogue part = only(catalogue, name);
  std::string text = text::join(part.sections, "\n", section_markdown);
  if (part.workloads.empty()) return text;
  return text + (text.empty() ? "" : "\n") + catalogue_markdown({{}, part.workloads});
}

}  // namespace

std::string catalogue_text(const Catalogue& catalogue, const CatalogueView& view) {
  const auto& [name, format, width] = view;
  if (name == kMetrics && catalogue.find_workload(kMetrics) == nullptr) {
    const std::vector<MetricGroup> groups = metric_groups(catalogue);
    if (format == Format::kJson) return metrics_json(groups);
    return format == Format::kMarkdown ? metrics_markdown(groups) : metrics_text(groups, width);
  }
  const bool whole = name.empty() || name == "all";
  if (format == Format::kJson) return catalogue::to_json(whole ? catalogue : only(catalogue, name));
  if (format == Format::kMarkdown) {
    return whole ? catalogue_markdown(catalogue) : named_markdown(catalogue, name);
  }
  if (name == "all") return all_text(catalogue, width);
  return whole ? overview_text(catalogue, width) : named_text(catalogue, name, width);
}

}  // namespace stepbench::report
