// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/catalogue_text.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/format.h"
#include "harness/catalogue/validate.h"
#include "harness/estimate/columns.h"
#include "harness/json/json_text.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::string section_name(const Section& section) {
  return section.name.empty() ? std::string(kTopLevel) : section.name;
}

std::string prefix(const Section& section) {
  return section.name.empty() ? "" : section.name + ".";
}

// "joined; separate for python"
std::string defaults(const Option& option) {
  std::string text = to_text(option.default_value);
  for (const auto& [variant, value] : option.default_in) {
    text += formatted("; {} for {}", to_text(value), variant);
  }
  return text;
}

std::string default_text(const Option& option) {
  if (option.required) return "required";
  return is_null(option.default_value) ? "unset" : "default " + defaults(option);
}

// "integer in 1 .. 64 (samples), default 1"
std::string signature(const Option& option) {
  std::string text = catalogue::expectation(option);
  if (!option.unit.empty()) text += " (" + option.unit + ")";
  return text + "; " + default_text(option);
}

std::string facts(const Option& option) {
  std::string text = option.doc;
  if (option.requires_) text += " It " + option.requires_->doc + ".";
  return text;
}

// Appended to the name of an option that is not part of a case's identity.
constexpr std::string_view kContextMark = " *";
constexpr const char* kContextLegend =
    "* Not part of a case's identity: cases that differ in nothing else are one case.";

std::string_view mark(const Option& option) {
  return option.identity == Identity::kContext ? kContextMark : std::string_view();
}

bool any_marked(const Section& section) {
  const auto is_marked = [](const Option& option) { return !mark(option).empty(); };
  return std::ranges::any_of(section.options, is_marked) ||
         std::ranges::any_of(section.variants, [&](const Variant& variant) {
           return std::ranges::any_of(variant.options, is_marked);
         });
}

std::string titled(const std::string& name, const std::string& doc, std::size_t width) {
  return name + "\n" + text::wrap(doc, width, 2);
}

std::string options_text(const Section& section, const std::vector<Option>& options,
                         std::size_t width) {
  std::string text;
  for (const Option& option : options) {
    text += formatted("  {}{}{}\n{}{}", prefix(section), option.name, mark(option),
                      text::wrap(signature(option), width, 6), text::wrap(facts(option), width, 6));
  }
  return text;
}

std::string name_and_doc(const std::string& name, const std::string& doc, std::size_t width) {
  return formatted("  {}\n{}", name, text::wrap(doc, width, 6));
}

std::string escaped(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, "\\");
  }
  return text;
}

std::string options_markdown(const Section& section, const std::vector<Option>& options) {
  std::string text = "| option | value | unit | default | meaning |\n|---|---|---|---|---|\n";
  for (const Option& option : options) {
    const std::string value = option.required                 ? "required"
                              : is_null(option.default_value) ? ""
                                                              : defaults(option);
    text += formatted("| `{}{}`{} | {} | {} | {} | {} |\n", prefix(section), option.name,
                      mark(option).empty() ? "" : " \\*", escaped(catalogue::expectation(option)),
                      option.unit, escaped(value), escaped(facts(option)));
  }
  return text;
}

}  // namespace

std::string metric_head(const Metric& metric) {
  std::string facts = metric.unit;
  if (metric.source != Source::kUnknown) {
    facts += (facts.empty() ? "by " : ", by ") + std::string(name_of(metric.source));
  }
  return facts.empty() ? metric.name : formatted("{} ({})", metric.name, facts);
}

std::string overview_text(const Catalogue& catalogue, std::size_t width) {
  std::string text = "Workloads (workload: NAME)\n";
  for (const WorkloadSpec& workload : catalogue.workloads) {
    const std::string sections =
        workload.sections.empty() ? "" : " Reads " + text::join(workload.sections) + ".";
    text += name_and_doc(workload.name, workload.doc + sections, width);
  }
  text += "\nSections\n";
  for (const Section& section : catalogue.sections) {
    text += name_and_doc(section_name(section), section.doc, width);
  }
  return text +
         "\nMore: stepbench list SECTION, stepbench list SECTION.OPTION, stepbench list WORKLOAD,\n"
         "      stepbench list metrics, stepbench list all\n";
}

std::string workload_text(const WorkloadSpec& workload, const Catalogue& catalogue,
                          std::size_t width) {
  std::string text = titled(workload.name, workload.doc, width) + "\nSections that it reads\n";
  for (const std::string& name : workload.sections) {
    const Section* section = catalogue.find_section(name);
    if (section != nullptr) text += name_and_doc(name, section->doc, width);
  }
  if (!workload.phases.empty()) text += "\nPhases of its own\n";
  for (const Phase& phase : workload.phases) text += name_and_doc(phase.name, phase.doc, width);
  if (!workload.metrics.empty()) text += "\nMetrics of its own\n";
  for (const Metric& metric : workload.metrics) {
    text += name_and_doc(metric_head(metric), metric.doc, width);
  }
  return text;
}

std::string section_text(const Section& section, std::size_t width) {
  std::string text = titled(section_name(section), section.doc, width) + "\n" +
                     options_text(section, section.options, width);
  for (const Variant& variant : section.variants) {
    text += "\n" +
            titled(formatted("{}{}: {}", prefix(section), section.selector, variant.name),
                   variant.doc, width) +
            options_text(section, variant.options, width);
  }
  if (any_marked(section)) text += "\n" + text::wrap(kContextLegend, width, 0);
  return text;
}

