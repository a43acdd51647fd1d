// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "harness/base/error.h"
#include "harness/foreign/formats.h"
#include "harness/foreign/time_text.h"
#include "harness/foreign/units.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::foreign {
namespace {

constexpr std::array<std::string_view, 8> kTimeColumns = {
    "time", "date", "timestamp", "datetime", "started_utc", "started_at", "commit_date", "day"};
constexpr std::array<std::string_view, 8> kCommitColumns = {
    "commit", "git_sha", "sha", "commit_id", "revision", "rev", "hash", "commit_hash"};
constexpr std::array<std::string_view, 2> kBranchColumns = {"branch", "git_branch"};
constexpr std::array<std::string_view, 3> kHostColumns = {"host", "hostname", "machine"};
constexpr const char* kAnyFirstNight = "2000-01-01";
constexpr long kSecondsOfADay = 24 * 60 * 60;

class TableReader {
 public:
  TableReader(const ForeignTable& table, const std::string& file, const ForeignOptions& options)
      : table_(table), file_(file), options_(options) {
    const auto named = [&](const std::string& name, const char* option,
                           std::span<const std::string_view> usual) {
      return name.empty() ? table.find(usual) : std::optional(table.column(name, option));
    };
    time_ = named(options.time_column, "--time-column", kTimeColumns);
    commit_ = named(options.commit_column, "--commit-column", kCommitColumns);
    branch_ = table.find(kBranchColumns);
    host_ = table.find(kHostColumns);
    for (const std::string& name : options.case_columns) {
      cases_.push_back(table.column(name, "--case-column"));
    }
    for (const std::string& name : options.value_columns) {
      values_.push_back(table.column(name, "--value-column"));
    }
    if (values_.empty()) values_ = guessed_values();
    if (!time_) first_night_ = first_night();
  }

  Measurements read() {
    Measurements all{.format = "table", .experiment = std::filesystem::path(file_).stem().string()};
    if (!time_ && options_.first_night.empty()) {
      all.notes.push_back(file_ + " has no times: its rows are counted as a night each, from " +
                          kAnyFirstNight + " on");
    }
    const Unit unit = unit_of(options_.unit);
    for (const ForeignRow& row : table_.rows) {
      const Measurement common = night_of_row(row);
      for (const std::size_t column : values_) {
        Measurement one = common;
        one.metric = table_.columns[column];
        one.unit = unit.name;
        one.direction =
            options_.guess ? Direction::kNeither : direction_of(options_.better, unit, one.metric);
        one.value = number(row, column);
        if (one.value) *one.value *= unit.factor;
        all.all.push_back(std::move(one));
      }
    }
    return all;
  }

 private:
  [[nodiscard]] bool is_named(std::size_t column) const {
    return column == time_ || column == commit_ || column == branch_ || column == host_ ||
           std::find(cases_.begin(), cases_.end(), column) != cases_.end();
  }

  // All columns of numbers, where that is asked for; or the only one.
  [[nodiscard]] std::vector<std::size_t> guessed_values() const {
    std::vector<std::size_t> numbers;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      const bool fits = std::all_of(table_.rows.begin(), table_.rows.end(), [&](const auto& row) {
        return is_gap(row.cells[i]) || cell_number(row.cells[i]);
      });
      if (is_named(i) || !fits || table_.rows.empty()) continue;
      numbers.push_back(i);
      names.push_back(table_.columns[i]);
    }
    if (numbers.empty()) {
      throw ConfigError(
          file_, "has no column of numbers; it has " + text::printable(text::join(table_.columns)));
    }
    if (!options_.guess && numbers.size() > 1) {
      throw ConfigError("--value-column", "say which of the columns of " + file_ + ": " +
                                              text::printable(text::join(names)));
    }
    return numbers;
  }

  [[nodiscard]] std::string first_night() const {
    const auto given = utc_of(
        options_.first_night.empty() && options_.guess ? kAnyFirstNight : options_.first_night);
    if (given) return *given;
    if (!options_.first_night.empty()) {
      throw ConfigError("--first-night", "'" + options_.first_night + "' is no date");
    }
    throw ConfigError("--time-column",
                      file_ + " has no column of times with a usual name (" +
                          text::printable(text::join(table_.columns)) +
                          "): name it, or give --first-night DATE for a night a row");
  }

  // Without times the n-th row of a case is the n-th night.
  Measurement night_of_row(const ForeignRow& row) {
    Measurement one{.where = row.where};
    std::string key;
    for (const std::size_t column : cases_) {
      one.options[table_.columns[column]] = row.cells[column];
      key += row.cells[column] + '\n';
    }
    if (commit_) one.commit = row.cells[*commit_];
    if (branch_) one.branch = row.cells[*branch_];
    if (host_) one.host = row.cells[*host_];
    if (!time_) {
      one.started_utc = later(first_night_, kSecondsOfADay * nights_[key]++);
      return one;
    }
    const auto utc = utc_of(row.cells[*time_]);
    if (!utc) {
      throw ConfigError(row.where, "'" + text::printable(row.cells[*time_]) + "' in column '" +
                                       text::printable(table_.columns[*time_]) +
                                       "' is no time: 2026-01-31T12:00:00Z, 2026-01-31 12:00 "
                                       "+0100, or seconds since 1970");
    }
    one.started_utc = *utc;
    return one;
  }

  [[nodiscard]] std::optional<double> number(const ForeignRow& row, std::size_t column) const {
    const std::string& cell = row.cells[column];
    if (is_gap(cell)) return std::nullopt;
    if (const auto value = cell_number(cell)) return value;
    throw ConfigError(row.where, "'" + text::printable(cell) + "' in column '" +
                                     text::printable(table_.columns[column]) +
                                     "' is no number; an empty cell is a night without a value");
  }

  const ForeignTable& table_;
  const std::string& file_;
  const ForeignOptions& options_;
  std::optional<std::size_t> time_;
  std::optional<std::size_t> commit_;
  std::optional<std::size_t> branch_;
  std::optional<std::size_t> host_;
  std::vector<std::size_t> cases_;
  std::vector<std::size_t> values_;
  std::string first_night_;
  std::map<std::string, long> nights_;  // rows of each case so far
};

}  // namespace

Measurements table_measurements(const ForeignTable& table, const std::string& file,
                                const ForeignOptions& options) {
  return TableReader(table, file, options).read();
}

}  // namespace stepbench::foreign
