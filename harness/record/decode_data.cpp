// SPDX-License-Identifier: Apache-2.0
#include "harness/record/decode_data.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/findings/findings_json.h"
#include "harness/json/line_error.h"
#include "harness/json/number_arrays.h"

namespace stepbench::record {
namespace {

// `length_field` says how long the columns are; lines of workers may leave it out.
void check_shape(const Series& series, std::string_view length_field,
                 const json::LineObject& source) {
  if (series.names.size() != series.columns.size()) {
    throw json::LineError("samples name " + std::to_string(series.names.size()) +
                          " columns and hold " + std::to_string(series.columns.size()) + " arrays");
  }
  for (std::size_t i = 0; i < series.names.size(); ++i) {
    const std::string& name = series.names[i];
    if (series.columns[i].size() != series.columns[0].size()) {
      throw json::LineError("column '" + name + "' holds " +
                            std::to_string(series.columns[i].size()) + " steps, column '" +
                            series.names[0] + "' " + std::to_string(series.columns[0].size()));
    }
    const auto here = series.names.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(series.names.begin(), here, name) != here) {
      throw json::LineError("column '" + name + "' stands twice");
    }
  }
  const auto held = static_cast<std::int64_t>(series.steps());
  const std::int64_t said = source.integer(length_field, -1);
  if (said >= 0 && said != held) {
    throw json::LineError("field '" + std::string(length_field) + "' says " + std::to_string(said) +
                          ", the columns hold " + std::to_string(held));
  }
}

Series decode_series(json::LineParser::Line& line, std::string_view length_field) {
  Series series{.names = line.object.texts("columns"), .columns = {}};
  const auto values = line.object.find("values");
  if (!values) throw json::LineError("field 'values' is missing");
  if (line.numbers) {
    if (!values->is_null()) throw json::LineError("field 'values' stands twice");
    series.columns = std::move(*line.numbers);
  } else {  // written in another order than ours, or with blanks
    series.columns = json::parse_number_arrays(values->json()).values;
  }
  check_shape(series, length_field, line.object);
  return series;
}

// Numbers by name; null stands for one that is not finite.
LaunchReport::Metrics decode_metrics(const json::LineObject& source) {
  LaunchReport::Metrics all;
  const auto inner = source.object("metrics");
  if (!inner) return all;
  for (const auto& [name, value] : inner->members()) {
    const std::optional<double> number = value.number();
    if (!number && !value.is_null()) {
      throw json::LineError("metric '" + std::string(name) + "' must be a number or null");
    }
    all.emplace_hint(all.end(), name, number);
  }
  return all;
}

double non_finite(std::string_view spelling) {
  if (spelling == "inf") return std::numeric_limits<double>::infinity();
  if (spelling == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

template <typename Values>
void restore(const json::LineObject& source, std::string_view name, Values& values) {
  const auto all = source.object("non_finite");
  if (!all) return;
  const std::string prefix = std::string(name) + '.';
  for (const auto& [path, spelling] : all->members()) {
    if (!path.starts_with(prefix)) continue;
    const std::string of(path.substr(prefix.size()));
    const auto found = values.find(of);
    if (found == values.end() || !is_null(found->second)) continue;
    values.insert_or_assign(of, Value(non_finite(spelling.text().value_or(""))));
  }
}

}  // namespace

void restore_non_finite(const json::LineObject& source, std::string_view name, Fields& fields) {
  restore(source, name, fields);
}

void restore_non_finite(const json::LineObject& source, std::string_view name,
                        OptionValues& options) {
  restore(source, name, options);
}

CycleSamples decode_samples(json::LineParser::Line& line) {
  return {.cycle = line.object.integer("cycle"), .steps = decode_series(line, "steps")};
}

ops::OpFrame decode_frame(json::LineParser::Line& line) {
  return {.table = line.object.needed_text("table"),
          .strings = line.object.texts("strings"),
          .series = decode_series(line, "rows")};
}

LaunchReport decode_report(const json::LineObject& source, json::Nested nested) {
  LaunchReport report;
  const auto fields = [&](std::string_view name) {
    Fields all = source.fields(name, nested);
    restore_non_finite(source, name, all);
    return all;
  };
  report.effective = fields("effective");
  report.schedule = fields("schedule");
  report.metrics = decode_metrics(source);
  report.fingerprint = fields("fingerprint");
  report.flags = source.texts("flags");
  report.notes = source.texts("notes");
  if (const auto findings = source.find("findings"))
    report.findings = findings::decode_findings(*findings);
  return report;
}

}  // namespace stepbench::record
