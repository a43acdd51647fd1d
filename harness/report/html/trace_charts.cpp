// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/trace_charts.h"

#include <algorithm>
#include <utility>

#include "harness/report/analysis_words.h"
#include "harness/report/html/chart_json.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::int64_t kMaxStepsDrawn = 400;

// Parts that occur in any step.
std::vector<const analyze::StepPart*> parts_of(const analyze::IdleReport& report) {
  std::vector<const analyze::StepPart*> parts;
  for (const analyze::StepPart& part : analyze::step_parts()) {
    const bool any = std::ranges::any_of(
        report.steps, [&](const analyze::StepTime& step) { return part.of(step) != 0; });
    if (any) parts.push_back(&part);
  }
  return parts;
}

// [key in the JSON, words, index among all parts, which selects its look]
void add_parts(json::JsonText& json, const analyze::IdleReport& report,
               const std::vector<const analyze::StepPart*>& parts) {
  json.open_array("parts");
  for (const analyze::StepPart* part : parts) {
    json.open_array().text({}, std::string(part->name) + "_ns");
    json.text({}, words_of_part(part->name, report.scope));
    json.integer({}, part - analyze::step_parts().data()).close_array();
  }
  json.close_array();
}

document::Table steps_table(const AnalysedTrace& analysed, const analyze::IdleReport& report) {
  const analyze::Steps& steps = analysed.analysis.steps;
  document::Table table{.title = "Every step of the trace [ms]",
                        .columns = {{.head = "step"}, {.head = "wall"}},
                        .rows = {}};
  const std::vector<const analyze::StepPart*> parts = parts_of(report);
  for (const analyze::StepPart* part : parts) {
    table.columns.push_back({.head = words_of_part(part->name, report.scope)});
  }
  table.columns.push_back(document::words("counts"));
  const std::vector<std::size_t> counted_steps = steps.counted();
  const auto cell = [](std::int64_t ns) {
    const double ms = static_cast<double>(ns) / kNsPerMs;
    return document::Cell{ns == 0 ? "0" : text::significant(ms), ms};
  };
  for (std::size_t i = 0; i < report.steps.size() && i < steps.steps.size(); ++i) {
    const analyze::StepTime& step = report.steps[i];
    const std::int64_t number = steps.steps[i].number;
    std::vector<document::Cell>& cells = table.rows.emplace_back().cells;
    cells.push_back({std::to_string(number), static_cast<double>(number)});
    cells.push_back(cell(step.wall_ns));
    for (const analyze::StepPart* part : parts) cells.push_back(cell(part->of(step)));
    const bool counts =
        std::find(counted_steps.begin(), counted_steps.end(), i) != counted_steps.end();
    cells.push_back(counts ? "yes" : "no");
  }
  return table;
}

// Mean over the steps that count.
std::optional<document::Figure> mean_figure(const AnalysedTrace& analysed,
                                            const analyze::IdleReport& report) {
  const std::vector<std::size_t> counts = analysed.analysis.steps.counted();
  if (counts.empty() || report.counted.wall_ns <= 0) return std::nullopt;
  const auto mean = [&](std::int64_t total_ns) {
    return static_cast<double>(total_ns) / static_cast<double>(counts.size());
  };
  const double wall_ns = mean(report.counted.wall_ns);
  std::vector<const analyze::StepPart*> parts = parts_of(report);
  std::erase_if(parts, [&](const auto* part) { return part->of(report.counted) == 0; });
  std::vector<double> means;
  std::vector<std::string> part_labels;
  for (const analyze::StepPart* part : parts) {
    means.push_back(mean(part->of(report.counted)));
    part_labels.push_back(words_of_part(part->name, report.scope) + ' ' +
                          text::duration(means.back()) + ", " +
                          text::percent_text(means.back() / wall_ns));
  }
  json::JsonText json = chart("trace_parts");
  add_parts(json, report, parts);
  json.numbers("mean_ns", means).number("wall_ns", wall_ns).close_object();
  return document::Figure{
      .title = "Parts of a step",
      .alt = "Of a step of " + text::duration(wall_ns) + ": " + text::join(part_labels, "; ") + '.',
      .json = json.take(),
      .note =
          "Mean of " + text::counted(std::ssize(counts), "step") + "; the parts sum to the step.",
      .height_px = static_cast<int>(120 + 30 * parts.size())};
}

document::Figure steps_figure(const AnalysedTrace& analysed, const analyze::IdleReport& report,
                              std::size_t place) {
  const std::int64_t all =
      std::min(std::ssize(report.steps), std::ssize(analysed.analysis.steps.steps));
  const std::int64_t shown = std::min(all, kMaxStepsDrawn);
  json::JsonText json = chart("trace_steps");
  json.integer("trace", static_cast<std::int64_t>(place));
  json.integer("idle", &report - analysed.analysis.idle.data()).integer("most", shown);
  add_parts(json, report, parts_of(report));
  json.close_object();
  std::string note =
      "The parts of a step sum to it. The first and the last step, and those that "
      "are not whole, count in no mean.";
  if (shown < all) {
    note += " The first " + std::to_string(shown) + " of " + text::with_separators(all) + " steps.";
  }
  return {.title = "Where the time of each step went",
          .alt = text::counted(shown, "step") +
                 ", each a stack of what the device did and of why it was idle.",
          .json = json.take(),
          .note = std::move(note)};
}

}  // namespace

std::optional<document::Chapter> trace_section(const AnalysedTrace& analysed, std::size_t place,
                                               const std::string& id) {
  const analyze::IdleReport* report = analysed.analysis.idle_of(analysed.device);
  if (report == nullptr || report->steps.empty()) return std::nullopt;
  document::Chapter section{.id = id, .title = "Steps of the trace", .blocks = {}};
  section.blocks.emplace_back(steps_figure(analysed, *report, place));
  if (auto parts = mean_figure(analysed, *report)) section.blocks.emplace_back(std::move(*parts));
  section.blocks.emplace_back(steps_table(analysed, *report));
  return section;
}

}  // namespace stepbench::report