std::string option_text(const Option& option, const std::string& full_name, std::size_t width) {
  std::string text = formatted("{}\n{}\n", full_name, text::wrap(option.doc, width, 2));
  text += formatted("  expects    {}\n", catalogue::expectation(option));
  if (!option.unit.empty()) text += "  unit       " + option.unit + "\n";
  text += formatted("  default    {}\n", option.required ? "none, required" : defaults(option));
  if (option.requires_)
    text += formatted("  needs      {}: it {}\n", option.requires_->option, option.requires_->doc);
  if (option.identity == Identity::kContext) {
    text += "  identity   not part of a case's identity\n";
  } else {
    text += "  identity   part of a case's identity";
    if (!is_null(option.identity_default)) text += " unless " + to_text(option.identity_default);
    text += "\n";
  }
  return text;
}

std::string section_markdown(const Section& section) {
  std::string text =
      formatted("## {}\n\n{}\n\n", section.name.empty() ? "Top level" : "`" + section.name + "`",
                section.doc);
  if (!section.options.empty()) text += options_markdown(section, section.options) + "\n";
  for (const Variant& variant : section.variants) {
    text += formatted("### `{}{}: {}`\n\n{}\n\n", prefix(section), section.selector, variant.name,
                      variant.doc);
    if (!variant.options.empty()) text += options_markdown(section, variant.options) + "\n";
  }
  if (any_marked(section)) text += "\\" + std::string(kContextLegend) + "\n\n";
  return text;
}

std::string catalogue_markdown(const Catalogue& catalogue) {
  std::string text = "# Workloads and options\n\n| workload | what one step does |\n|---|---|\n";
  for (const WorkloadSpec& workload : catalogue.workloads) {
    text += formatted("| `{}` | {} |\n", workload.name, escaped(workload.doc));
  }
  text += "\n";
  for (const Section& section : catalogue.sections) text += section_markdown(section);
  return text;
}

namespace {

std::string title(const MetricGroup& group) {
  if (group.workloads.empty()) return "Of every workload";
  return "Of " + text::join(group.workloads);
}

}  // namespace

std::vector<MetricGroup> metric_groups(const Catalogue& catalogue) {
  std::vector<MetricGroup> groups = {{{}, estimate::harness_metrics()}};
  std::set<std::string> seen;
  for (const Metric& metric : estimate::harness_metrics()) seen.insert(metric.name);
  std::map<std::string, std::vector<std::string>> workloads;
  for (const WorkloadSpec& workload : catalogue.workloads) {
    for (const Metric& metric : workload.metrics) workloads[metric.name].push_back(workload.name);
  }
  for (const WorkloadSpec& workload : catalogue.workloads) {
    for (const Metric& metric : workload.metrics) {
      if (!seen.insert(metric.name).second) continue;
      const std::vector<std::string>& of = workloads[metric.name];
      auto group = std::ranges::find_if(
          groups, [&](const MetricGroup& each) { return each.workloads == of; });
      if (group == groups.end()) group = groups.insert(groups.end(), {of, {}});
      group->metrics.push_back(metric);
    }
  }
  return groups;
}

std::string metrics_text(const std::vector<MetricGroup>& groups, std::size_t width) {
  std::string text = "Clocks and counters\n";
  for (const SourceName& source : sources()) {
    text += name_and_doc(std::string(source.name), std::string(source.doc), width);
  }
  for (const MetricGroup& group : groups) {
    text += "\n" + title(group) + "\n";
    for (const Metric& metric : group.metrics)
      text += name_and_doc(metric_head(metric), metric.doc, width);
  }
  return text;
}

std::string metrics_markdown(const std::vector<MetricGroup>& groups) {
  std::string text = "## Clocks and counters\n\n| source | what it is |\n|---|---|\n";
  for (const SourceName& source : sources()) {
    text.append("| `").append(source.name).append("` | ").append(source.doc).append(" |\n");
  }
  for (const MetricGroup& group : groups) {
    text +=
        formatted("\n## {}\n\n| metric | unit | by | meaning |\n|---|---|---|---|\n", title(group));
    for (const Metric& metric : group.metrics) {
      text += formatted("| `{}` | {} | {} | {} |\n", metric.name, metric.unit,
                        name_of(metric.source), metric.doc);
    }
  }
  return text;
}

std::string metrics_json(const std::vector<MetricGroup>& groups) {
  json::JsonText json;
  json.open_object().open_object("sources");
  for (const SourceName& source : sources()) json.text(source.name, source.doc);
  json.close_object().open_array("metrics");
  for (const MetricGroup& group : groups) {
    for (const Metric& metric : group.metrics) {
      json.open_object().text("name", metric.name).text("unit", metric.unit);
      json.text("role", name_of(metric.role)).text("direction", name_of(metric.direction));
      json.text("source", name_of(metric.source)).texts("workloads", group.workloads);
      json.text("doc", metric.doc).close_object();
    }
  }
  return json.close_array().close_object().take() + '\n';
}

}  // namespace stepbench::report
