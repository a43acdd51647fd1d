// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/base/error.h"
#include "harness/foreign/formats.h"
#include "harness/foreign/json_file.h"
#include "harness/foreign/time_text.h"
#include "harness/foreign/units.h"
#include "harness/os/text_file.h"
#include "harness/text/words.h"

namespace stepbench::foreign {
namespace {

namespace fs = std::filesystem;

// Columns of one benchmark's row, by name: the files name them, in whatever order.
class AsvRow {
 public:
  AsvRow(const Json& columns, const Json& row) {
    for (std::size_t i = 0; i < columns.size() && i < row.size(); ++i) {
      if (columns[i].is_string()) values_[columns[i].get<std::string>()] = &row[i];
    }
  }
  // Null where it is not there.
  [[nodiscard]] const Json* find(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() || found->second->is_null() ? nullptr : found->second;
  }

 private:
  std::map<std::string, const Json*> values_;
};

Json benchmark_descriptions(const fs::path& file) {
  for (const fs::path& folder : {file.parent_path(), file.parent_path().parent_path()}) {
    const fs::path beside = folder / "benchmarks.json";
    if (const auto text = os::read_text(beside)) return parsed_json(*text, beside.string());
  }
  return Json::object();
}

// As asv itself has it: the name of the function says what it measures.
std::string unit_by_name(const std::string& benchmark) {
  const std::string function = benchmark.substr(benchmark.rfind('.') + 1);
  if (function.starts_with("time_") || function.starts_with("timeraw_")) return "seconds";
  if (function.starts_with("mem_") || function.starts_with("peakmem_")) return "bytes";
  return "unit";
}

// Of a value by its index, the last parameter fastest.
Fields params_of(const Json* params, const Json& described, std::size_t index) {
  Fields options;
  if (params == nullptr || !params->is_array()) return options;
  std::size_t rest = index;
  for (std::size_t i = params->size(); i-- > 0;) {
    const Json& values = (*params)[i];
    if (!values.is_array() || values.empty()) continue;
    const Json& value = values[rest % values.size()];
    rest /= values.size();
    std::string name = "param" + std::to_string(i + 1);
    if (described.is_object() && described.contains("param_names") &&
        i < described["param_names"].size() && described["param_names"][i].is_string()) {
      name = described["param_names"][i].get<std::string>();
    }
    std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    // They are what Python's repr() makes of them.
    if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') {
      text = text.substr(1, text.size() - 2);
    }
    options[name] = std::move(text);
  }
  return options;
}

// Of all parameters; a benchmark that failed as a whole has no list of values.
std::size_t combinations(const Json* params) {
  std::size_t count = 1;
  if (params == nullptr || !params->is_array()) return count;
  for (const Json& values : *params) count *= std::max<std::size_t>(1, values.size());
  return count;
}

// Another one measures something else under the same name.
std::string text_at_version(const AsvRow& row) {
  constexpr std::size_t kDigits = 8;
  const Json* version = row.find("version");
  if (version == nullptr || !version->is_string()) return {};
  return version->get<std::string>().substr(0, kDigits);
}

std::optional<double> asv_number(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

std::int64_t repeats_of(const AsvRow& row, std::size_t index) {
  double repeats = 1;
  for (const char* column : {"stats_repeat", "stats_number"}) {
    const Json* counts = row.find(column);
    if (counts == nullptr || !counts->is_array() || index >= counts->size()) continue;
    repeats *= asv_number((*counts)[index]).value_or(1);
  }
  return static_cast<std::int64_t>(repeats);
}

}  // namespace

bool is_asv(const Json& file) {
  return file.is_object() && file.contains("commit_hash") && file.contains("results") &&
         file["results"].is_object();
}

bool is_asv_description(const Json& file) {
  if (!file.is_object() || file.empty()) return false;
  if (file.contains("arch") && file.contains("machine")) return true;
  const Json& first = file.front();
  return first.is_object() && first.contains("code") && first.contains("type");
}

Measurements asv(const Json& file, const fs::path& path, const ForeignOptions& options) {
  const std::string name = path.string();
  if (!options.value_columns.empty()) {
    throw ConfigError("--value-column", name + " is a result of asv, which has one value each");
  }
  Measurements read{.format = "asv", .experiment = "asv"};
  const Json params = file.value("params", Json::object());
  Measurement common{.commit = text_at(file, "commit_hash"), .host = text_at(params, "machine")};
  const auto date = number_at(file, "date");
  const auto started = utc_of(date ? std::to_string(static_cast<std::int64_t>(*date)) : "");
  if (!started) throw ConfigError(name, "field 'date' is missing or no date");
  common.started_utc = *started;
  common.machine["cpu.model"] = text_at(params, "cpu");
  common.options["env"] = text_at(file, "env_name");
  if (params.contains("python")) common.cohort["python"] = text_at(params, "python");
  if (!file.contains("result_columns") || !file["result_columns"].is_array()) {
    throw ConfigError(name,
                      "is a result of asv before 0.5 (no 'result_columns'): `asv update` "
                      "brings it forward");
  }
  const Json described = benchmark_descriptions(path);
  for (const auto& [benchmark, row] : file["results"].items()) {
    const AsvRow columns(file["result_columns"], row);
    const Json* results = columns.find("result");
    const Json about = described.value(benchmark, Json::object());
    std::string unit_name = text_at(about, "unit");
    if (unit_name.empty()) unit_name = unit_by_name(benchmark);
    const Unit unit = unit_of(unit_name);
    if (const std::string version = text_at_version(columns); !version.empty()) {
      common.machine["benchmark_version"] = version;
    }
    const bool failed = results == nullptr || !results->is_array();
    const std::size_t values = failed ? combinations(columns.find("params")) : results->size();
    for (std::size_t i = 0; i < values; ++i) {
      Measurement one = common;
      one.where = name + ": " + benchmark + "[" + std::to_string(i) + "]";
      one.options.merge(params_of(columns.find("params"), about, i));
      one.options["benchmark"] = benchmark;
      one.metric = unit.name == "ns" ? "time_ns" : unit.name == "bytes" ? "memory_bytes" : "value";
      one.unit = unit.name;
      if (!failed) one.value = asv_number((*results)[i]);
      if (one.value) *one.value *= unit.factor;
      one.steps = repeats_of(columns, i);
      read.all.push_back(std::move(one));
    }
  }
  return read;
}

}  // namespace stepbench::foreign
