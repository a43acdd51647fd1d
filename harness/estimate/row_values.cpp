// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/columns.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/estimate/launch_values.h"
#include "harness/estimate/ranking.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/names.h"
#include "harness/text/words.h"

namespace stepbench::estimate {
namespace {

std::string lower_case(std::string_view text) {
  std::string folded(text);
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return folded;
}

// Name of the column with this table head; empty if there is none.
std::string column_headed(const std::string& head) {
  for (const EstimateColumn* column : all_columns()) {
    if (!column->header.empty() && text::is_same_head(column->header, head)) {
      return column->metric.name;
    }
  }
  return {};
}

// What users call columns besides their names: heads without units, and the peak of any device.
std::vector<std::string> other_words() {
  std::vector<std::string> words = {"peak_bytes"};
  for (const EstimateColumn* column : all_columns()) {
    words.emplace_back(column->header.substr(0, column->header.find(" [")));
  }
  std::erase(words, "");
  return words;
}

// Adds the names of a map in one walk over both: most are already there.
template <typename Named>
void add_names(const Named& named, std::set<std::string>& names) {
  auto at = names.begin();
  for (const auto& [name, value] : named) {
    int order = -1;
    while (at != names.end() && (order = at->compare(name)) < 0) ++at;
    if (order != 0) at = names.insert(at, name);
  }
}

struct NamedPhases {
  std::vector<PhaseEstimate> CaseRow::*phases;
  std::string_view ending;  // as in the columns of samples
};
constexpr NamedPhases kPhases[] = {{&CaseRow::phases, "_ns"},
                                   {&CaseRow::device_phases, "_device_ns"},
                                   {&CaseRow::side_phases, "_side_device_ns"}};

// The value of `name` without `prefix` in `fields`; null if it lacks the prefix.
Value prefixed_value(const Fields& fields, std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return {};
  const auto found = fields.find(name.substr(prefix.size()));
  return found == fields.end() ? Value() : found->second;
}

Value of_surroundings(const CaseRow& row, std::string_view name) {
  if (row.run != nullptr && name.starts_with(kLabelPrefix)) {
    return prefixed_value(row.run->labels, kLabelPrefix, name);
  }
  if (row.worker == nullptr) return {};
  return prefixed_value(row.worker->environment, kEnvironmentPrefix, name);
}

Value of_launches(const CaseRow& row, std::string_view name) {
  for (const auto& [phases, ending] : kPhases) {
    if (!name.ends_with(ending)) continue;
    const std::string_view phase = name.substr(0, name.size() - ending.size());
    for (const PhaseEstimate& each : row.*phases) {
      if (each.name == phase) return each.ns;
    }
  }
  if (name.starts_with(kLabelPrefix) || name.starts_with(kEnvironmentPrefix)) {
    return of_surroundings(row, name);
  }
  if (name.starts_with(kMetricPrefix)) name.remove_prefix(kMetricPrefix.size());
  std::vector<double> values;
  for (const MeasuredLaunch& each : row.measured) {
    const double value = reported(*each.launch, name);
    if (!std::isnan(value)) values.push_back(value);
  }
  return values.empty() ? Value() : Value(stats::median(values));
}

// Orders numbers by size, then texts, then null.
bool comes_before(const Value& a, const Value& b, bool largest_first) {
  if (is_null(a) || is_null(b)) return !is_null(a) && is_null(b);
  const auto x = number_of(a);
  const auto y = number_of(b);
  if (x.has_value() != y.has_value()) return x.has_value();
  if (x) return largest_first ? *y < *x : *x < *y;
  return largest_first ? to_text(b) < to_text(a) : to_text(a) < to_text(b);
}

}  // namespace

std::vector<std::string> record_names(std::span<const CaseRow> rows) {
  std::set<std::string> options;
  const OptionValues* before = nullptr;
  for (const CaseRow& row : rows) {
    if (before == nullptr || !row.options().has_names_of(*before)) {
      add_names(row.options(), options);
    }
    before = &row.options();
  }
  // `workload` and `launches` are options as well as columns of results.
  std::erase_if(options, [](const std::string& name) { return find_column(name) != nullptr; });
  std::vector<std::string> names;
  for (const EstimateColumn& column : key_columns()) names.emplace_back(column.metric.name);
  names.insert(names.end(), options.begin(), options.end());
  for (const EstimateColumn& column : estimate_columns()) names.emplace_back(column.metric.name);
  return names;
}

DetailNames detail_names(std::span<const CaseRow> rows) {
  std::set<std::string> phases;
  std::set<std::string> metrics;
  std::set<std::string> labels;
  std::set<std::string> environment;
  const record::RunRow* run = nullptr;
  const record::WorkerRow* worker = nullptr;
  for (const CaseRow& row : rows) {
    for (const auto& [of_row, ending] : kPhases) {
      for (const PhaseEstimate& phase : row.*of_row)
        phases.insert(phase.name + std::string(ending));
    }
    for (const MeasuredLaunch& each : row.measured) {
      add_names(each.launch->row.report.metrics, metrics);
    }
    if (row.run != nullptr && std::exchange(run, row.run) != row.run) {
      for (const auto& [name, value] : row.run->labels) labels.insert(name);
    }
    if (row.worker != nullptr && std::exchange(worker, row.worker) != row.worker) {
      for (const auto& [name, value] : row.worker->environment) environment.insert(name);
    }
  }
  DetailNames names;
  for (const EstimateColumn& column : request_columns()) {
    if (std::any_of(rows.begin(), rows.end(), column.shown_for))
      names.requests.emplace_back(column.metric.name);
  }
  names.phases.assign(phases.begin(), phases.end());
  for (const std::string& name : metrics) {
    const bool taken = find_column(name) != nullptr || phases.contains(name);
    names.metrics.push_back(taken ? std::string(kMetricPrefix) + name : name);
  }
  for (const std::string& name : labels) names.labels.push_back(std::string(kLabelPrefix) + name);
  for (const std::string& name : environment) {
    names.environment.push_back(std::string(kEnvironmentPrefix) + name);
  }
  return names;
}

std::string full_name(const std::string& name, std::span<const CaseRow> rows, const char* where) {
  std::vector<std::string> known = record_names(rows);
  // Options that judge a case are not part of it: a short name never means one of these.
  std::erase_if(known, [&](const std::string& option) {
    return (option.starts_with("compare.") || option.starts_with("track.")) && option != name;
  });
  // `step` means the displayed column, not margin.step.
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    if (std::string column = column_headed(name); !column.empty()) return column;
  }
  for (const EstimateColumn& column : noise_columns()) known.emplace_back(column.metric.name);
  DetailNames details = detail_names(rows);
  for (auto* names : {&details.requests, &details.phases, &details.metrics, &details.labels,
                      &details.environment}) {
    std::ranges::copy(*names, std::back_inserter(known));
  }
  if (name == "peak_bytes") {
    const std::string peak = peak_name({details.metrics.begin(), details.metrics.end()});
    if (!peak.empty()) return peak;
  }
  try {
    return text::resolve_name(name, known, "unknown column or option", other_words());
  } catch (const Error& error) {
    throw ConfigError(where, error.what());
  }
}

