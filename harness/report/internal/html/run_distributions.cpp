// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/base/step_flags.h"
#include "harness/report/internal/findings.h"
#include "harness/report/internal/html/run_sections.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxDistributions = 12;  // and the same number of cases with a warning
constexpr std::size_t kOpen = 3;               // number of unfolded figures
constexpr std::size_t kMaxLaunchLines = 40;    // per case
constexpr std::size_t kTitleCells = 120;

// The steps over time, and their distribution if it does not follow from the drawn steps. Returns
// the number of drawn steps.
std::int64_t add_launch(json::JsonText& json, const record::Launch& launch, double unit_ns,
                        std::size_t points) {
  const estimate::StepColumns columns(launch);
  const std::vector<double> steps = columns.values("step_ns");
  const std::vector<std::size_t> kept = thin_out(steps, points);
  json.open_object().integer("launch", launch.row.key.launch);
  for (const char* name : {"index", "flags"}) {
    const std::vector<std::int64_t> values = columns.filled(name);
    if (std::ranges::all_of(values, [](std::int64_t each) { return each == 0; })) continue;
    add_each(json, name, kept, [&](std::size_t i) { return values[i]; });
  }
  add_each(json, "steps", kept, [&](std::size_t i) { return steps[i] / unit_ns; });
  std::vector<double> times = estimate::quantile_times(launch);
  if (kept.size() < steps.size() || times != steps) {
    std::ranges::sort(times);
    const std::vector<std::size_t> places = thin_out(times, points);
    add_each(json, "times", places, [&](std::size_t i) { return times[i] / unit_ns; });
    add_each(json, "shares", places, [all = static_cast<double>(times.size())](std::size_t i) {
      return 100 * static_cast<double>(i + 1) / all;
    });
  }
  json.close_object();
  return std::ssize(kept);
}

std::string title_of(const TableFacts& facts, const estimate::CaseRow& row) {
  const std::string label = text::shortened(facts.names.name(row), kTitleCells);
  const std::string id = "case " + short_id(facts, row);
  return label.starts_with(id) ? id : formatted("{} ({})", label, id);  // no option varies
}

std::string alt_of(const estimate::CaseRow& row, std::size_t launches) {
  std::string text = formatted("Distribution of the steps of {} and the steps over time",
                               text::counted(launches, "launch"));
  for (const auto& [name, ns] :
       {std::pair{"p50", row.p50_ns}, std::pair{"p90", row.p90_ns}, std::pair{"p99", row.p99_ns}}) {
    if (ns) text += formatted(", {} {}", name, text::duration(*ns));
  }
  return text + '.';
}

// Adds the number of drawn steps to `drawn`.
document::Figure figure_of(const TableFacts& facts, const DrawOptions& options, std::size_t place,
                           std::int64_t& drawn) {
  const estimate::CaseRow& row = facts.rows[place];
  const std::size_t count = std::min(row.measured.size(), kMaxLaunchLines);
  json::JsonText json = chart("distribution");
  json.integer("case", static_cast<std::int64_t>(place));
  add_each(json, "flags", kStepFlagNames, &StepFlagName::name);
  json.open_array("launches");
  std::int64_t shown = 0;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < row.measured.size(); ++i) {
    all += row.measured[i].estimate.steps;
    // Half of the points for the distribution, half for the steps over time.
    if (i < count) {
      shown += add_launch(json, *row.measured[i].launch, facts.unit.ns, options.points / 2 / count);
    }
  }
  drawn += shown;
  std::string note;
  if (count < row.measured.size()) {
    note = formatted("Drawn are the first {} of {}. ", count,
                     text::counted(std::ssize(row.measured), "launch"));
  }
  if (shown < all) {
    note += formatted("{} of {} steps are drawn: of each stretch the smallest and the largest.",
                      text::with_separators(shown), text::with_separators(all));
  }
  return {.title = title_of(facts, row),
          .alt = alt_of(row, count),
          .json = json.close_array().close_object().take(),
          .note = std::move(note)};
}

// Best cases first, then those with a warning.
std::vector<std::size_t> chosen_rows(const TableFacts& facts) {
  std::vector<std::size_t> rows = best_rows(facts, facts.rows.size());
  std::erase_if(rows, [&](std::size_t row) { return facts.rows[row].measured.empty(); });
  const estimate::Proposals proposals(facts.rows, facts.results);
  const auto warns = [&](std::size_t row) {
    return std::ranges::any_of(
        findings_of(facts.rows[row], proposals),
        [](const CaseFinding& each) { return each.finding.severity != Severity::kInfo; });
  };
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < rows.size() && chosen.size() < 2 * kMaxDistributions; ++i) {
    if (i < kMaxDistributions || warns(rows[i])) chosen.push_back(rows[i]);
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
    words +=
        formatted(" Drawn are {} of {} cases: the best {}, and of the others those with a warning.",
                  chosen.size(), text::with_separators(measured), kMaxDistributions);
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
