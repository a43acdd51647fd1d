// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/html/trace_charts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/report/internal/analysis_rows.h"
#include "harness/report/internal/analysis_words.h"
#include "harness/report/internal/html/chart_json.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/traces/trace.h"

namespace stepbench::report {
namespace {

using Parts = std::vector<const traces::StepPart*>;

// Those that occur in any step.
Parts parts_of(const traces::IdleReport& report) {
  Parts parts;
  for (const traces::StepPart& part : traces::step_parts()) {
    const auto occurs = [&](const traces::StepTime& step) { return part.of(step) != 0; };
    if (std::ranges::any_of(report.steps, occurs)) parts.push_back(&part);
  }
  return parts;
}

document::Table steps_table(const traces::Steps& steps, const traces::IdleReport& report,
                            const Parts& parts) {
  const std::vector<std::size_t> counted = steps.counted();
  const auto ms = [&](std::int64_t (*of)(const traces::StepTime&)) {
    return [&report, of](const std::size_t& i) {
      return document::number(static_cast<double>(of(report.steps[i])) / kNsPerMs);
    };
  };
  std::vector<document::Projected<std::size_t>> columns = {
      {{.head = "step"},
       [&](const std::size_t& i) { return document::count(steps.steps[i].number); }},
      {{.head = "wall"}, ms([](const traces::StepTime& step) { return step.wall_ns; })}};
  for (const traces::StepPart* part : parts) {
    columns.push_back({{.head = words_of_part(part->name, report.scope)}, ms(part->of)});
  }
  columns.push_back({document::words("counts"), [&](const std::size_t& i) {
                       return std::ranges::count(counted, i) > 0 ? "yes" : "no";
                     }});
  std::vector<std::size_t> places(std::min(report.steps.size(), steps.steps.size()));
  std::iota(places.begin(), places.end(), std::size_t{0});
  document::Table table = document::project<std::size_t>(places, std::move(columns));
  table.title = "Every step of the trace [ms]";
  return table;
}

}  // namespace

std::optional<document::Chapter> trace_section(const AnalysedTrace& analysed, std::size_t place,
                                               const std::string& id) {
  const traces::Steps& steps = analysed.analysis.steps;
  const traces::IdleReport* report = analysed.analysis.idle_of(analysed.device);
  if (report == nullptr || report->steps.empty()) return std::nullopt;
  const Parts parts = parts_of(*report);
  json::JsonText json = chart("trace_steps");
  json.integer("trace", static_cast<std::int64_t>(place));
  json.integer("idle", report - analysed.analysis.idle.data()).open_object("parts");
  for (const traces::StepPart* part : parts) {
    json.text(std::string(part->name) + "_ns", words_of_part(part->name, report->scope));
  }
  document::Figure figure{
      .title = "Where the time of each step went",
      .alt = text::counted(std::ssize(report->steps), "step") +
             ", each a stack of what the device did and of why it was idle.",
      .json = json.close_object().close_object().take(),
      .note =
          "The parts of a step sum to it. The first and the last step, and those that are not "
          "whole, count in no mean."};
  return document::Chapter{.id = id,
                           .title = "Steps of the trace",
                           .blocks = {std::move(figure), steps_table(steps, *report, parts)}};
}

namespace {

constexpr std::size_t kMaxDiffRows = 20;  // per figure; the data has all rows

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
    note += formatted(" The {} largest of {}.", shown, rows.size());
  }
  return {
      .title = title,
      .alt = formatted("{}: {} of {} changed; the first: {}, {} per step.", title, changed, shown,
                       names.front(), text::signed_duration(rows.front().difference_ns())),
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

document::Figure means_figure(const traces::RankReport& report, std::size_t place) {
  json::JsonText json = chart("ranks");
  json.integer("job", std::int64_t(place)).close_object();
  std::string alt =
      text::counted(std::ssize(report.rows), "rank") + ": own work and waiting for others";
  if (report.straggler) {
    alt += formatted("; rank {} is the slowest", report.straggler->rank);
  }
  return {.title = "Which rank the others wait for",
          .alt = alt + '.',
          .json = json.take(),
          .note = formatted("Means over {}, {}.", text::counted(report.steps, "common step"),
                            text::counted(report.collectives, "matched collective"))};
}

// One step on all ranks side by side: own work, waiting, communication; each a list of
// [[begin_ns, end_ns], …] for each rank.
document::Figure lanes_figure(const traces::RankReport& report) {
  const std::size_t count = std::min(kMaxLanes, report.lanes.size());
  const auto lanes = std::span(report.lanes).first(count);
  const bool one_clock = report.skew_mean_ns.has_value();
  json::JsonText json = chart("lanes");
  add_each(json, "ranks", std::span(report.rows).first(count), &traces::RankRow::rank);
  json.flag("one_clock", one_clock).open_object("lanes");
  using MomentsOf = traces::IntervalSet (*)(const traces::RankLane&);
  for (const auto& [kind, moments_of] :
       {std::pair<const char*, MomentsOf>{"own work",
                                          [](const auto& lane) {
                                            return traces::IntervalSet(lane.step) - lane.waits -
                                                   lane.exchanges;
                                          }},
        {"waiting for others", [](const auto& lane) { return lane.waits; }},
        {"exchanging", [](const auto& lane) { return lane.exchanges; }}}) {
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
  json.close_object().close_object();
  std::string note =
      one_clock ? "" : "The clocks of the ranks cannot be compared: each lane begins at 0. ";
  if (count < report.lanes.size()) {
    note += formatted("Drawn are the first {} of {} ranks. ", count, report.lanes.size());
  }
  return {.title = formatted("Step {} on each rank", report.lanes_step),
          .alt = formatted("A lane for each of {}: when it works, waits for others and exchanges "
                           "in a step of middle length.",
                           text::counted(count, "rank")),
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
  for (const std::vector<double>& line : matrix.ns) add_each(json, {}, line);
  json.close_array().close_object();
  return document::Figure{.title = "Who waits for whom",
                          .alt = formatted("A square of {}: how long each waits for each other in "
                                           "a step. Most is waited for rank {}.",
                                           text::counted(std::ssize(matrix.ranks), "rank"),
                                           matrix.ranks[matrix.most_waited_for()]),
                          .json = json.take(),
                          .note = "Means per step of a profiled launch."};
}

}  // namespace stepbench::report
