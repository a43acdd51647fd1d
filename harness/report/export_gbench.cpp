// SPDX-License-Identifier: Apache-2.0
#include "harness/report/export_gbench.h"

#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/estimate/benchmark_name.h"
#include "harness/estimate/case_rows.h"
#include "harness/json/json_text.h"
#include "harness/report/gbench_repetition.h"
#include "harness/stats/order.h"

namespace stepbench::report {
namespace {

std::string name_of_row(const estimate::CaseRow& row, const estimate::RowNames& names) {
  std::string name = estimate::benchmark_name(row.workload, row.options(), names.varying());
  if (!row.arm.empty()) name += "/arm:" + estimate::benchmark_name_part(row.arm);
  if (names.has_runs()) name += "/run:" + estimate::benchmark_name_part(names.run(row));
  return name;
}

// One benchmark: its repetitions, then what they come to.
class Family {
 public:
  Family(json::JsonText& json, const estimate::CaseRow& row, std::string name, std::int64_t index)
      : json_(json), row_(row), name_(std::move(name)), index_(index) {}

  void write() {
    std::vector<GbenchRepetition> all;
    for (const estimate::MeasuredLaunch& each : row_.measured)
      all.push_back(gbench_repetition(each, row_));
    for (std::size_t i = 0; i < all.size(); ++i) write_repetition(all[i], i, all.size());
    if (all.size() > 1) write_aggregates(all);
    if (!row_.failed.empty()) {
      write_error("failed: " + estimate::reason_of(*row_.failed.front()));
    } else if (all.empty()) {
      write_error(row_.skipped.empty() ? "not finished"
                                       : "skipped: " + estimate::reason_of(*row_.skipped.front()));
    }
  }

 private:
  void begin(const std::string& name, const char* run_type, std::size_t repetitions) {
    json_.open_object().text("name", name).integer("family_index", index_);
    json_.integer("per_family_instance_index", 0).text("run_name", name_);
    json_.text("run_type", run_type);
    json_.integer("repetitions", static_cast<std::int64_t>(repetitions));
    json_.integer("threads", 1).text("label", "case " + row_.case_id);
  }

  void write_times(double real_ns, double cpu_ns, const std::map<std::string, double>& counters) {
    json_.number("real_time", real_ns).number("cpu_time", cpu_ns).text("time_unit", "ns");
    for (const auto& [name, value] : counters) json_.number(name, value);
    json_.close_object();
  }

  void write_repetition(const GbenchRepetition& one, std::size_t index, std::size_t of) {
    begin(name_, "iteration", of);
    json_.integer("repetition_index", static_cast<std::int64_t>(index));
    json_.integer("iterations", one.steps);
    write_times(one.real_ns, one.cpu_ns, one.counters);
  }

  template <typename Estimate>
  void write_aggregate(const std::vector<GbenchRepetition>& all, const char* aggregate,
                       const char* unit, const Estimate& estimate) {
    const auto over_all = [&](const auto& value_of) {
      std::vector<double> values;
      for (const GbenchRepetition& one : all) values.push_back(value_of(one));
      const double result = estimate(values);
      return std::isfinite(result) ? result : 0.0;
    };
    std::map<std::string, double> counters;
    for (const auto& counter : all.front().counters) {
      const std::string& name = counter.first;
      const auto has_it = [&](const GbenchRepetition& one) { return one.counters.contains(name); };
      if (!std::all_of(all.begin(), all.end(), has_it)) continue;
      counters[name] = over_all([&](const GbenchRepetition& one) { return one.counters.at(name); });
    }
    begin(name_ + '_' + aggregate, "aggregate", all.size());
    json_.text("aggregate_name", aggregate).text("aggregate_unit", unit);
    json_.integer("iterations", static_cast<std::int64_t>(all.size()));
    write_times(over_all([](const GbenchRepetition& one) { return one.real_ns; }),
                over_all([](const GbenchRepetition& one) { return one.cpu_ns; }), counters);
  }

  void write_aggregates(const std::vector<GbenchRepetition>& all) {
    const auto mean = [](const std::vector<double>& values) {
      double sum = 0;
      for (const double value : values) sum += value;
      return sum / static_cast<double>(values.size());
    };
    write_aggregate(all, "mean", "time", mean);
    write_aggregate(all, "median", "time",
                    [](const auto& values) { return stats::median(values); });
    write_aggregate(all, "stddev", "time",
                    [](const auto& values) { return stats::standard_deviation(values); });
    write_aggregate(all, "cv", "percentage", [&](const auto& values) {
      return stats::standard_deviation(values) / mean(values);
    });
  }

  void write_error(const std::string& message) {
    begin(name_, "iteration", 1);
    json_.integer("repetition_index", 0).flag("error_occurred", true);
    json_.text("error_message", message).integer("iterations", 0);
    write_times(0, 0, {});
  }

  json::JsonText& json_;
  const estimate::CaseRow& row_;
  std::string name_;
  std::int64_t index_;
};

std::vector<std::pair<const estimate::CaseRow*, std::string>> timed_rows(
    const std::vector<estimate::CaseRow>& rows, const estimate::RowNames& names) {
  std::vector<const estimate::CaseRow*> timed;
  std::vector<std::string> called;
  std::vector<std::string_view> ids;
  for (const estimate::CaseRow& row : rows) {
    if (row.pass != Pass::kTiming) continue;
    timed.push_back(&row);
    called.push_back(name_of_row(row, names));
    ids.push_back(row.case_id);
  }
  called = estimate::distinct_names(std::move(called), ids);
  std::vector<std::pair<const estimate::CaseRow*, std::string>> found;
  for (std::size_t i = 0; i < timed.size(); ++i) found.emplace_back(timed[i], called[i]);
  return found;
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

}  // namespace

std::string gbench_json(const record::Results& results) {
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  const estimate::RowNames names(rows, results);
  json::JsonText json;
  json.open_object();
  write_context(json, results);
  json.open_array("benchmarks");
  std::int64_t index = 0;
  for (const auto& [row, name] : timed_rows(rows, names)) Family(json, *row, name, index++).write();
  json.close_array().close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
