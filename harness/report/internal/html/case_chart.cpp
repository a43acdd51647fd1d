// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/html/case_chart.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "harness/report/internal/answer.h"
#include "harness/report/internal/html/chart_json.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

Measure time_measure(const TableFacts& facts) {
  const bool latency = facts.latencies == std::set<bool>{true};
  return {.by = latency ? estimate::Judged::kLatency : estimate::Judged::kStep,
          .name = latency ? "latency" : "step",
          .head = headline_head(facts),
          .unit = facts.unit.ns};
}

std::optional<Measure> rate_measure(const TableFacts& facts) {
  const auto any = [&](std::optional<double> estimate::CaseRow::*rate) {
    return std::ranges::any_of(
        facts.rows, [&](const estimate::CaseRow& row) { return (row.*rate).has_value(); });
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

// In a mix of latencies and steps each row is drawn by its own time.
estimate::Judged judged_for(const estimate::CaseRow& row, const Measure& measure) {
  if (estimate::is_rate(measure.by)) return measure.by;
  return row.latency_ns ? estimate::Judged::kLatency : estimate::Judged::kStep;
}

struct DrawnValue {
  double centre = 0;  // in the measure's unit
  std::optional<stats::Interval> interval = {};
};

// Distinguishes the row from others with the same options.
std::string series_text(const estimate::CaseRow& row, const estimate::RowNames& names) {
  std::vector<std::string> parts;
  if (names.has_runs()) parts.push_back(names.run(row));
  if (!row.arm.empty()) parts.push_back("arm " + row.arm);
  if (row.pass != Pass::kTiming) parts.emplace_back(name_of(row.pass));
  return text::join(parts, " ");
}

std::optional<DrawnValue> drawn_value(const estimate::CaseRow& row, const Measure& measure) {
  const auto value = estimate::judged_value(row, judged_for(row, measure));
  if (!value) return std::nullopt;
  DrawnValue drawn{value->centre / measure.unit, {}};
  if (value->spread != estimate::Spread::kNone) {
    drawn.interval = {value->interval.low / measure.unit, value->interval.high / measure.unit};
  }
  return drawn;
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

bool has_number(const estimate::CaseRow& row, const Measure& measure) {
  return drawn_value(row, measure).has_value();
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
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  return order;
}

std::vector<std::size_t> best_rows(const TableFacts& facts, const Measure& measure,
                                   std::size_t most) {
  std::vector<std::size_t> order = ranking_order(facts, measure);
  if (order.size() > most) order.resize(most);
  std::ranges::sort(order);
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

std::string short_id(const TableFacts& facts, const estimate::CaseRow& row) {
  return row.case_id.substr(0, estimate::id_digits(facts.rows));
}

void add_cases(json::JsonText& charts, const TableFacts& facts, const DrawOptions& options) {
  const std::vector<Measure> measures = measures_of(facts);
  charts.open_object("unit").text("name", facts.unit.name).number("ns", facts.unit.ns);
  charts.close_object().text("head", headline_head(facts)).text("show", options.show_command);
  charts.integer("digits", static_cast<std::int64_t>(estimate::id_digits(facts.rows)));
  charts.flag("tie", !facts.ranking || !facts.ranking->ties.empty());
  if (facts.ranking && facts.ranking->decided) {
    charts.integer("best", static_cast<std::int64_t>(facts.ranking->best));
  }
  charts.open_array("measures");
  for (const Measure& each : measures) {
    charts.open_object().text("name", each.name).text("head", each.head);
    charts.flag("rate", estimate::is_rate(each.by));
    charts.flag("own", each.by == estimate::Judged::kStep).close_object();
  }
  charts.close_array().open_array("cases");
  for (const estimate::CaseRow& row : facts.rows) {
    charts.open_object().text("label", chart_text(facts.names.name(row))).open_array("values");
    for (const Measure& each : measures) {
      const auto value = drawn_value(row, each);
      if (!value) {
        charts.null({});
      } else if (value->interval) {
        const double ends[] = {value->centre, value->interval->low, value->interval->high};
        add_numbers(charts, {}, ends);
      } else {
        add_numbers(charts, {}, {&value->centre, 1});
      }
    }
    charts.close_array();
    if (const std::string spread = estimate::spread_name(row); !spread.empty()) {
      charts.text("spread", spread);
    }
    if (const std::string series = series_text(row, facts.names); !series.empty()) {
      charts.text("series", chart_text(series));
    }
    if (row.is_best) charts.flag("best", true);
    if (!row.step_ns) charts.text("without", chart_text(no_numbers(row)));
    charts.close_object();
  }
  charts.close_array();
}

}  // namespace stepbench::report