CaseValue row_getter(const std::string& full_name) {
  if (const EstimateColumn* column = find_column(full_name)) return column->get;
  return [full_name](const CaseRow& row) -> Value {
    const auto found = row.options().find(full_name);
    return found == row.options().end() ? of_launches(row, full_name) : found->second;
  };
}

Value row_value(const CaseRow& row, const std::string& full_name) {
  return row_getter(full_name)(row);
}

bool is_option(std::span<const CaseRow> rows, const std::string& full_name) {
  return find_column(full_name) == nullptr &&
         std::any_of(rows.begin(), rows.end(),
                     [&](const CaseRow& row) { return row.options().contains(full_name); });
}

void sort_rows(std::vector<CaseRow>& rows, const std::string& by) {
  if (by.empty()) return;
  const bool largest_first = by.starts_with('-');
  const std::string name = full_name(largest_first ? by.substr(1) : by, rows, "--sort");
  std::stable_sort(rows.begin(), rows.end(), [&](const CaseRow& a, const CaseRow& b) {
    return comes_before(row_value(a, name), row_value(b, name), largest_first);
  });
}

bool is_written(const Value& value, const std::string& text) {
  if (to_text(value) == text) return true;
  if (std::holds_alternative<bool>(value)) return to_text(value) == lower_case(text);
  const auto number = number_of(value);
  double written = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), written);
  return number && error == std::errc{} && end == text.data() + text.size() && written == *number;
}

