// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/foreign/formats.h"
#include "harness/foreign/json_file.h"
#include "harness/foreign/time_text.h"
#include "harness/foreign/units.h"
#include "harness/json/scalar.h"
#include "harness/text/words.h"

namespace stepbench::foreign {
namespace {

constexpr const char* kDefaultStatistic = "median";

// "tests/test_step.py::test_forward", and its parameters where the file lists them.
Fields options_of_pytest(const Json& benchmark) {
  Fields options;
  std::string name = text_at(benchmark, "fullname");
  if (name.empty()) name = text_at(benchmark, "name");
  const auto params = benchmark.find("params");
  if (params != benchmark.end() && params->is_object() && !params->empty()) {
    name = name.substr(0, name.find('['));
    for (const auto& [key, value] : params->items()) {
      options[key] = value.is_null() ? Value{std::string("null")}
                                     : json::scalar_of(value).value_or(value.dump());
    }
  }
  options["benchmark"] = name;
  return options;
}

}  // namespace

bool is_pytest_benchmark(const Json& file) {
  return file.is_object() && file.contains("benchmarks") && file["benchmarks"].is_array() &&
         file.contains("machine_info");
}

Measurements pytest_benchmark(const Json& file, const std::string& name,
                              const ForeignOptions& options) {
  Measurements read{.format = "pytest-benchmark", .experiment = "pytest-benchmark"};
  const Json& machine = file["machine_info"];
  const Json commit = file.value("commit_info", Json::object());
  Measurement common{.commit = text_at(commit, "id"),
                     .branch = text_at(commit, "branch"),
                     .host = text_at(machine, "node")};
  const auto started = utc_of(text_at(file, "datetime"));
  if (!started) throw ConfigError(name, "field 'datetime' is missing or no date");
  common.started_utc = *started;
  if (machine.is_object() && machine.contains("cpu")) {
    common.machine["cpu.model"] = text_at(machine["cpu"], "brand_raw");
  }
  common.cohort["python"] = text_at(machine, "python_version");
  std::vector<std::string> statistics = options.value_columns;
  if (statistics.empty()) statistics.emplace_back(kDefaultStatistic);
  std::size_t at = 0;
  for (const Json& benchmark : file["benchmarks"]) {
    const std::string where = name + ": benchmarks[" + std::to_string(at++) + "]";
    if (!benchmark.is_object() || !benchmark.contains("stats")) {
      throw ConfigError(where, "has no 'stats'");
    }
    const Json& stats = benchmark["stats"];
    for (const std::string& statistic : statistics) {
      Measurement one = common;
      one.where = where;
      one.options = options_of_pytest(benchmark);
      one.metric = statistic == kDefaultStatistic ? "time_ns" : "time_" + statistic + "_ns";
      const Unit unit = unit_of("s");
      one.unit = unit.name;
      one.value = number_at(stats, statistic.c_str());
      if (!one.value && !stats.contains(statistic)) {
        std::vector<std::string> known;
        for (const auto& [key, value] : stats.items()) {
          if (value.is_number()) known.push_back(key);
        }
        throw ConfigError("--value-column", where + " has no statistic '" + statistic + "'" +
                                                text::did_you_mean(statistic, known) +
                                                "; there are " + text::join(known));
      }
      if (one.value) *one.value *= unit.factor;
      one.steps = static_cast<std::int64_t>(number_at(stats, "rounds").value_or(1) *
                                            number_at(stats, "iterations").value_or(1));
      read.all.push_back(std::move(one));
    }
  }
  return read;
}

}  // namespace stepbench::foreign
