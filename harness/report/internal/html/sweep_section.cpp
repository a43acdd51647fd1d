// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "harness/report/internal/answer.h"
#include "harness/report/internal/html/case_chart.h"
#include "harness/report/internal/html/chart_json.h"
#include "harness/report/internal/html/run_sections.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxDrawnCases = 2000;  // only the best ones, which the figure mentions

// Names what distinguishes rows with the same options: runs, arms or passes.
std::string series_title(const TableFacts& facts) {
  const bool arms = std::ranges::any_of(
      facts.rows, [](const estimate::CaseRow& row) { return !row.arm.empty(); });
  return facts.names.has_runs() ? "run" : arms ? "arm" : "pass";
}

// "step and samples/s by num_workers and batch_size"
std::string title_of(const TableFacts& facts, const std::vector<Measure>& measures) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> numbers;
  for (const Measure& measure : measures) numbers.push_back(measure.name);
  std::vector<std::string> by;
  for (const std::string& option : facts.names.varying()) {
    by.push_back(estimate::short_name(option, facts.names.varying()));
  }
  if (const std::string series = series_title(facts); series != "pass") by.push_back(series);
  return text::join_and(numbers) +
         (by.empty() || by.size() > kMostNamed ? " of each case" : " by " + text::join_and(by));
}

// The options that vary with their short names.
void add_space(json::JsonText& charts, const TableFacts& facts,
               const std::vector<std::size_t>& rows) {
  charts.open_object("sweep");
  add_places(charts, "rows", rows);
  charts.open_array("options");
  for (const std::string& option : facts.names.varying()) {
    const std::string name = estimate::short_name(option, facts.names.varying());
    charts.open_array().text({}, option).text({}, chart_text(name)).close_array();
  }
  charts.close_array().text("series", series_title(facts)).close_object();
}

}  // namespace

std::optional<document::Chapter> sweep_section(const TableFacts& facts, json::JsonText& charts) {
  constexpr std::size_t kAltCells = 400;
  const std::vector<Measure> measures = measures_of(facts);
  const std::vector<std::size_t> rows = best_rows(facts, measures.front(), kMaxDrawnCases);
  const bool any = std::ranges::any_of(
      rows, [&](std::size_t row) { return has_number(facts.rows[row], measures.front()); });
  if (facts.rows.size() < 2 || !any) return std::nullopt;
  add_space(charts, facts, rows);
  document::Chapter section{.id = "sweep", .title = "Sweep", .blocks = {}};
  if (std::string note = best_note(facts); !note.empty()) {
    section.blocks.emplace_back(document::Paragraph{.text = std::move(note)});
  }
  const std::string answer = text::shortened(answer_line(facts.rows, facts.results), kAltCells);
  document::Figure figure{
      .title = title_of(facts, measures),
      .alt = "The number of each case" + (answer.empty() ? "" : ". " + answer) + '.',
      .json = chart("sweep").close_object().take()};
  if (facts.rows.size() > rows.size()) {
    figure.note = "Drawn are the " + text::with_separators(std::ssize(rows)) + " best of " +
                  text::with_separators(std::ssize(facts.rows)) +
                  " cases; the data of this page has all.";
  }
  section.blocks.emplace_back(std::move(figure));
  return section;
}

}  // namespace stepbench::report