namespace {

struct Setting {
  std::string name;  // full name
  std::vector<std::string> values;
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(at, from), text.size());
    parts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

bool holds(const Setting& setting, const OptionValues& options) {
  const auto found = options.find(setting.name);
  const Value value = found == options.end() ? Value() : found->second;
  return std::any_of(setting.values.begin(), setting.values.end(),
                     [&](const std::string& text) { return is_written(value, text); });
}

std::string values_here(const std::vector<CaseRow>& rows, const std::string& name) {
  std::set<std::string> values;
  for (const CaseRow& row : rows) {
    const auto found = row.options().find(name);
    if (found != row.options().end()) values.insert(to_text(found->second));
  }
  return formatted("{} is {} here", name, text::join(values));
}

Setting setting_of(const std::string& text, const std::vector<CaseRow>& rows, const char* where) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigError(std::string(where) + ' ' + text,
                      formatted("expected KEY=VALUE, as in {} num_workers=4", where));
  }
  return {full_name(text.substr(0, equals), rows, where), split(text.substr(equals + 1), ',')};
}

// Splits "num_workers=0,pin_memory=false". A comma that is not followed by KEY= belongs to the
// value.
std::vector<std::string> settings_in(const std::string& text) {
  std::vector<std::string> settings;
  for (const std::string& part : split(text, ',')) {
    if (settings.empty() || part.find('=') != std::string::npos) {
      settings.push_back(part);
    } else {
      settings.back() += ',' + part;
    }
  }
  return settings;
}

// Returns the rows of one of several runs, given the first digits of its id.
std::vector<std::size_t> rows_of_run(const std::string& run, const std::vector<CaseRow>& rows) {
  std::vector<std::size_t> found;
  std::set<std::string> runs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].run_id.starts_with(run)) found.push_back(i);
    if (rows[i].run_id.starts_with(run)) runs.insert(rows[i].run_id);
  }
  const bool some = !run.empty() && runs.size() == 1 && found.size() < rows.size();
  return some ? found : std::vector<std::size_t>();
}

std::vector<std::size_t> named_by(const std::string& baseline, std::vector<Setting>& settings,
                                  const std::vector<CaseRow>& rows) {
  constexpr const char* kOptionName = "--baseline";
  std::vector<std::size_t> found = rows_of_run(baseline, rows);
  if (!found.empty()) return found;
  if (baseline.find('=') == std::string::npos) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!baseline.empty() && rows[i].case_id.starts_with(baseline)) found.push_back(i);
    }
    if (found.size() == 1) return found;
    throw ConfigError(
        kOptionName,
        found.empty()
            ? formatted("no case begins with '{}'; expected KEY=VALUE, or the id of a case or run",
                        baseline)
            : formatted("several cases begin with '{}'", baseline));
  }
  for (const std::string& text : settings_in(baseline)) {
    settings.push_back(setting_of(text, rows, kOptionName));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto of_row = [&](const Setting& setting) { return holds(setting, rows[i].options()); };
    if (std::all_of(settings.begin(), settings.end(), of_row)) found.push_back(i);
  }
  if (found.empty()) {
    throw ConfigError(kOptionName,
                      formatted("no case has {}; {}", baseline,
                                text::join(settings, ", ", [&](const Setting& setting) {
                                  return values_here(rows, setting.name);
                                })));
  }
  return found;
}

// True if all varying options other than the baseline's are equal, or unset in one of the two rows.
bool is_same_but_for(const CaseRow& a, const CaseRow& b, const std::vector<std::string>& others) {
  return a.arm == b.arm && a.pass == b.pass &&
         std::all_of(others.begin(), others.end(), [&](const std::string& name) {
           const Value* x = a.option(name);
           const Value* y = b.option(name);
           return x == nullptr || y == nullptr || *x == *y;
         });
}

}  // namespace

