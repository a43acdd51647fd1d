// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/baseline.h"

#include <algorithm>
#include <set>

#include "harness/base/error.h"
#include "harness/estimate/ranking.h"
#include "harness/estimate/row_values.h"
#include "harness/text/words.h"

namespace stepbench::estimate {
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
  return name + " is " + text::join(values) + " here";
}

Setting setting_of(const std::string& text, const std::vector<CaseRow>& rows, const char* where) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigError(std::string(where) + ' ' + text,
                      "expected KEY=VALUE, as in " + std::string(where) + " num_workers=4");
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
    throw ConfigError(kOptionName, found.empty()
                                       ? "no case begins with '" + baseline +
                                             "'; expected KEY=VALUE, or the id of a case or run"
                                       : "several cases begin with '" + baseline + "'");
  }
  for (const std::string& text : settings_in(baseline)) {
    settings.push_back(setting_of(text, rows, kOptionName));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto of_row = [&](const Setting& setting) { return holds(setting, rows[i].options()); };
    if (std::all_of(settings.begin(), settings.end(), of_row)) found.push_back(i);
  }
  if (found.empty()) {
    throw ConfigError(kOptionName, "no case has " + baseline + "; " +
                                       text::join(settings, ", ", [&](const Setting& setting) {
                                         return values_here(rows, setting.name);
                                       }));
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

void keep_filtered(record::Results& results, std::span<const std::string> filters) {
  constexpr const char* kOptionName = "--filter";
  for (const std::string& filter : filters) {
    const std::vector<CaseRow> rows = case_rows(results);
    const Setting setting = setting_of(filter, rows, kOptionName);
    if (!is_option(rows, setting.name)) {
      throw ConfigError(kOptionName, "unknown option '" + setting.name + "'");
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
