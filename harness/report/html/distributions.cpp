// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/distributions.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "harness/base/step_flags.h"
#include "harness/estimate/step_columns.h"
#include "harness/report/findings.h"
#include "harness/report/html/case_chart.h"
#include "harness/report/html/figure.h"
#include "harness/report/html/thin_out.h"
#include "harness/text/numbers.h"
#include "harness/text/utf8.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kOpen = 3;              // figures that are not folded
constexpr std::size_t kInLegend = 8;          // launches
constexpr std::size_t kMostLaunchLines = 40;  // of a case
constexpr std::size_t kTitleCells = 120;
constexpr const char* kFlagSymbols[] = {"diamond", "square", "triangle-up", "star", "cross"};

// The steps of a launch, in order.
struct LaunchSteps {
  int number = 0;
  std::vector<double> times;  // what percentiles are of, in the unit of the table
  std::vector<double> steps;  // all of the window
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

class DistributionFigure {
 public:
  DistributionFigure(const TableFacts& facts, const CaseWords& words, const DrawOptions& options,
                     const estimate::CaseRow& row)
      : facts_(facts), words_(words), row_(row) {
    const std::size_t count = std::min(row.measured.size(), kMostLaunchLines);
    for (std::size_t i = 0; i < count; ++i) {
      launches_.push_back(steps_of(*row.measured[i].launch, facts.unit.ns));
    }
    for (const estimate::MeasuredLaunch& each : row.measured) all_ += each.estimate.steps;
    // Two halves: one for the distribution, one for the steps over time.
    points_ = std::max<std::size_t>(options.points / 2 / std::max<std::size_t>(count, 1), 4);
  }

  document::Figure draw() {
    for (std::size_t i = 0; i < launches_.size(); ++i) add_distribution(i);
    for (std::size_t i = 0; i < launches_.size(); ++i) add_steps(i);
    for (std::size_t kind = 0; kind < std::size(kStepFlagNames); ++kind) add_flagged(kind);
    json::JsonText& layout = json_.layout();
    const std::string unit = " [" + std::string(facts_.unit.name) + ']';
    const std::string what = (row_.latency_ns ? "latency" : "step, host clock") + unit;
    add_axis(layout, "xaxis", {.title = what, .domain = "0,1", .anchor = "y"});
    add_axis(layout, "yaxis",
             {.title = "steps at most as long [%]",
              .from_zero = true,
              .domain = "0.58,1",
              .anchor = "x"});
    add_axis(layout, "xaxis2", {.title = "step since set-up", .domain = "0,1", .anchor = "y2"});
    add_axis(layout, "yaxis2",
             {.title = "step" + unit, .from_zero = true, .domain = "0,0.4", .anchor = "x2"});
    add_percentiles(layout);
    const std::string label = text::shortened(words_.label(row_), kTitleCells);
    const std::string id = "case " + words_.id(row_);
    return {.title = label.starts_with(id) ? id : label + " (" + id + ')',  // nothing varies
            .alt = alt_text(),
            .json = json_.take(),
            .note = note(),
            .height_px = 620};
  }

  [[nodiscard]] std::int64_t steps_drawn() const { return drawn_; }

 private:
  [[nodiscard]] std::string alt_text() const {
    const auto in_words = [](const char* name, std::optional<double> ns) {
      return ns ? std::string(", ") + name + ' ' + text::duration(*ns) : std::string();
    };
    return "Distribution of the steps of " + text::counted(std::ssize(launches_), "launch") +
           " and the steps over time" + in_words("p50", row_.p50_ns) +
           in_words("p90", row_.p90_ns) + in_words("p99", row_.p99_ns) + '.';
  }

  [[nodiscard]] std::string note() const {
    std::string text;
    if (launches_.size() < row_.measured.size()) {
      text = "Drawn are the first " + std::to_string(launches_.size()) + " of " +
             text::counted(std::ssize(row_.measured), "launch") + ". ";
    }
    if (drawn_ < all_) {
      text += text::with_separators(drawn_) + " of " + text::with_separators(all_) +
              " steps are drawn: of each stretch the smallest and the largest.";
    }
    return text;
  }

  [[nodiscard]] std::string launch_name(std::size_t place) const {
    return "launch " + std::to_string(launches_[place].number);
  }

  void add_look(json::JsonText& trace, std::size_t place, bool in_legend) const {
    trace.open_object("line").text("color", series_colour(place));
    trace.text("dash", series_dash(place)).number("width", 1.5);
    if (in_legend) trace.text("shape", "hv");
    trace.close_object();
    trace.text("legendgroup", std::to_string(place));
    trace.flag("showlegend", in_legend && launches_.size() <= kInLegend);
  }

  void add_distribution(std::size_t place) {
    std::vector<double> sorted = launches_[place].times;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> values;
    std::vector<double> shares;
    for (const std::size_t i : thin_out(sorted, points_)) {
      values.push_back(sorted[i]);
      shares.push_back(100 * static_cast<double>(i + 1) / static_cast<double>(sorted.size()));
    }
    const std::string name = launch_name(place);
    json::JsonText& trace = json_.open_trace("scatter", name);
    trace.text("mode", values.size() == 1 ? "markers" : "lines");
    add_numbers(trace, "x", values);
    add_numbers(trace, "y", shares, 4);
    trace.text("hovertemplate", name + "<br>%{y:.1f} % of its steps take at most %{x} " +
                                    std::string(facts_.unit.name) + "<extra></extra>");
    add_look(trace, place, true);
    json_.close_trace();
  }

