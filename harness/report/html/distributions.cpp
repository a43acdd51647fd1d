// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "harness/base/step_flags.h"
#include "harness/estimate/step_columns.h"
#include "harness/report/findings.h"
#include "harness/report/html/case_chart.h"
#include "harness/report/html/chart_json.h"
#include "harness/report/html/run_sections.h"
#include "harness/text/numbers.h"
#include "harness/text/utf8.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kOpen = 3;             // number of unfolded figures
constexpr std::size_t kMaxLaunchLines = 40;  // per case
constexpr std::size_t kTitleCells = 120;

// Steps of a launch, in order.
struct LaunchSteps {
  int number = 0;
  std::vector<double> times;  // basis of the percentiles, in the table's unit
  std::vector<double> steps;  // all steps of the window
  std::vector<std::int64_t> index;
  std::vector<std::int64_t> flags;
};

LaunchSteps steps_of(const record::Launch& launch, double unit) {
  const estimate::StepColumns columns(launch);
  LaunchSteps read{.number = launch.row.key.launch,
                   .times = estimate::quantile_times(launch),
                   .steps = columns.values("step_ns"),
                   .index = columns.filled("index"),
                   .flags = columns.filled("flags")};
  for (double& each : read.times) each /= unit;
  for (double& each : read.steps) each /= unit;
  return read;
}

template <typename T>
std::vector<T> picked(const std::vector<T>& values, const std::vector<std::size_t>& places) {
  std::vector<T> kept;
  for (const std::size_t i : places) kept.push_back(values[i]);
  return kept;
}

// Adds the distribution only if it does not follow from the drawn steps. Returns their number.
std::int64_t add_launch(json::JsonText& json, const LaunchSteps& launch, std::size_t points) {
  const std::vector<std::size_t> kept = thin_out(launch.steps, points);
  json.open_object().integer("launch", launch.number);
  json.integers("at", picked(launch.index, kept));
  add_numbers(json, "steps", picked(launch.steps, kept));
  if (kept.size() < launch.steps.size() || launch.times != launch.steps) {
    std::vector<double> sorted = launch.times;
    std::ranges::sort(sorted);
    const std::vector<std::size_t> places = thin_out(sorted, points);
    std::vector<double> shares;
    for (const std::size_t i : places) {
      shares.push_back(100 * static_cast<double>(i + 1) / static_cast<double>(sorted.size()));
    }
    add_numbers(json, "times", picked(sorted, places));
    add_numbers(json, "shares", shares, 4);
  }
  json.close_object();
  return std::ssize(kept);
}

void add_flagged(json::JsonText& json, const std::vector<LaunchSteps>& launches, std::size_t kind,
                 std::size_t points) {
  const auto& [bits, name] = kStepFlagNames[kind];
  std::vector<double> values;
  std::vector<std::int64_t> at;
  for (const LaunchSteps& launch : launches) {
    for (std::size_t i = 0; i < launch.flags.size(); ++i) {
      if ((launch.flags[i] & bits) == 0) continue;
      values.push_back(launch.steps[i]);
      at.push_back(launch.index[i]);
    }
  }
  if (values.empty()) return;
  const std::vector<std::size_t> kept = thin_out(values, points);
  json.open_object().text("name", name).integer("kind", static_cast<std::int64_t>(kind));
  json.integer("count", std::ssize(values)).integers("at", picked(at, kept));
  add_numbers(json, "steps", picked(values, kept));
  json.close_object();
}

std::string title_of(const TableFacts& facts, const estimate::CaseRow& row) {
  const std::string label = text::shortened(facts.names.name(row), kTitleCells);
  const std::string id = "case " + short_id(facts, row);
  return label.starts_with(id) ? id : label + " (" + id + ')';  // no option varies
}

std::string alt_of(const estimate::CaseRow& row, std::size_t launches) {
  const auto in_words = [](const char* name, std::optional<double> ns) {
    return ns ? std::string(", ") + name + ' ' + text::duration(*ns) : std::string();
  };
  return "Distribution of the steps of " +
         text::counted(static_cast<std::int64_t>(launches), "launch") + " and the steps over time" +
         in_words("p50", row.p50_ns) + in_words("p90", row.p90_ns) + in_words("p99", row.p99_ns) +
         '.';
}

