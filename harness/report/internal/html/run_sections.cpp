// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/html/run_sections.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/step_flags.h"
#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"
#include "harness/report/internal/findings.h"
#include "harness/report/internal/html/case_chart.h"
#include "harness/report/internal/html/chart_json.h"
#include "harness/report/internal/html/trace_charts.h"
#include "harness/report/result_tables.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// Beyond these numbers only the best cases are drawn, which the figures mention.
constexpr std::size_t kMaxAnatomyCases = 40;
constexpr std::size_t kMaxDistributions = 12;  // and the same number of cases with a warning

struct PhaseKind {
  std::vector<estimate::PhaseEstimate> estimate::CaseRow::*of;
  const char* key;     // key in a case's JSON
  const char* title;   // title of its figure
  const char* suffix;  // in the table's title
};
constexpr PhaseKind kKinds[] = {
    {&estimate::CaseRow::phases, "phases", "Phases of a step on the host, by its own clock", ""},
    {&estimate::CaseRow::device_phases, "device_phases",
     "Phases of a step on the stream that computes", ", device"},
    {&estimate::CaseRow::side_phases, "side_phases", "Phases on other streams, beside the step",
     ", beside the step"}};

// The drawn cases, as row indexes.
struct Anatomy {
  const TableFacts& facts;
  std::vector<std::size_t> drawn = {};
  std::int64_t with_phases = 0;

  [[nodiscard]] const auto& phases(std::size_t row, const PhaseKind& kind) const {
    return facts.rows[row].*kind.of;
  }
  [[nodiscard]] bool has(const PhaseKind& kind) const {
    return std::ranges::any_of(drawn, [&](std::size_t row) { return !phases(row, kind).empty(); });
  }
};

Anatomy anatomy_of(const TableFacts& facts) {
  Anatomy anatomy{.facts = facts};
  anatomy.drawn = best_rows(facts, measures_of(facts).front(), kMaxAnatomyCases);
  std::erase_if(anatomy.drawn, [&](std::size_t row) { return facts.rows[row].phases.empty(); });
  anatomy.with_phases = std::ranges::count_if(
      facts.rows, [](const estimate::CaseRow& row) { return !row.phases.empty(); });
  return anatomy;
}

// "forward is the longest phase of each."
std::string longest_phase(const Anatomy& anatomy, const PhaseKind& kind) {
  std::map<std::string, std::size_t> longest;
  for (const std::size_t row : anatomy.drawn) {
    const auto& phases = anatomy.phases(row, kind);
    const auto most = std::ranges::max_element(phases, {}, &estimate::PhaseEstimate::ns);
    if (most != phases.end()) ++longest[most->name];
  }
  const auto most =
      std::ranges::max_element(longest, {}, [](const auto& each) { return each.second; });
  if (most == longest.end()) return {};
  const bool each = most->second == anatomy.drawn.size();
  return most->first + " is the longest phase of " +
         (each ? "each" : std::to_string(most->second) + " of them") + '.';
}

document::Figure figure_of(const Anatomy& anatomy, const PhaseKind& kind, bool is_step) {
  json::JsonText json = chart("anatomy");
  json.text("phases", kind.key).flag("step", is_step);
  add_places(json, "rows", anatomy.drawn);
  json.close_object();
  const std::int64_t drawn = std::ssize(anatomy.drawn);
  return {.title = kind.title,
          .alt = std::string("Stacked bars: ") + kind.title + ", of " +
                 text::counted(drawn, "case") + ". " + longest_phase(anatomy, kind),
          .json = json.take(),
          .note = drawn < anatomy.with_phases
                      ? "Drawn are the " + std::to_string(drawn) + " best of " +
                            text::with_separators(anatomy.with_phases) + " cases."
                      : ""};
}

// The bars as numbers, with one column per phase in step order.
document::Table phases_table(const Anatomy& anatomy) {
  const TableFacts& facts = anatomy.facts;
  const std::string unit = " [" + std::string(facts.unit.name) + ']';
  document::Table table{.title = "Phases of a step by case",
                        .columns = {document::words("case"), document::words("options")},
                        .rows = {}};
  for (const std::size_t row : anatomy.drawn) {
    table.rows.push_back(
        {.cells = {{short_id(facts, facts.rows[row])}, {facts.names.name(facts.rows[row])}}});
  }
  for (const PhaseKind& kind : kKinds) {
    std::vector<std::string> names;
    for (const std::size_t row : anatomy.drawn) {
      for (const estimate::PhaseEstimate& phase : anatomy.phases(row, kind)) {
        if (std::ranges::find(names, phase.name) == names.end()) names.push_back(phase.name);
      }
    }
    std::ranges::stable_sort(names, {}, [](const std::string& name) {
      return name == "data_wait" ? 0 : name == "other" ? 2 : 1;
    });
    for (const std::string& name : names) {
      table.columns.push_back({.head = name + kind.suffix + unit});
      for (std::size_t i = 0; i < anatomy.drawn.size(); ++i) {
        const auto& phases = anatomy.phases(anatomy.drawn[i], kind);
        const auto phase = std::ranges::find(phases, name, &estimate::PhaseEstimate::name);
        table.rows[i].cells.push_back(phase == phases.end()
                                          ? document::Cell("-")
                                          : document::number(phase->ns / facts.unit.ns));
      }
    }
  }
  return table;
}

}  // namespace

