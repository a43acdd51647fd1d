// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/case_chart.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "harness/report/answer.h"
#include "harness/report/html/figure.h"
#include "harness/text/numbers.h"
#include "harness/text/utf8.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr double kNoEnd = std::numeric_limits<double>::quiet_NaN();

Measure time_measure(const TableFacts& facts) {
  const bool latency = facts.latencies == std::set<bool>{true};
  return {.by = latency ? estimate::Judged::kLatency : estimate::Judged::kStep,
          .name = latency ? "latency" : "step",
          .head = headline_head(facts),
          .unit = facts.unit.ns};
}

std::optional<Measure> rate_measure(const TableFacts& facts) {
  const auto any = [&](std::optional<double> estimate::CaseRow::*rate) {
    return std::any_of(facts.rows.begin(), facts.rows.end(),
                       [&](const estimate::CaseRow& row) { return (row.*rate).has_value(); });
  };
  const bool tokens =
      facts.by == estimate::Judged::kTokensRate ||
      (facts.by != estimate::Judged::kSamplesRate && !any(&estimate::CaseRow::samples_per_s));
  const auto measure = [](estimate::Judged by) {
    const estimate::RateUnit unit = estimate::rate_unit(by);
    return Measure{.by = by,
                   .name = std::string(unit.name),
                   .head = std::string(unit.name),
                   .unit = unit.scale};
  };
  if (tokens && any(&estimate::CaseRow::tokens_per_s))
    return measure(estimate::Judged::kTokensRate);
  if (any(&estimate::CaseRow::bytes_per_s)) return measure(estimate::Judged::kBytesRate);
  if (tokens || !any(&estimate::CaseRow::samples_per_s)) return std::nullopt;
  return measure(estimate::Judged::kSamplesRate);
}

// A row is about its own time where latencies stand beside steps.
estimate::Judged judged_for(const estimate::CaseRow& row, const Measure& measure) {
  if (estimate::is_rate(measure.by)) return measure.by;
  return row.latency_ns ? estimate::Judged::kLatency : estimate::Judged::kStep;
}

std::string value_line(const estimate::CaseRow& row, const Measure& measure, text::TimeUnit unit) {
  const auto value = drawn_value(row, measure);
  if (!value) return {};
  // Where latencies stand beside steps the head is of the steps.
  const bool own = row.latency_ns && measure.by == estimate::Judged::kStep;
  std::string line = own ? "latency p50 [" + std::string(unit.name) + ']' : measure.head;
  line += ' ' + text::significant(value->centre);
  if (value->spread == estimate::Spread::kNone) return line;
  return line + ", " + estimate::spread_name(row) + ' ' +
         text::interval_text(value->interval.low, value->interval.high);
}

}  // namespace

std::vector<Measure> measures_of(const TableFacts& facts) {
  std::vector<Measure> measures = {time_measure(facts)};
  if (auto rate = rate_measure(facts)) {
    const bool first = facts.by && estimate::is_rate(*facts.by);
    measures.insert(first ? measures.begin() : measures.end(), *std::move(rate));
  }
  return measures;
}

std::optional<DrawnValue> drawn_value(const estimate::CaseRow& row, const Measure& measure) {
  const auto value = estimate::judged_value(row, judged_for(row, measure));
  if (!value) return std::nullopt;
  DrawnValue drawn{value->centre / measure.unit, value->spread, {kNoEnd, kNoEnd}};
  if (value->spread != estimate::Spread::kNone) {
    drawn.interval = {value->interval.low / measure.unit, value->interval.high / measure.unit};
  }
  return drawn;
}

std::vector<std::size_t> ranking_order(const TableFacts& facts, const Measure& measure) {
  std::vector<double> keys;
  keys.reserve(facts.rows.size());
  for (const estimate::CaseRow& row : facts.rows) {
    const auto value = drawn_value(row, measure);
    const double sign = estimate::is_rate(measure.by) ? -1 : 1;
    keys.push_back(value ? sign * value->centre : std::numeric_limits<double>::infinity());
  }
  std::vector<std::size_t> order(facts.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  return order;
}

std::vector<std::size_t> best_rows(const TableFacts& facts, const Measure& measure,
                                   std::size_t most) {
  std::vector<std::size_t> order = ranking_order(facts, measure);
  if (order.size() > most) order.resize(most);
  std::sort(order.begin(), order.end());
  return order;
}

std::string best_note(const TableFacts& facts) {
  if (!facts.ranking || !facts.ranking->decided) return {};
  const std::string mark = kBestMark;
  if (facts.ranking->all_tie) return "No case is marked: the intervals of all of them overlap.";
  if (facts.ranking->ties.empty()) return mark + " marks the best case.";
  return mark + " marks the best case and those whose intervals overlap its interval: they are a " +
         "tie and share a colour.";
}

CaseWords::CaseWords(const TableFacts& facts, const DrawOptions& options)
    : facts_(facts),
      options_(options),
      measures_(measures_of(facts)),
      digits_(estimate::id_digits(facts.rows)) {}

std::string CaseWords::show_command(const estimate::CaseRow& row) const {
  return options_.show_command + " --case " + id(row);
}

std::string CaseWords::tick(const estimate::CaseRow& row) const {
  const std::string name = label(row);
  return text::width(name) <= kTickCells ? name
                                         : text::shortened_inside(id(row) + ' ' + name, kTickCells);
}

std::string CaseWords::hover(const estimate::CaseRow& row, bool brief) const {
  std::vector<std::string> lines = {label(row)};
  std::string which = "case " + id(row);
  if (row.is_best)
    which += facts_.ranking && facts_.ranking->ties.empty() ? ", best" : ", tied best";
  if (row.smoke) which += ", smoke run: not for comparison";
  if (row.pass != Pass::kTiming) which += ", pass " + std::string(name_of(row.pass));
  lines.push_back(which);
  if (row.step_ns) {
    for (const Measure& measure : measures_) {
      const std::string line = value_line(row, measure, facts_.unit);
      if (!line.empty()) lines.push_back(line);
    }
  } else {
    lines.push_back(no_numbers(row));
  }
  std::string launches = text::counted(std::ssize(row.measured), "launch");
  if (!row.failed.empty()) launches += ", " + std::to_string(row.failed.size()) + " failed";
  if (!row.skipped.empty()) launches += ", " + std::to_string(row.skipped.size()) + " skipped";
  lines.push_back(launches);
  lines.push_back(show_command(row));
  const record::Launch* first = !row.measured.empty() ? row.measured.front().launch
                                : !row.failed.empty() ? row.failed.front()
                                                      : nullptr;
  if (!brief && first != nullptr && !first->row.repeat_command.empty()) {
    lines.push_back(first->row.repeat_command);
  }
  return hover_text(lines);
}

}  // namespace stepbench::report
