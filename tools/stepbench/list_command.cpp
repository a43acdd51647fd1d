// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/catalogue/json.h"
#include "harness/run/worker_program.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/list_metrics.h"
#include "tools/stepbench/list_text.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

constexpr const char* kListExamples =
    R"(Examples:
  stepbench list                            workloads and sections
  stepbench list loader                     every option of a section
  stepbench list loader.num_workers         one option
  stepbench list train_step                 a workload: sections, phases, metrics
  stepbench list metrics                    every number of a result, and by which clock
  stepbench list all --format markdown      a reference page
  stepbench list --worker build/my-worker   what your own worker can measure)";

constexpr std::string_view kMetrics = "metrics";

struct ListOptions {
  std::string name;
  std::string format = "table";
  std::string worker;
};

// Declarations of one name, each with the variant it belongs to ("" for the section's own).
std::vector<std::pair<std::string, const Option*>> find_options(const Catalogue& catalogue,
                                                                const std::string& full_name) {
  const std::size_t dot = full_name.find('.');
  const Section* section =
      catalogue.find_section(dot == std::string::npos ? "" : full_name.substr(0, dot));
  if (section == nullptr) return {};
  const std::string name = full_name.substr(dot + 1);
  std::vector<std::pair<std::string, const Option*>> found;
  for (const Option& option : section->options) {
    if (option.name == name) found.emplace_back("", &option);
  }
  for (const Variant& variant : section->variants) {
    for (const Option& option : variant.options) {
      if (option.name == name) found.emplace_back(section->selector + ": " + variant.name, &option);
    }
  }
  return found;
}

std::vector<std::string> known_names(const Catalogue& catalogue) {
  std::vector<std::string> names = {std::string(kMetrics)};
  for (const WorkloadSpec& workload : catalogue.workloads) names.push_back(workload.name);
  for (const Section& section : catalogue.sections) {
    if (!section.name.empty()) names.push_back(section.name);
    const std::string prefix = section.name.empty() ? "" : section.name + ".";
    for (const Option& option : section.options) names.push_back(prefix + option.name);
    for (const Variant& variant : section.variants) {
      for (const Option& option : variant.options) names.push_back(prefix + option.name);
    }
  }
  return names;
}

Catalogue catalogue_of(const std::string& worker, const Environment& environment) {
  if (worker.empty()) return built_in_catalogue();
  return describe_worker(find_worker(worker, environment.program_dir),
                         cache_directory(environment.variables));
}

[[noreturn]] void refuse(const Catalogue& catalogue, const std::string& name) {
  const std::vector<std::string> names = known_names(catalogue);
  const auto same_last_part =
      std::find_if(names.begin(), names.end(), [&](const std::string& candidate) {
        return candidate.substr(candidate.find('.') + 1) == name;
      });
  const std::string hint =
      same_last_part != names.end() ? did_you_mean(*same_last_part) : did_you_mean(name, names);
  throw ConfigError("list", "no workload, section or option is named '" + name + "'" +
                                (hint.empty() ? "; `stepbench list` shows all" : hint));
}

Catalogue only(const Catalogue& catalogue, const std::string& name) {
  if (const WorkloadSpec* workload = catalogue.find_workload(name)) return {{}, {*workload}};
  if (const Section* section = name.empty() ? nullptr : catalogue.find_section(name)) {
    return {{*section}, {}};
  }
  Section part{.name = name.find('.') == std::string::npos ? "" : name.substr(0, name.find('.')),
               .doc = ""};
  for (const auto& [variant, option] : find_options(catalogue, name))
    part.options.push_back(*option);
  if (part.options.empty()) refuse(catalogue, name);
  return {{part}, {}};
}

std::string all_text(const Catalogue& catalogue, std::size_t width) {
  std::string text = overview_text(catalogue, width);
  for (const Section& section : catalogue.sections) text += "\n" + section_text(section, width);
  return text;
}

std::string named_text(const Catalogue& catalogue, const std::string& name, std::size_t width) {
  const WorkloadSpec* workload = catalogue.find_workload(name);
  if (workload != nullptr) return workload_text(*workload, catalogue, width);
  if (const Section* section = catalogue.find_section(name)) return section_text(*section, width);
  const auto options = find_options(catalogue, name);
  if (options.empty()) refuse(catalogue, name);
  std::string text;
  for (const auto& [variant, option] : options) {
    text += option_text(*option, variant.empty() ? name : name + " (" + variant + ")", width);
  }
  return text;
}

std::string render(const Catalogue& catalogue, const ListOptions& options, std::size_t width) {
  if (options.name == kMetrics && catalogue.find_workload(kMetrics) == nullptr) {
    const std::vector<MetricGroup> groups = metric_groups(catalogue);
    if (options.format == "json") return metrics_json(groups);
    return options.format == "markdown" ? metrics_markdown(groups) : metrics_text(groups, width);
  }
  const bool whole = options.name.empty() || options.name == "all";
  if (options.format == "json") {
    return to_json(whole ? catalogue : only(catalogue, options.name));
  }
  if (options.format == "markdown") {
    if (whole) return catalogue_markdown(catalogue);
    const Catalogue part = only(catalogue, options.name);
    return part.sections.empty() ? catalogue_markdown(part)
                                 : section_markdown(part.sections.front());
  }
  if (options.name == "all") return all_text(catalogue, width);
  return whole ? overview_text(catalogue, width) : named_text(catalogue, options.name, width);
}

}  // namespace

void add_list(CLI::App& app, const Environment& environment, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("list", "Show workloads, sections and options with their meaning");
  auto options = std::make_shared<ListOptions>();
  command->add_option("NAME", options->name, "A workload, section or option; or: metrics, all");
  command->add_option("--format", options->format, "table, json or markdown")
      ->check(CLI::IsMember({"table", "json", "markdown"}))
      ->capture_default_str();
  command
      ->add_option("--worker", options->worker,
                   "The worker program; default: the built-in workloads")
      ->type_name("PATH");
  command->footer(kListExamples);
  command->callback([options, &environment, &exit_code] {
    const auto width = static_cast<std::size_t>(std::clamp(environment.terminal_columns, 40, 100));
    environment.out << printable(
        render(catalogue_of(options->worker, environment), *options, width), LineEnds::kKeep);
    exit_code = kExitOk;
  });
}

}  // namespace stepbench::cli
