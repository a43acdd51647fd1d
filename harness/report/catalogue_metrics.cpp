// SPDX-License-Identifier: Apache-2.0
#include "harness/report/catalogue_metrics.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/estimate/columns.h"
#include "harness/json/json_text.h"
#include "harness/report/catalogue_text.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::string title(const MetricGroup& group) {
  if (group.workloads.empty()) return "Of every workload";
  return "Of " + text::join(group.workloads);
}

std::string entry(const std::string& name, const std::string& doc, std::size_t width) {
  return "  " + name + "\n" + text::wrap(doc, width, 6);
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
      auto group = std::find_if(groups.begin(), groups.end(),
                                [&](const MetricGroup& each) { return each.workloads == of; });
      if (group == groups.end()) group = groups.insert(groups.end(), {of, {}});
      group->metrics.push_back(metric);
    }
  }
  return groups;
}

std::string metrics_text(const std::vector<MetricGroup>& groups, std::size_t width) {
  std::string text = "Clocks and counters\n";
  for (const SourceName& source : sources()) {
    text += entry(std::string(source.name), std::string(source.doc), width);
  }
  for (const MetricGroup& group : groups) {
    text += "\n" + title(group) + "\n";
    for (const Metric& metric : group.metrics)
      text += entry(metric_head(metric), metric.doc, width);
  }
  return text;
}

std::string metrics_markdown(const std::vector<MetricGroup>& groups) {
  std::string text = "## Clocks and counters\n\n| source | what it is |\n|---|---|\n";
  for (const SourceName& source : sources()) {
    text.append("| `").append(source.name).append("` | ").append(source.doc).append(" |\n");
  }
  for (const MetricGroup& group : groups) {
    text += "\n## " + title(group) + "\n\n| metric | unit | by | meaning |\n|---|---|---|---|\n";
    for (const Metric& metric : group.metrics) {
      text += "| `" + metric.name + "` | " + metric.unit + " | " +
              std::string(name_of(metric.source)) + " | " + metric.doc + " |\n";
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