  void add_steps(std::size_t place) {
    const LaunchSteps& launch = launches_[place];
    std::vector<double> values;
    std::vector<std::int64_t> at;
    for (const std::size_t i : thin_out(launch.steps, points_)) {
      values.push_back(launch.steps[i]);
      at.push_back(launch.index[i]);
    }
    drawn_ += std::ssize(values);
    const std::string name = launch_name(place);
    json::JsonText& trace = json_.open_trace("scatter", name);
    trace.text("mode", values.size() == 1 ? "markers" : "lines");
    trace.integers("x", at);
    add_numbers(trace, "y", values);
    trace.text("xaxis", "x2").text("yaxis", "y2");
    trace.text("hovertemplate",
               name + ", step %{x}<br>%{y} " + std::string(facts_.unit.name) + "<extra></extra>");
    add_look(trace, place, false);
    json_.close_trace();
  }

  // Marks on the steps of all launches that carry the flag.
  void add_flagged(std::size_t kind) {
    const auto& [bits, name] = kStepFlagNames[kind];
    std::vector<double> values;
    std::vector<double> at;
    for (const LaunchSteps& launch : launches_) {
      for (std::size_t i = 0; i < launch.flags.size(); ++i) {
        if ((launch.flags[i] & bits) == 0) continue;
        values.push_back(launch.steps[i]);
        at.push_back(static_cast<double>(launch.index[i]));
      }
    }
    if (values.empty()) return;
    const std::vector<std::size_t> kept = thin_out(values, points_ * launches_.size() / 4);
    std::vector<double> kept_values;
    std::vector<double> kept_at;
    for (const std::size_t i : kept) {
      kept_values.push_back(values[i]);
      kept_at.push_back(at[i]);
    }
    const std::string legend =
        std::string(name) + ", " + text::counted(std::ssize(values), "step") +
        (kept.size() < values.size() ? ", " + text::with_separators(std::ssize(kept)) + " drawn"
                                     : "");
    json::JsonText& trace = json_.open_trace("scatter", legend);
    trace.text("mode", "markers");
    add_numbers(trace, "x", kept_at, 12);
    add_numbers(trace, "y", kept_values);
    trace.text("xaxis", "x2").text("yaxis", "y2").flag("showlegend", true);
    trace.text("hovertemplate", std::string(name) + "<br>step %{x}: %{y} " +
                                    std::string(facts_.unit.name) + "<extra></extra>");
    trace.open_object("marker").text("symbol", kFlagSymbols[kind]).integer("size", 8);
    trace.text("color", kBadColour).close_object();
    json_.close_trace();
  }

  // Upright lines at those of the table: medians over the launches.
  void add_percentiles(json::JsonText& layout) const {
    const std::pair<const char*, std::optional<double>> percentiles[] = {
        {"p50", row_.p50_ns}, {"p90", row_.p90_ns}, {"p99", row_.p99_ns}};
    layout.open_array("shapes");
    for (const auto& [name, ns] : percentiles) {
      if (!ns) continue;
      layout.open_object().text("type", "line").text("yref", "y domain");
      add_number(layout, "x0", *ns / facts_.unit.ns);
      add_number(layout, "x1", *ns / facts_.unit.ns);
      layout.integer("y0", 0).integer("y1", 1).open_object("line").text("color", kDimColour);
      layout.integer("width", 1).text("dash", "dot").close_object().close_object();
    }
    layout.close_array().open_array("annotations");
    // Each a line lower, since p50 and p90 may lie close together.
    double height = 0.36;
    for (const auto& [name, ns] : percentiles) {
      if (!ns) continue;
      layout.open_object();
      layout.text("text",
                  plotly_text(std::string(name) + ' ' + text::significant(*ns / facts_.unit.ns)));
      add_number(layout, "x", *ns / facts_.unit.ns);
      layout.text("yref", "y domain").number("y", height).flag("showarrow", false);
      layout.text("xanchor", "left").integer("xshift", 3).close_object();
      height -= 0.15;
    }
    layout.close_array();
  }

  const TableFacts& facts_;
  const CaseWords& words_;
  const estimate::CaseRow& row_;
  std::vector<LaunchSteps> launches_;
  std::size_t points_ = 0;  // of a launch, in each half
  std::int64_t all_ = 0;
  std::int64_t drawn_ = 0;
  FigureJson json_;
};

bool has_warning(const estimate::CaseRow& row, const estimate::Proposals& proposals) {
  const std::vector<CaseFinding> found = findings_of(row, proposals);
  return std::any_of(found.begin(), found.end(), [](const CaseFinding& each) {
    return each.finding.severity != Severity::kInfo;
  });
}

// The best ones first, then those with a warning.
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
    if (!has_warning(facts.rows[row], proposals)) continue;
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
  const auto measured =
      std::count_if(facts.rows.begin(), facts.rows.end(),
                    [](const estimate::CaseRow& row) { return !row.measured.empty(); });
  if (std::ssize(chosen) < measured) {
    words += " Drawn are " + std::to_string(chosen.size()) + " of " +
             text::with_separators(measured) + " cases: the best " +
             std::to_string(kMaxDistributions) + ", and of the others those with a warning.";
  }
  section.blocks.emplace_back(document::Paragraph{words});
  const CaseWords case_words(facts, options);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    DistributionFigure drawing(facts, case_words, options, facts.rows[chosen[i]]);
    document::Figure figure = drawing.draw();
    figure.folded = i >= kOpen;
    section.steps_drawn += drawing.steps_drawn();
    section.blocks.emplace_back(std::move(figure));
  }
  return section;
}

}  // namespace stepbench::report
