// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/shareable_words.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/estimate/columns.h"
#include "tools/stepbench/options.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

bool is_of_experiment(const CommandOption& option) {
  const std::string group = option.group();
  return group != kRunOptions && group != kOutputOptions && group != kGeneralOptions;
}

runs::GivenOption::Value value_of(const CommandOption& option) {
  const std::string name = option.value_name();
  if (name.find('=') != std::string::npos) return runs::GivenOption::Value::kPair;
  const bool is_word = name == "WHAT" || name.starts_with("METRIC") || name.find('|') < name.size();
  return is_word ? runs::GivenOption::Value::kWord : runs::GivenOption::Value::kText;
}

}  // namespace

runs::KnownWords shareable_words() {
  runs::KnownWords words;
  const Catalogue& catalogue = built_in_catalogue();
  const auto add = [&](const std::vector<Option>& options) {
    for (const Option& option : options) {
      words.insert(option.choices.begin(), option.choices.end());
      if (const auto* word = std::get_if<std::string>(&option.default_value)) words.insert(*word);
    }
  };
  for (const Section& section : catalogue.sections) {
    add(section.options);
    for (const Variant& variant : section.variants) {
      words.insert(variant.name);
      add(variant.options);
    }
  }
  words.insert({"cpu", "cuda", "cuda:0"});  // the option takes any name that torch has
  for (const Phase& phase : built_in_phases()) words.insert(phase.name);
  for (const WorkloadSpec& workload : catalogue.workloads) {
    words.insert(workload.name);
    for (const Phase& phase : workload.phases) words.insert(phase.name);
    for (const Metric& metric : workload.metrics) words.insert(metric.doc);
  }
  for (const Metric& metric : estimate::harness_metrics()) words.insert(metric.doc);
  return words;
}

std::vector<runs::GivenOption> shareable_options(const Command& command) {
  std::vector<runs::GivenOption> arguments;
  std::vector<runs::GivenOption> options;
  std::vector<std::string> of_script;
  const bool has_script = command.is_given("--python");
  for (const CommandOption& option : command.options()) {
    if (!option.is_given() || !is_of_experiment(option)) continue;
    const std::vector<std::string> values =
        option.takes_value() ? option.values() : std::vector<std::string>();
    // With --python the first of the script's own arguments fills in FILE.
    if (option.is_argument() && (has_script || option.name() == "ARGS")) {
      of_script.insert(of_script.end(), values.begin(), values.end());
    } else if (option.is_argument()) {
      arguments.push_back({.values = values});
    } else {
      options.push_back({.name = option.name(), .value = value_of(option), .values = values});
    }
  }
  arguments.insert(arguments.end(), options.begin(), options.end());
  if (!of_script.empty()) {
    arguments.push_back({.name = "--"});
    arguments.push_back({.values = std::move(of_script)});
  }
  return arguments;
}

}  // namespace stepbench::cli
