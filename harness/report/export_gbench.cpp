// SPDX-License-Identifier: Apache-2.0
#include "harness/report/export_gbench.h"

#include <cctype>
#include <cmath>
#include <map>
#include <unordered_set>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/json/json_text.h"
#include "harness/stats/order.h"

namespace stepbench {
namespace {

constexpr std::size_t kLongestPart = 80;  // of a name: they are columns of tables
constexpr std::size_t kShortCaseId = 8;

// '/' and ':' separate the parts of a name, and the rest is matched by regular expressions.
std::string name_part(const std::string& text) {
  std::string part;
  for (const char c : text.substr(0, kLongestPart)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 || c == '_' || c == '-' || c == '.');
    part += plain ? c : '_';
  }
  return part;
}

std::string benchmark_name(const CaseRow& row, const RowNames& names) {
  std::string name = name_part(row.workload.empty() ? "case" : row.workload);
  for (const std::string& option : names.varying()) {
    const auto found = row.options.find(option);
    if (found == row.options.end() || is_null(found->second)) continue;
    name += '/' + name_part(short_name(option, names.varying())) + ':' +
            name_part(to_text(found->second));
  }
  if (!row.arm.empty()) name += "/arm:" + name_part(row.arm);
  if (names.has_runs()) name += "/run:" + name_part(names.run(row));
  return name;
}

// What one repetition measured.
struct Repetition {
  std::int64_t steps = 0;
  double real_ns = 0;
  double cpu_ns = 0;
  std::map<std::string, double> counters = {};
};

double metric_or_nan(const LaunchReport::Metrics& metrics, std::string_view name) {
  const auto found = metrics.find(name);
  return found == metrics.end() || !found->second ? std::nan("") : *found->second;
}

Repetition repetition_of(const MeasuredLaunch& measured, const CaseRow& row) {
  const LaunchEstimate& estimate = measured.estimate;
  const LaunchReport::Metrics& metrics = measured.launch->row.report.metrics;
  const double step = step_ns(estimate, row.clock);
  Repetition one{.steps = estimate.steps,
                 .real_ns = estimate.latency ? estimate.latency->p50_ns : step};
  const double cpu =
      metric_or_nan(metrics, "cpu_user_ns") + metric_or_nan(metrics, "cpu_system_ns");
  if (std::isfinite(cpu) && one.steps > 0) one.cpu_ns = cpu / static_cast<double>(one.steps);
  const auto per_step = [&](std::int64_t ns) {
    return static_cast<double>(ns) / static_cast<double>(std::max<std::int64_t>(one.steps, 1));
  };
  for (const PhaseTime& phase : estimate.phases) {
    one.counters[phase.name + "_ns"] = per_step(phase.ns);
  }
  if (estimate.samples && !estimate.no_rates && step > 0) {
    one.counters["items_per_second"] = per_step(*estimate.samples) / (step * 1e-9);
  }
  if (estimate.quantiles.p99_ns) one.counters["step_p99_ns"] = *estimate.quantiles.p99_ns;
  for (const char* name : {"peak_rss_bytes", "peak_allocated_bytes"}) {
    one.counters[name] = metric_or_nan(metrics, name);
  }
  std::erase_if(one.counters, [](const auto& counter) { return !std::isfinite(counter.second); });
  return one;
}

// One benchmark: its repetitions, then what they come to.
class Family {
 public:
  Family(JsonText& json, const CaseRow& row, std::string name, std::int64_t index)
      : json_(json), row_(row), name_(std::move(name)), index_(index) {}

  void write() {
    std::vector<Repetition> all;
    for (const MeasuredLaunch& each : row_.measured) all.push_back(repetition_of(each, row_));
    for (std::size_t i = 0; i < all.size(); ++i) write_repetition(all[i], i, all.size());
    if (all.size() > 1) write_aggregates(all);
    if (!row_.failed.empty()) {
      write_error("failed: " + reason_of(*row_.failed.front()));
    } else if (all.empty()) {
      write_error(row_.skipped.empty() ? "not finished"
                                       : "skipped: " + reason_of(*row_.skipped.front()));
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

  void write_repetition(const Repetition& one, std::size_t index, std::size_t of) {
    begin(name_, "iteration", of);
    json_.integer("repetition_index", static_cast<std::int64_t>(index));
    json_.integer("iterations", one.steps);
    write_times(one.real_ns, one.cpu_ns, one.counters);
  }

  template <typename Estimate>
  void write_aggregate(const std::vector<Repetition>& all, const char* aggregate, const char* unit,
                       const Estimate& estimate) {
    const auto over_all = [&](const auto& value_of) {
      std::vector<double> values;
      for (const Repetition& one : all) values.push_back(value_of(one));
      const double result = estimate(values);
      return std::isfinite(result) ? result : 0.0;
    };
    std::map<std::string, double> counters;
    for (const auto& [name, first] : all.front().counters) {
      const auto has_it = [&](const Repetition& one) { return one.counters.contains(name); };
      if (!std::all_of(all.begin(), all.end(), has_it)) continue;
      counters[name] = over_all([&](const Repetition& one) { return one.counters.at(name); });
    }
    begin(name_ + '_' + aggregate, "aggregate", all.size());
    json_.text("aggregate_name", aggregate).text("aggregate_unit", unit);
    json_.integer("iterations", static_cast<std::int64_t>(all.size()));
    write_times(over_all([](const Repetition& one) { return one.real_ns; }),
                over_all([](const Repetition& one) { return one.cpu_ns; }), counters);
  }

  void write_aggregates(const std::vector<Repetition>& all) {
    const auto mean = [](const std::vector<double>& values) {
      double sum = 0;
      for (const double value : values) sum += value;
      return sum / static_cast<double>(values.size());
    };
    write_aggregate(all, "mean", "time", mean);
    write_aggregate(all, "median", "time", [](const auto& values) { return median(values); });
    write_aggregate(all, "stddev", "time",
                    [](const auto& values) { return standard_deviation(values); });
    write_aggregate(all, "cv", "percentage",
                    [&](const auto& values) { return standard_deviation(values) / mean(values); });
  }

  void write_error(const std::string& message) {
    begin(name_, "iteration", 1);
    json_.integer("repetition_index", 0).flag("error_occurred", true);
    json_.text("error_message", message).integer("iterations", 0);
    write_times(0, 0, {});
  }

  JsonText& json_;
  const CaseRow& row_;
  std::string name_;
  std::int64_t index_;
};

void write_context(JsonText& json, const Results& results) {
  json.open_object("context");
  Fields environment;
  if (!results.workers.empty()) environment = results.workers.front().environment;
  if (!results.runs.empty()) {
    const RunRow& run = results.runs.front();
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

std::string gbench_json(const Results& results) {
  const std::vector<CaseRow> rows = case_rows(results);
  const RowNames names(rows, results);
  JsonText json;
  json.open_object();
  write_context(json, results);
  json.open_array("benchmarks");
  std::unordered_set<std::string> used;
  std::int64_t index = 0;
  for (const CaseRow& row : rows) {
    if (row.pass != Pass::kTiming) continue;
    std::string name = benchmark_name(row, names);
    if (used.contains(name)) name += "/case:" + name_part(row.case_id.substr(0, kShortCaseId));
    while (used.contains(name)) name += '_';
    used.insert(name);
    Family(json, row, name, index++).write();
  }
  json.close_array().close_object();
  return json.take() + '\n';
}

}  // namespace stepbench
