// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "harness/base/format.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/html/run_sections.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using estimate::CaseRow;
using estimate::Judged;

// A number of the cases, which the charts read from their JSON.
struct Measure {
  Judged by = Judged::kStep;
  std::string name;  // for a list: "step", "samples/s"
  std::string head;  // head of its column in the table of cases: "step [ms]"
  double unit = 1;   // nanoseconds, or 1 per second
};

// The times, and a rate if rows have one; first what the cases are ranked by.
std::vector<Measure> measures_of(const TableFacts& facts) {
  const bool latency = facts.latencies == std::set<bool>{true};
  std::vector<Measure> measures = {{.by = latency ? Judged::kLatency : Judged::kStep,
                                    .name = latency ? "latency" : "step",
                                    .head = headline_head(facts),
                                    .unit = facts.unit.ns}};
  const Judged first = facts.by.value_or(Judged::kStep);
  for (const Judged by : {first, Judged::kSamplesRate, Judged::kTokensRate, Judged::kBytesRate}) {
    const auto has_rate = [&](const CaseRow& row) { return judged_value(row, by).has_value(); };
    if (!estimate::is_rate(by) || std::ranges::none_of(facts.rows, has_rate)) continue;
    const auto [scale, name] = estimate::rate_unit(by);
    measures.insert(by == first ? measures.begin() : measures.end(),
                    {by, std::string(name), std::string(name), scale});
    break;
  }
  return measures;
}

// Distinguishes the row from others with the same options.
std::string series_text(const CaseRow& row, const estimate::RowNames& names) {
  std::vector<std::string> parts;
  if (names.has_runs()) parts.push_back(names.run(row));
  if (!row.arm.empty()) parts.push_back("arm " + row.arm);
  if (row.pass != Pass::kTiming) parts.emplace_back(name_of(row.pass));
  return text::join(parts, " ");
}

std::string series_title(const TableFacts& facts) {
  const bool arms =
      std::ranges::any_of(facts.rows, [](const CaseRow& row) { return !row.arm.empty(); });
  return facts.names.has_runs() ? "run" : arms ? "arm" : "pass";
}

// "step and samples/s by num_workers and batch_size"
std::string title_of(const TableFacts& facts) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> by;
  for (const std::string& option : facts.names.varying()) {
    by.push_back(estimate::short_name(option, facts.names.varying()));
  }
  if (const std::string series = series_title(facts); series != "pass") by.push_back(series);
  std::vector<std::string> numbers;
  for (const Measure& measure : measures_of(facts)) numbers.push_back(measure.name);
  return text::join_and(numbers) +
         (by.empty() || by.size() > kMostNamed ? " of each case" : " by " + text::join_and(by));
}

// On the mark of the best case and those that tie with it; empty if no case is marked.
std::string best_note(const TableFacts& facts) {
  if (!facts.ranking || !facts.ranking->decided) return {};
  const std::string mark = kBestMark;
  if (facts.ranking->all_tie) return "No case is marked: the intervals of all of them overlap.";
  if (facts.ranking->ties.empty()) return mark + " marks the best case.";
  return formatted(
      "{} marks the best case and those whose intervals overlap its interval: they are a tie and "
      "share a colour.",
      mark);
}

}  // namespace

std::vector<std::size_t> best_rows(const TableFacts& facts, std::size_t most) {
  std::vector<std::size_t> order(facts.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const CaseRow& row = facts.rows[i];
    if (row.vs_best) return -*row.vs_best;
    return row.headline_ns().value_or(std::numeric_limits<double>::infinity());
  });
  order.resize(std::min(most, order.size()));
  return order;
}

std::string short_id(const TableFacts& facts, const CaseRow& row) {
  return row.case_id.substr(0, estimate::id_digits(facts.rows));
}

void add_cases(json::JsonText& charts, const TableFacts& facts, const DrawOptions& options) {
  charts.open_object("unit").text("name", facts.unit.name).number("ns", facts.unit.ns);
  charts.close_object().text("head", headline_head(facts)).text("show", options.show_command);
  charts.integer("digits", static_cast<std::int64_t>(estimate::id_digits(facts.rows)));
  charts.integer("points", static_cast<std::int64_t>(options.points)).open_array("measures");
  for (const Measure& each : measures_of(facts)) {
    charts.open_object().text("name", each.name).text("head", each.head);
    charts.text("key", name_of(each.by)).number("unit", each.unit).close_object();
  }
  charts.close_array().open_array("options");
  for (const std::string& option : facts.names.varying()) {
    const std::string name = estimate::short_name(option, facts.names.varying());
    charts.open_array().text({}, option).text({}, chart_text(name)).close_array();
  }
  charts.close_array().text("series_title", series_title(facts));
  if (facts.ranking && facts.ranking->decided) {
    charts.integer("best", static_cast<std::int64_t>(facts.ranking->best));
  }
  add_each(charts, "labels", facts.rows,
           [&](const CaseRow& row) { return chart_text(facts.names.name(row)); });
  add_each(charts, "series", facts.rows,
           [&](const CaseRow& row) { return chart_text(series_text(row, facts.names)); });
  add_each(charts, "marked", facts.rows, [](const CaseRow& row) { return row.is_best ? 1 : 0; });
}

std::optional<document::Chapter> sweep_section(const TableFacts& facts) {
  constexpr std::size_t kAltCells = 400;
  const bool any = std::ranges::any_of(
      facts.rows, [](const CaseRow& row) { return row.headline_ns().has_value(); });
  if (facts.rows.size() < 2 || !any) return std::nullopt;
  document::Chapter section{.id = "sweep", .title = "Sweep", .blocks = {}};
  if (std::string note = best_note(facts); !note.empty()) {
    section.blocks.emplace_back(document::Paragraph{.text = std::move(note)});
  }
  const std::string answer = text::shortened(answer_line(facts.rows, facts.results), kAltCells);
  section.blocks.emplace_back(document::Figure{
      .title = title_of(facts),
      .alt = formatted("The number of each case{}.", answer.empty() ? "" : ". " + answer),
      .json = chart("sweep").close_object().take()});
  return section;
}

}  // namespace stepbench::report
