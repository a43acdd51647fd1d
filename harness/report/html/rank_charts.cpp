// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "harness/report/html/chart_json.h"
#include "harness/report/html/trace_charts.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxLanes = 64;
constexpr std::size_t kMaxPieces = 2000;  // per kind: more cannot be distinguished

// Adds [[begin_ns, end_ns], …] for each lane.
template <typename MomentsOf>
void add_lanes(json::JsonText& json, std::string_view kind,
               std::span<const analyze::RankLane> lanes, const MomentsOf& moments_of) {
  std::size_t pieces = 0;
  json.open_array(kind);
  for (const analyze::RankLane& lane : lanes) {
    json.open_array();
    for (const analyze::TimeSpan& span : moments_of(lane)) {
      if (pieces++ >= kMaxPieces) break;
      json.open_array().integer({}, span.begin_ns).integer({}, span.end_ns).close_array();
    }
    json.close_array();
  }
  json.close_array();
}

document::Figure means_figure(const analyze::RankReport& report, std::size_t place) {
  json::JsonText json = chart("ranks");
  json.integer("job", static_cast<std::int64_t>(place)).close_object();
  std::string alt =
      text::counted(std::ssize(report.rows), "rank") + ": own work and waiting for others";
  if (report.straggler) {
    alt += "; rank " + std::to_string(report.straggler->rank) + " is the slowest";
  }
  return {.title = "Which rank the others wait for",
          .alt = alt + '.',
          .json = json.take(),
          .note = "Means over " + text::counted(report.steps, "common step") + ", " +
                  text::counted(report.collectives, "matched collective") + '.',
          .height_px = 380};
}

// One step on all ranks side by side: own work, waiting, communication.
document::Figure lanes_figure(const analyze::RankReport& report) {
  const std::size_t count = std::min(kMaxLanes, report.lanes.size());
  const auto lanes = std::span(report.lanes).first(count);
  std::vector<std::int64_t> ranks;
  for (std::size_t i = 0; i < count; ++i) ranks.push_back(report.rows[i].rank);
  const bool one_clock = report.skew_mean_ns.has_value();
  json::JsonText json = chart("lanes");
  json.integers("ranks", ranks).flag("one_clock", one_clock).open_object("lanes");
  add_lanes(json, "own work", lanes, [](const analyze::RankLane& lane) {
    return analyze::IntervalSet(lane.step) - lane.waits - lane.exchanges;
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
          .note = note + "A step of middle length.",
          .height_px = 170 + 34 * static_cast<int>(count)};
}

}  // namespace

std::vector<document::Figure> rank_figures(const analyze::RankReport& report, std::size_t place) {
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
  constexpr int kTallest = 640;
  return document::Figure{
      .title = "Who waits for whom",
      .alt = "A square of " + text::counted(std::ssize(matrix.ranks), "rank") +
             ": how long each waits for each other in a step. Most is waited for rank " +
             std::to_string(matrix.ranks[matrix.most_waited_for()]) + '.',
      .json = json.take(),
      .note = "Means per step of a profiled launch.",
      .height_px = std::min(kTallest, 260 + 36 * static_cast<int>(matrix.ranks.size()))};
}

}  // namespace stepbench::report
