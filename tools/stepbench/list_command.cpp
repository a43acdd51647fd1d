// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/catalogue/json.h"
#include "harness/plan/option_index.h"
#include "harness/report/plans.h"
#include "harness/run/worker_program.h"
#include "harness/text/names.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/options.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

constexpr std::string_view kMetrics = "metrics";

struct ListOptions {
  std::string name;
  std::string format = "table";
  std::string worker;
};

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
  return name == report::kTopLevel || name == "top level" || name == "(top level)";
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
  throw ConfigError(
      "list", "unknown workload, section or option '" + name + "'" +
                  (similar.empty() ? "; `stepbench list` shows all" : text::did_you_mean(similar)));
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

Catalogue catalogue_of(const std::string& worker, const Environment& environment) {
  if (worker.empty()) return built_in_catalogue();
  return run::describe_worker(run::find_worker(worker, environment.program_dir),
                              run::cache_directory(environment.variables));
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
  std::string text = report::overview_text(catalogue, width);
  for (const Section& section : catalogue.sections)
    text += "\n" + report::section_text(section, width);
  return text;
}

std::string named_text(const Catalogue& catalogue, const std::string& name, std::size_t width) {
  const Named named = find_named(catalogue, name);
  std::vector<std::string> parts;
  if (named.section != nullptr) parts.push_back(report::section_text(*named.section, width));
  if (named.workload != nullptr) {
    parts.push_back(report::workload_text(*named.workload, catalogue, width));
  }
  for (const auto& [full, variant, option] : named.options) {
    parts.push_back(
        report::option_text(*option, variant.empty() ? full : full + " (" + variant + ")", width));
  }
  return text::join(parts, "\n");
}

std::string named_markdown(const Catalogue& catalogue, const std::string& name) {
  const Catalogue part = only(catalogue, name);
  std::string text = text::join(part.sections, "\n", report::section_markdown);
  if (part.workloads.empty()) return text;
  return text + (text.empty() ? "" : "\n") + report::catalogue_markdown({{}, part.workloads});
}

std::string render(const Catalogue& catalogue, const ListOptions& options, std::size_t width) {
  if (options.name == kMetrics && catalogue.find_workload(kMetrics) == nullptr) {
    const std::vector<report::MetricGroup> groups = report::metric_groups(catalogue);
    if (options.format == "json") return report::metrics_json(groups);
    return options.format == "markdown" ? report::metrics_markdown(groups)
                                        : report::metrics_text(groups, width);
  }
  const bool whole = options.name.empty() || options.name == "all";
  if (options.format == "json") {
    return catalogue::to_json(whole ? catalogue : only(catalogue, options.name));
  }
  if (options.format == "markdown") {
    return whole ? report::catalogue_markdown(catalogue) : named_markdown(catalogue, options.name);
  }
  if (options.name == "all") return all_text(catalogue, width);
  return whole ? report::overview_text(catalogue, width)
               : named_text(catalogue, options.name, width);
}

int list(const ListOptions& options, const Environment& environment) {
  const auto width = static_cast<std::size_t>(std::clamp(environment.terminal_columns, 40, 100));
  environment.out << text::printable(
      render(catalogue_of(options.worker, environment), options, width), text::LineEnds::kKeep);
  return kExitOk;
}

}  // namespace

void add_list(Command& command) {
  ListOptions& options = command.calls(list);
  command.argument("NAME", options.name, "A workload, section or option; or: metrics, all", "NAME");
  add_worker(command, options.worker);
  add_format(command, options.format, {"table", "json", "markdown"});
}

}  // namespace stepbench::cli
