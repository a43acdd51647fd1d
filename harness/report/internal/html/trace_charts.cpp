// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/html/trace_charts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/document/document.h"
#include "harness/report/internal/analysis_rows.h"
#include "harness/report/internal/analysis_words.h"
#include "harness/report/internal/html/chart_json.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/traces/trace.h"

namespace stepbench::report {
namespace {

constexpr std::int64_t kMaxStepsDrawn = 400;

// Parts that occur in any step.
std::vector<const traces::StepPart*> parts_of(const traces::IdleReport& report) {
  std::vector<const traces::StepPart*> parts;
  for (const traces::StepPart& part : traces::step_parts()) {
    const bool any = std::ranges::any_of(
        report.steps, [&](const traces::StepTime& step) { return part.of(step) != 0; });
    if (any) parts.push_back(&part);
  }
  return parts;
}

// [key in the JSON, words, index among all parts, which selects its look]
void add_parts(json::JsonText& json, const traces::IdleReport& report,
               const std::vector<const traces::StepPart*>& parts) {
  json.open_array("parts");
  for (const traces::StepPart* part : parts) {
    json.open_array().text({}, std::string(part->name) + "_ns");
    json.text({}, words_of_part(part->name, report.scope));
    json.integer({}, part - traces::step_parts().data()).close_array();
  }
  json.close_array();
}

document::Table steps_table(const AnalysedTrace& analysed, const traces::IdleReport& report) {
  const traces::Steps& steps = analysed.analysis.steps;
  document::Table table{.title = "Every step of the trace [ms]",
                        .columns = {{.head = "step"}, {.head = "wall"}},
                        .rows = {}};
  const std::vector<const traces::StepPart*> parts = parts_of(report);
  for (const traces::StepPart* part : parts) {
    table.columns.push_back({.head = words_of_part(part->name, report.scope)});
  }
  table.columns.push_back(document::words("counts"));
  const std::vector<std::size_t> counted_steps = steps.counted();
  const auto cell = [](std::int64_t ns) {
    const double ms = double(ns) / kNsPerMs;
    return document::Cell{ns == 0 ? "0" : text::significant(ms), ms};
  };
  for (std::size_t i = 0; i < report.steps.size() && i < steps.steps.size(); ++i) {
    const traces::StepTime& step = report.steps[i];
    const std::int64_t number = steps.steps[i].number;
    std::vector<document::Cell>& cells = table.rows.emplace_back().cells;
    cells.push_back({std::to_string(number), double(number)});
    cells.push_back(cell(step.wall_ns));
    for (const traces::StepPart* part : parts) cells.push_back(cell(part->of(step)));
    const bool counts = std::ranges::find(counted_steps, i) != counted_steps.end();
    cells.push_back(counts ? "yes" : "no");
  }
  return table;
}

// Mean over the steps that count.
std::optional<document::Figure> mean_figure(const AnalysedTrace& analysed,
                                            const traces::IdleReport& report) {
  const std::vector<std::size_t> counts = analysed.analysis.steps.counted();
  if (counts.empty() || report.counted.wall_ns <= 0) return std::nullopt;
  const auto mean = [&](std::int64_t total_ns) { return double(total_ns) / double(counts.size()); };
  const double wall_ns = mean(report.counted.wall_ns);
  std::vector<const traces::StepPart*> parts = parts_of(report);
  std::erase_if(parts, [&](const auto* part) { return part->of(report.counted) == 0; });
  std::vector<double> means;
  std::vector<std::string> part_labels;
  for (const traces::StepPart* part : parts) {
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
          "Mean of " + text::counted(std::ssize(counts), "step") + "; the parts sum to the step."};
}

document::Figure steps_figure(const AnalysedTrace& analysed, const traces::IdleReport& report,
                              std::size_t place) {
  const std::int64_t all =
      std::min(std::ssize(report.steps), std::ssize(analysed.analysis.steps.steps));
  const std::int64_t shown = std::min(all, kMaxStepsDrawn);
  json::JsonText json = chart("trace_steps");
  json.integer("trace", std::int64_t(place));
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
  const traces::IdleReport* report = analysed.analysis.idle_of(analysed.device);
  if (report == nullptr || report->steps.empty()) return std::nullopt;
  document::Chapter section{.id = id, .title = "Steps of the trace", .blocks = {}};
  section.blocks.emplace_back(steps_figure(analysed, *report, place));
  if (auto parts = mean_figure(analysed, *report)) section.blocks.emplace_back(std::move(*parts));
  section.blocks.emplace_back(steps_table(analysed, *report));
  return section;
}

namespace {

constexpr std::size_t kMaxDiffRows = 20;  // per figure; the data has all rows

std::string words_of_change(const traces::DiffRow& row) {
  std::string text = text::duration(row.base_ns) + " -> " + text::duration(row.new_ns) + ", " +
                     text::signed_duration(row.difference_ns()) + " per step";
  if (row.noise_ns) text += "; counts from " + text::duration(*row.noise_ns) + " on";
  if (!row.changed()) return text + ": no more than the steps differ by";
  return text + ": " + std::string(name_of(row.change));
}

std::string name_of_row(const traces::DiffRow& row) {
  const std::string name = traces::short_row_name(row.name);
  return row.phase.empty() ? name : name + ", " + row.phase;
}

// Bars to the right mean longer than before.
document::Figure differences_figure(std::size_t place, std::string_view key,
                                    const std::string& title,
                                    const std::vector<traces::DiffRow>& rows,
                                    const std::vector<std::string>& names) {
  const std::size_t shown = std::min(rows.size(), kMaxDiffRows);
  const auto drawn = std::span(rows).first(shown);
  json::JsonText json = chart("differences");
  json.integer("diff", std::int64_t(place)).text("rows", key);
  json.texts("names", std::span(names).first(shown)).close_object();
  const auto changed = std::ranges::count_if(drawn, &traces::DiffRow::changed);
  std::string note = "Grey: no more than the steps themselves differ by.";
  if (shown < rows.size()) {
    note += " The " + std::to_string(shown) + " largest of " + std::to_string(rows.size()) + '.';
  }
  return {.title = title,
          .alt = title + ": " + std::to_string(changed) + " of " + std::to_string(shown) +
                 " changed; the first: " + names.front() + ", " + words_of_change(rows.front()) +
                 '.',
          .json = json.take(),
          .note = std::move(note)};
}

}  // namespace

std::optional<document::Chapter> diff_section(const traces::TraceDiff& diff, std::size_t place,
                                              const std::string& id) {
  document::Chapter section{.id = id, .title = "What grew and what shrank", .blocks = {}};
  const auto add = [&](std::string_view key, const std::string& title,
                       const std::vector<traces::DiffRow>& rows, const auto& name_of_one) {
    if (rows.empty()) return;
    std::vector<std::string> names;
    for (const traces::DiffRow& row : rows) names.push_back(name_of_one(row));
    section.blocks.emplace_back(differences_figure(place, key, title, rows, names));
  };
  add("parts", "Parts of the step", diff.parts,
      [&](const traces::DiffRow& row) { return words_of_part(row.name, diff.scope); });
  for (const traces::DiffTable& table : diff.tables) {
    add(compared(table.kind).key, compared(table.kind).chart, table.rows, name_of_row);
  }
  if (section.blocks.empty()) return std::nullopt;
  return section;
}

namespace {

constexpr std::size_t kMaxLanes = 64;
constexpr std::size_t kMaxPieces = 2000;  // per kind: more cannot be distinguished

// Adds [[begin_ns, end_ns], …] for each lane.
template <typename MomentsOf>
void add_lanes(json::JsonText& json, std::string_view kind, std::span<const traces::RankLane> lanes,
               const MomentsOf& moments_of) {
  std::size_t pieces = 0;
  json.open_array(kind);
  for (const traces::RankLane& lane : lanes) {
    json.open_array();
    for (const traces::TimeSpan& span : moments_of(lane)) {
      if (pieces++ >= kMaxPieces) break;
      json.open_array().integer({}, span.begin_ns).integer({}, span.end_ns).close_array();
    }
    json.close_array();
  }
  json.close_array();
}

document::Figure means_figure(const traces::RankReport& report, std::size_t place) {
  json::JsonText json = chart("ranks");
  json.integer("job", std::int64_t(place)).close_object();
  std::string alt =
      text::counted(std::ssize(report.rows), "rank") + ": own work and waiting for others";
  if (report.straggler) {
    alt += "; rank " + std::to_string(report.straggler->rank) + " is the slowest";
  }
  return {.title = "Which rank the others wait for",
          .alt = alt + '.',
          .json = json.take(),
          .note = "Means over " + text::counted(report.steps, "common step") + ", " +
                  text::counted(report.collectives, "matched collective") + '.'};
}

// One step on all ranks side by side: own work, waiting, communication.
document::Figure lanes_figure(const traces::RankReport& report) {
  const std::size_t count = std::min(kMaxLanes, report.lanes.size());
  const auto lanes = std::span(report.lanes).first(count);
  std::vector<std::int64_t> ranks;
  for (std::size_t i = 0; i < count; ++i) ranks.push_back(report.rows[i].rank);
  const bool one_clock = report.skew_mean_ns.has_value();
  json::JsonText json = chart("lanes");
  json.integers("ranks", ranks).flag("one_clock", one_clock).open_object("lanes");
  add_lanes(json, "own work", lanes, [](const traces::RankLane& lane) {
    return traces::IntervalSet(lane.step) - lane.waits - lane.exchanges;
  });
  add_lanes(json, "waiting for others", lanes, [](const auto& lane) { return lane.waits; });
  add_lanes(json, "exchanging", lanes, [](const auto& lane) { return lane.exchanges; });
  json.close_object().close_object();
  std::string note =
      one_clock ? "" : "The clocks of the ranks cannot be compared: each lane begins at 0. ";
  if (count < report.lanes.size()) {
    note += "Drawn are the first " + std::to_string(count) + " of " +
            std::to_string(report.lanes.size()) + " ranks. ";
  }
  return {.title = "Step " + std::to_string(report.lanes_step) + " on each rank",
          .alt = "A lane for each of " + text::counted(std::ssize(ranks), "rank") +
                 ": when it works, waits for others and exchanges in a step of middle length.",
          .json = json.take(),
          .note = note + "A step of middle length."};
}

}  // namespace

std::vector<document::Figure> rank_figures(const traces::RankReport& report, std::size_t place) {
  std::vector<document::Figure> figures;
  if (report.rows.empty() || report.steps == 0) return figures;
  figures.push_back(means_figure(report, place));
  if (!report.lanes.empty()) figures.push_back(lanes_figure(report));
  if (auto waits = waits_figure(wait_matrix(report))) figures.push_back(*std::move(waits));
  return figures;
}

std::optional<document::Figure> waits_figure(const WaitMatrix& matrix) {
  if (matrix.empty()) return std::nullopt;
  json::JsonText json = chart("waits");
  json.integers("ranks", matrix.ranks).open_array("ns");
  for (const std::vector<double>& line : matrix.ns) add_numbers(json, {}, line);
  json.close_array().close_object();
  return document::Figure{
      .title = "Who waits for whom",
      .alt = "A square of " + text::counted(std::ssize(matrix.ranks), "rank") +
             ": how long each waits for each other in a step. Most is waited for rank " +
             std::to_string(matrix.ranks[matrix.most_waited_for()]) + '.',
      .json = json.take(),
      .note = "Means per step of a profiled launch."};
}

}  // namespace stepbench::report