std::optional<document::Chapter> anatomy_section(const TableFacts& facts) {
  const Anatomy anatomy = anatomy_of(facts);
  if (anatomy.drawn.empty()) return std::nullopt;
  document::Chapter section{.id = "anatomy", .title = "Anatomy of a step", .blocks = {}};
  const auto& [host, device, side] = kKinds;
  const auto add = [&](const PhaseKind& kind, bool is_step) {
    if (anatomy.has(kind)) section.blocks.emplace_back(figure_of(anatomy, kind, is_step));
  };
  add(host, !anatomy.has(device));
  if (anatomy.has(device)) {
    section.blocks.emplace_back(document::Paragraph{
        "On the stream that computes, by CUDA events: what a step costs where the device sets the "
        "pace."});
  }
  add(device, true);
  if (anatomy.has(side)) {
    section.blocks.emplace_back(
        document::Paragraph{"Work of other streams is not part of the step."});
  }
  add(side, false);
  section.blocks.emplace_back(phases_table(anatomy));
  return section;
}

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
  return "Distribution of the steps of " + text::counted(launches, "launch") +
         " and the steps over time" + in_words("p50", row.p50_ns) + in_words("p90", row.p90_ns) +
         in_words("p99", row.p99_ns) + '.';
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
          .note = std::move(note)};
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

namespace {

constexpr std::size_t kMaxCases = 8;
constexpr std::size_t kMaxRanks = 64;

// Phases in step order, from the median launch.
document::Figure phases_figure(const CaseRanks& one) {
  std::vector<std::int64_t> ranks;
  std::vector<double> steps;
  for (const auto& [rank, values] : one.ranks) {
    if (ranks.size() == kMaxRanks) break;
    ranks.push_back(rank);
    steps.push_back(median_of(values.step_ns).value_or(0));
  }
  json::JsonText json = chart("rank_phases");
  json.integers("ranks", ranks);
  add_numbers(json, "step_ns", steps);
  json.open_array("parts");
  for (const std::string& part : parts_of(one.ranks)) {
    std::vector<double> ns;
    for (const std::int64_t rank : ranks)
      ns.push_back(one.ranks.at(static_cast<int>(rank)).part_ns(part));
    json.open_object().text("name", part);
    add_numbers(json, "ns", ns);
    json.close_object();
  }
  json.close_array().close_object();
  std::string note =
      "Phases in the order of a step; a phase that holds collectives holds what the "
      "rank waits for others, too.";
  if (ranks.size() < one.ranks.size()) {
    note += " Drawn are the first " + std::to_string(ranks.size()) + " of " +
            std::to_string(one.ranks.size()) + " ranks.";
  }
  return {.title = "A step on each rank",
          .alt = "Stacked bars: the phases of a step on each of " +
                 text::counted(std::ssize(one.ranks), "rank") + '.',
          .json = json.take(),
          .note = std::move(note)};
}

void add_case(const CaseRanks& one, bool several, std::vector<document::Block>& blocks) {
  if (several) blocks.emplace_back(document::Heading{one.name});
  if (!one.straggler.empty()) {
    blocks.emplace_back(document::Paragraph{one.straggler, document::Tone::kDoubt});
  } else if (one.profiled()) {
    blocks.emplace_back(document::Paragraph{
        "No rank is named: none is the slowest, by 1 % of the step, in more of the profiled steps "
        "than chance explains."});
  }
  blocks.emplace_back(phases_figure(one));
  const WaitMatrix matrix = wait_matrix(one.ranks);
  if (auto figure = waits_figure(matrix)) blocks.emplace_back(std::move(*figure));
  blocks.emplace_back(ranks_table("ranks", one.ranks));
  if (auto table = wait_table(matrix)) blocks.emplace_back(std::move(*table));
}

}  // namespace

std::optional<document::Chapter> ranks_section(const TableFacts& facts) {
  std::vector<CaseRanks> cases = cases_with_ranks(facts.rows, facts.names, facts.results);
  if (cases.empty()) return std::nullopt;
  document::Chapter section{.id = "ranks", .title = "Ranks", .blocks = {}};
  // Cases with a straggler first: there is something to gain.
  std::stable_partition(cases.begin(), cases.end(),
                        [](const CaseRanks& each) { return !each.straggler.empty(); });
  const std::size_t shown = std::min(kMaxCases, cases.size());
  for (std::size_t i = 0; i < shown; ++i) add_case(cases[i], cases.size() > 1, section.blocks);
  if (shown < cases.size()) {
    section.blocks.emplace_back(document::Paragraph{"Shown are " + std::to_string(shown) + " of " +
                                                    text::counted(std::ssize(cases), "case") +
                                                    "; stepbench show --ranks shows all."});
  }
  const bool profiled = std::ranges::any_of(cases, &CaseRanks::profiled);
  document::add_paragraphs(section.blocks, ranks_words(profiled));
  return section;
}

}  // namespace stepbench::report
