// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/foreign/formats.h"
#include "harness/foreign/json_file.h"
#include "harness/foreign/time_text.h"
#include "harness/foreign/units.h"
#include "harness/text/words.h"

namespace stepbench::foreign {
namespace {

constexpr std::string_view kRealTime = "real_time";
constexpr std::string_view kCpuTime = "cpu_time";

bool is_aggregate(const Json& benchmark) { return text_at(benchmark, "run_type") == "aggregate"; }

std::string program_name(const std::string& executable) {
  return executable.substr(executable.rfind('/') + 1);
}

// What is asked for and what it is called in a history.
struct GoogleValue {
  std::string metric = {};
  Unit unit = {};
  Direction direction = Direction::kLowerIsBetter;
};

GoogleValue value_kind(const std::string& field, const Json& benchmark,
                       const ForeignOptions& options) {
  if (field == kRealTime || field == kCpuTime) {
    const std::string unit = text_at(benchmark, "time_unit");
    return {.metric = field == kRealTime ? "time_ns" : "cpu_time_ns",
            .unit = unit_of(unit.empty() ? "ns" : unit)};
  }
  const Unit unit = unit_of(options.unit);
  return {.metric = field, .unit = unit, .direction = direction_of(options.better, unit, field)};
}

}  // namespace

bool is_google_benchmark(const Json& file) {
  return file.is_object() && file.contains("benchmarks") && file["benchmarks"].is_array() &&
         file.contains("context") && file["context"].is_object();
}

Measurements google_benchmark(const Json& file, const std::string& name,
                              const ForeignOptions& options) {
  const Json& context = file["context"];
  Measurements read{.format = "google-benchmark",
                    .experiment = program_name(text_at(context, "executable"))};
  if (read.experiment.empty()) read.experiment = "google-benchmark";
  const auto started = utc_of(text_at(context, "date"));
  if (!started) throw ConfigError(name, "field 'context.date' is missing or no date");
  Measurement common{.started_utc = *started,
                     .commit = text_at(context, "git_sha"),
                     .branch = text_at(context, "git_branch"),
                     .host = text_at(context, "host_name")};
  if (const auto cpus = number_at(context, "num_cpus")) {
    common.machine["num_cpus"] = static_cast<std::int64_t>(*cpus);
  }
  const Json& benchmarks = file["benchmarks"];
  const bool only_aggregates =
      !benchmarks.empty() && std::all_of(benchmarks.begin(), benchmarks.end(), is_aggregate);
  std::vector<std::string> fields = options.value_columns;
  if (fields.empty()) fields.emplace_back(kRealTime);
  std::size_t at = 0;
  for (const Json& benchmark : benchmarks) {
    const std::string where = name + ": benchmarks[" + std::to_string(at++) + "]";
    const bool aggregate = is_aggregate(benchmark);
    if (aggregate && !(only_aggregates && text_at(benchmark, "aggregate_name") == "median")) {
      continue;
    }
    std::string run = text_at(benchmark, "run_name");
    if (run.empty()) run = text_at(benchmark, "name");
    if (run.empty()) throw ConfigError(where, "has no 'name'");
    const bool failed =
        benchmark.value("error_occurred", false) || benchmark.value("skipped", false);
    for (const std::string& field : fields) {
      Measurement one = common;
      one.where = where;
      one.options["benchmark"] = run;
      const GoogleValue kind = value_kind(field, benchmark, options);
      one.metric = kind.metric;
      one.unit = kind.unit.name;
      one.direction = kind.direction;
      if (!failed) {
        one.value = number_at(benchmark, field.c_str());
        if (!one.value) {
          std::vector<std::string> known;
          for (const auto& [key, value] : benchmark.items()) {
            if (value.is_number_float()) known.push_back(key);
          }
          throw ConfigError(where, "has no number '" + field + "'" +
                                       text::did_you_mean(field, known) + "; there are " +
                                       text::join(known));
        }
        *one.value *= kind.unit.factor;
      }
      one.steps = static_cast<std::int64_t>(number_at(benchmark, "iterations").value_or(1));
      read.all.push_back(std::move(one));
    }
  }
  if (only_aggregates) {
    read.notes.emplace_back(name +
                            " has aggregates alone: each median counts as one launch, and there "
                            "are no intervals");
  }
  return read;
}

}  // namespace stepbench::foreign