// Adds the number of drawn steps to `drawn`.
document::Figure figure_of(const TableFacts& facts, const DrawOptions& options, std::size_t place,
                           std::int64_t& drawn) {
  const estimate::CaseRow& row = facts.rows[place];
  const std::size_t count = std::min(row.measured.size(), kMaxLaunchLines);
  // Half of the points for the distribution, half for the steps over time.
  const std::size_t points =
      std::max<std::size_t>(options.points / 2 / std::max<std::size_t>(count, 1), 4);
  std::vector<LaunchSteps> launches;
  for (std::size_t i = 0; i < count; ++i) {
    launches.push_back(steps_of(*row.measured[i].launch, facts.unit.ns));
  }
  json::JsonText json = chart("distribution");
  json.integer("case", static_cast<std::int64_t>(place)).open_array("launches");
  std::int64_t shown = 0;
  for (const LaunchSteps& each : launches) shown += add_launch(json, each, points);
  json.close_array().open_array("flags");
  for (std::size_t kind = 0; kind < std::size(kStepFlagNames); ++kind) {
    add_flagged(json, launches, kind, points * count / 4);
  }
  json.close_array().close_object();
  std::int64_t all = 0;
  for (const estimate::MeasuredLaunch& each : row.measured) all += each.estimate.steps;
  std::string note;
  if (count < row.measured.size()) {
    note = "Drawn are the first " + std::to_string(count) + " of " +
           text::counted(std::ssize(row.measured), "launch") + ". ";
  }
  if (shown < all) {
    note += text::with_separators(shown) + " of " + text::with_separators(all) +
            " steps are drawn: of each stretch the smallest and the largest.";
  }
  drawn += shown;
  return {.title = title_of(facts, row),
          .alt = alt_of(row, count),
          .json = json.take(),
          .note = std::move(note),
          .height_px = 620};
}

// Best cases first, then those with a warning.
std::vector<std::size_t> chosen_rows(const TableFacts& facts) {
  std::vector<std::size_t> chosen;
  std::vector<std::size_t> others;
  for (const std::size_t row : ranking_order(facts, measures_of(facts).front())) {
    if (facts.rows[row].measured.empty()) continue;
    (chosen.size() < kMaxDistributions ? chosen : others).push_back(row);
  }
  const estimate::Proposals proposals(facts.rows, facts.results);
  std::size_t warned = 0;
  for (const std::size_t row : others) {
    if (warned == kMaxDistributions) break;
    const std::vector<CaseFinding> found = findings_of(facts.rows[row], proposals);
    if (std::ranges::none_of(found, [](const CaseFinding& each) {
          return each.finding.severity != Severity::kInfo;
        })) {
      continue;
    }
    chosen.push_back(row);
    ++warned;
  }
  return chosen;
}

}  // namespace

std::optional<document::Chapter> distributions_section(const TableFacts& facts,
                                                       const DrawOptions& options) {
  const std::vector<std::size_t> chosen = chosen_rows(facts);
  if (chosen.empty()) return std::nullopt;
  document::Chapter section{
      .id = "distributions", .title = "Distribution of the steps", .blocks = {}};
  std::string words =
      "Every step of each launch; percentiles are those of the table, medians over the launches.";
  const auto measured = std::ranges::count_if(
      facts.rows, [](const estimate::CaseRow& row) { return !row.measured.empty(); });
  if (std::ssize(chosen) < measured) {
    words += " Drawn are " + std::to_string(chosen.size()) + " of " +
             text::with_separators(measured) + " cases: the best " +
             std::to_string(kMaxDistributions) + ", and of the others those with a warning.";
  }
  section.blocks.emplace_back(document::Paragraph{words});
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    document::Figure figure = figure_of(facts, options, chosen[i], section.steps_drawn);
    figure.folded = i >= kOpen;
    section.blocks.emplace_back(std::move(figure));
  }
  return section;
}

}  // namespace stepbench::report