namespace {

std::vector<CaseRow> rows_of_case(const std::vector<CaseRow>& all, const std::string& case_id) {
  std::vector<CaseRow> rows;
  for (const CaseRow& row : all) {
    if (row.case_id == case_id) rows.push_back(row);
  }
  (void)take_profiled(rows);
  return rows;
}

}  // namespace

std::vector<CaseRow> find_case(const std::vector<CaseRow>& rows, const record::Results& results,
                               const std::string& prefix) {
  std::vector<const CaseRow*> found;
  std::vector<std::string> heads;
  for (const CaseRow& row : rows) {
    if (row.case_id == prefix) return rows_of_case(rows, prefix);
    heads.push_back(row.case_id.substr(0, prefix.size()));
    const auto same = [&](const CaseRow* other) { return other->case_id == row.case_id; };
    if (row.case_id.starts_with(prefix) && std::none_of(found.begin(), found.end(), same)) {
      found.push_back(&row);
    }
  }
  if (found.size() == 1) return rows_of_case(rows, found.front()->case_id);
  if (found.empty()) {
    throw ConfigError(
        "--case", formatted("no case begins with '{}'{}; `stepbench show` lists the cases", prefix,
                            text::did_you_mean(prefix, heads)));
  }
  const std::vector<std::string> varying = varying_options(rows, results);
  std::string list;
  for (const CaseRow* row : found) {
    list +=
        formatted("\n  {}  {}", row->case_id, case_name(row->options(), row->workload, varying));
  }
  throw ConfigError("--case", formatted("'{}' matches {} cases:{}", prefix, found.size(), list));
}

void keep_case(record::Results& results, const std::string& case_id) {
  std::erase_if(results.launches,
                [&](const record::Launch& launch) { return launch.row.key.case_id != case_id; });
  std::erase_if(results.unfinished,
                [&](const record::StartRow& start) { return start.key.case_id != case_id; });
}

void keep_filtered(record::Results& results, std::span<const std::string> filters) {
  constexpr const char* kOptionName = "--filter";
  for (const std::string& filter : filters) {
    const std::vector<CaseRow> rows = case_rows(results);
    const Setting setting = setting_of(filter, rows, kOptionName);
    if (!is_option(rows, setting.name)) {
      throw ConfigError(kOptionName, formatted("unknown option '{}'", setting.name));
    }
    const auto is_other = [&](const auto& options) { return !holds(setting, options); };
    if (std::all_of(rows.begin(), rows.end(),
                    [&](const CaseRow& row) { return is_other(row.options()); })) {
      throw ConfigError(std::string(kOptionName) + ' ' + filter,
                        "no case is left; " + values_here(rows, setting.name));
    }
    std::erase_if(results.launches,
                  [&](const record::Launch& launch) { return is_other(launch.row.options); });
    std::erase_if(results.unfinished, [&](const record::StartRow& start) {
      return start.options.contains(setting.name) && is_other(start.options);
    });
  }
}

void compare_with_baseline(std::vector<CaseRow>& rows, const record::Results& results,
                           const std::string& baseline) {
  std::vector<Setting> settings;
  const std::vector<std::size_t> bases = named_by(baseline, settings, rows);
  const auto by = judged_by(rows);
  if (!by) return;
  std::vector<std::string> others = varying_options(rows, results);
  std::erase_if(others, [&](const std::string& name) {
    return std::any_of(settings.begin(), settings.end(),
                       [&](const Setting& setting) { return setting.name == name; });
  });
  for (CaseRow& row : rows) {
    const auto base = std::find_if(bases.begin(), bases.end(), [&](std::size_t i) {
      if (bases.size() == 1) return true;
      return (settings.empty() || row.run_id == rows[i].run_id) &&
             is_same_but_for(row, rows[i], others);
    });
    if (base == bases.end()) continue;
    const auto ratio = speed_up(row, rows[*base], *by);
    if (!ratio) continue;
    row.vs_baseline = ratio->value;
    row.vs_baseline_interval = ratio->interval;
  }
}

}  // namespace stepbench::estimate
