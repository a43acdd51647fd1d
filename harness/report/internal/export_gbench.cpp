// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/json/json_text.h"
#include "harness/report/internal/export_formats.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::report {
namespace {

using Repetitions = std::vector<GbenchRepetition>;

std::string name_of_row(const estimate::CaseRow& row, const estimate::RowNames& names) {
  std::string name = estimate::benchmark_name(row.workload, row.options(), names.varying());
  if (!row.arm.empty()) name += "/arm:" + estimate::benchmark_name_part(row.arm);
  if (names.has_runs()) name += "/run:" + estimate::benchmark_name_part(names.run(row));
  return name;
}

struct Aggregate {
  const char* name;
  const char* unit;
  double (*over)(const std::vector<double>& values);
};
double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}
constexpr Aggregate kAggregates[] = {
    {"mean", "time", mean_of},
    {"median", "time", [](const auto& values) { return stats::median(values); }},
    {"stddev", "time", [](const auto& values) { return stats::standard_deviation(values); }},
    {"cv", "percentage",
     [](const auto& values) { return stats::standard_deviation(values) / mean_of(values); }}};

GbenchRepetition aggregated(const Aggregate& aggregate, const Repetitions& all) {
  const auto over_all = [&](const auto& value_of) {
    std::vector<double> values;
    for (const GbenchRepetition& one : all) values.push_back(std::invoke(value_of, one));
    const double result = aggregate.over(values);
    return std::isfinite(result) ? result : 0.0;
  };
  GbenchRepetition whole{.steps = std::ssize(all),
                         .real_ns = over_all(&GbenchRepetition::real_ns),
                         .cpu_ns = over_all(&GbenchRepetition::cpu_ns),
                         .counters = all.front().counters};
  std::erase_if(whole.counters, [&](const auto& counter) {
    return std::ranges::any_of(
        all, [&](const auto& one) { return !one.counters.contains(counter.first); });
  });
  for (auto& [name, value] : whole.counters) {
    value = over_all([&key = name](const auto& one) { return one.counters.at(key); });
  }
  return whole;
}

// Writes a row of the file. `add` adds members specific to its kind.
template <typename Add>
void write_row(json::JsonText& json, const std::string& benchmark, const std::string& ending,
               std::int64_t family, const estimate::CaseRow& row, std::int64_t repetitions,
               const GbenchRepetition& one, const Add& add) {
  json.open_object().text("name", benchmark + ending).integer("family_index", family);
  json.integer("per_family_instance_index", 0).text("run_name", benchmark);
  json.text("run_type", ending.empty() ? "iteration" : "aggregate");
  json.integer("repetitions", repetitions).integer("threads", 1);
  json.text("label", "case " + row.case_id);
  add();
  json.integer("iterations", one.steps).number("real_time", one.real_ns);
  json.number("cpu_time", one.cpu_ns).text("time_unit", "ns");
  for (const auto& [name, value] : one.counters) json.number(name, value);
  json.close_object();
}

// Writes one benchmark: its repetitions, then the aggregates.
void write_benchmark(json::JsonText& json, const estimate::CaseRow& row, const std::string& name,
                     std::int64_t family) {
  Repetitions all;
  for (const estimate::MeasuredLaunch& each : row.measured) {
    all.push_back(gbench_repetition(each, row));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    write_row(json, name, "", family, row, std::ssize(all), all[i],
              [&] { json.integer("repetition_index", static_cast<std::int64_t>(i)); });
  }
  if (all.size() > 1) {
    for (const Aggregate& each : kAggregates) {
      write_row(json, name, std::string("_") + each.name, family, row, std::ssize(all),
                aggregated(each, all),
                [&] { json.text("aggregate_name", each.name).text("aggregate_unit", each.unit); });
    }
  }
  if (!all.empty() && row.failed.empty()) return;
  const std::string error =
      !row.failed.empty()   ? "failed: " + estimate::reason_of(*row.failed.front())
      : row.skipped.empty() ? "not finished"
                            : "skipped: " + estimate::reason_of(*row.skipped.front());
  write_row(json, name, "", family, row, 1, {}, [&] {
    json.integer("repetition_index", 0).flag("error_occurred", true).text("error_message", error);
  });
}

void write_context(json::JsonText& json, const record::Results& results) {
  json.open_object("context");
  Fields environment;
  if (!results.workers.empty()) environment = results.workers.front().environment;
  if (!results.runs.empty()) {
    const record::RunRow& run = results.runs.front();
    json.text("date", run.started_utc).text("host_name", text_of(run.context, "host"));
    json.text("executable", results.workers.empty() ? "" : results.workers.front().path);
    json.text("run_id", run.run_id).text("experiment", run.name);
    json.text("stepbench_version", run.stepbench_version);
    for (const auto& [name, value] : run.labels) json.text("label." + name, to_text(value));
  }
  json.integer("num_cpus",
               static_cast<std::int64_t>(number_of(environment, "cpu.logical").value_or(0)));
  json.open_array("caches").close_array().open_array("load_avg").close_array();
  json.text("library_build_type", "release");
  for (const auto& [name, value] : environment) json.text("environment." + name, to_text(value));
  json.close_object();
}

void write_gbench(const record::Results& results, const ExportOptions& /*options*/,
                  const json::TextSink& sink) {
  std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  const estimate::RowNames names(rows, results);
  std::erase_if(rows, [](const estimate::CaseRow& row) { return row.pass != Pass::kTiming; });
  std::vector<std::string> called;
  std::vector<std::string_view> ids;
  for (const estimate::CaseRow& row : rows) {
    called.push_back(name_of_row(row, names));
    ids.push_back(row.case_id);
  }
  called = estimate::distinct_names(std::move(called), ids);
  json::JsonText json;
  json.open_object();
  write_context(json, results);
  json.open_array("benchmarks");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    write_benchmark(json, rows[i], called[i], static_cast<std::int64_t>(i));
  }
  json.close_array().close_object();
  sink(json.take() + '\n');
}

}  // namespace

ExportFormat gbench_format() {
  return {.name = "gbench",
          .ending = ".json",
          .use = "compare.py of Google Benchmark, and what reads its JSON",
          .of_run = write_gbench};
}

}  // namespace stepbench::report
