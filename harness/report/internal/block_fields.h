// SPDX-License-Identifier: Apache-2.0
// Each row type of an analysis block defines its members once: what JSON contains and which of them
// a table shows. Two visitors read the definitions, in the order of the table's columns. Rows:
// analysis_rows.h. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/document/document.h"
#include "harness/json/fields.h"
#include "harness/traces/analysis.h"
#include "harness/traces/trace.h"

namespace stepbench::report {

// Context for formatting a number.
struct InTable {
  double steps = 1;          // number of counted steps
  double total = 0;          // total of the column, for shares
  text::TimeUnit unit = {};  // for times without a unit of their own
};

// A column of numbers. Without a head only JSON has it.
struct Shown {
  const char* head = "";
  document::Cell (*cell)(std::optional<double> value, const InTable& in) = nullptr;
  std::string_view unit = {};
  int drop_at = 0;
};

inline document::Cell as_count(std::optional<double> value, const InTable& /*in*/) {
  return value ? document::count(std::int64_t(*value)) : document::Cell("-");
}
inline document::Cell as_number(std::optional<double> value, const InTable& /*in*/) {
  return document::number(value);
}
inline document::Cell as_short_number(std::optional<double> value, const InTable& /*in*/) {
  return document::short_number(value);
}
inline document::Cell as_times(std::optional<double> value, const InTable& in) {
  return document::short_number(value ? std::optional(*value / in.steps) : value);
}
template <int kPerUnit>
document::Cell in_units(std::optional<double> value, const InTable& /*in*/) {
  return document::number(value ? std::optional(*value / kPerUnit) : value);
}
inline constexpr auto as_us = in_units<1'000>;
inline constexpr auto as_ms = in_units<1'000'000>;
inline constexpr auto as_giga = in_units<1'000'000'000>;
inline document::Cell as_tera(std::optional<double> value, const InTable& /*in*/) {
  return document::number(value ? std::optional(*value / 1e12) : value);
}
inline document::Cell as_time_per_step(std::optional<double> value, const InTable& in) {
  return document::time(value ? std::optional(*value / in.steps) : value, in.unit);
}
inline document::Cell as_time(std::optional<double> value, const InTable& in) {
  return document::time(value, in.unit);
}
inline document::Cell as_part_of_time(std::optional<double> value, const InTable& in) {
  return document::part_of_time(value.value_or(0), in.unit, in.total);
}
inline document::Cell as_difference(std::optional<double> value, const InTable& in) {
  const double ns = value.value_or(0);
  if (ns == 0) return {"0", 0};
  return {(ns > 0 ? "+" : "") + text::significant(ns / in.unit.ns), ns};
}
inline document::Cell as_change_of_total(std::optional<double> value, const InTable& in) {
  if (in.total <= 0) return "-";
  const double change = value.value_or(0) / in.total;
  return {text::signed_percent(change), change};
}
inline document::Cell as_us_per_step(std::optional<double> value, const InTable& in) {
  return as_us(value ? std::optional(*value / in.steps) : value, in);
}
inline document::Cell as_share(std::optional<double> value, const InTable& in) {
  return document::share(value.value_or(0), in.total);
}
inline document::Cell as_percent(std::optional<double> value, const InTable& /*in*/) {
  return document::percent(value);
}
inline document::Cell as_bytes(std::optional<double> value, const InTable& /*in*/) {
  return document::bytes(value);
}
inline document::Cell as_bytes_per_step(std::optional<double> value, const InTable& in) {
  return document::bytes(value ? std::optional(*value / in.steps) : value);
}

// Column of words, cut in the middle on a terminal.
inline document::Column name_column(const char* head, int shrink_at, std::size_t shrink_to = 24) {
  return {.head = head,
          .left = true,
          .shrink_at = shrink_at,
          .shrink_to = shrink_to,
          .shrink_inside = true};
}

// Visitor that writes the members of an open object.
class BlockJson {
 public:
  BlockJson(json::JsonText& json, const traces::Trace& trace)
      : json_(json), write_(json), trace_(trace) {}

  [[nodiscard]] const traces::Trace& trace() const { return trace_; }

  template <typename T>
  BlockJson& operator()(std::string_view key, const T& value, const Shown& /*shown*/ = {}) {
    write_(key, value);
    return *this;
  }
  BlockJson& text(std::string_view key, std::string_view text) { return (*this)(key, text); }
  BlockJson& text_or_null(std::string_view key, std::string_view text) {
    return (*this)(key, text.empty() ? std::nullopt : std::optional(text));
  }
  BlockJson& numbers(std::string_view key, const std::vector<double>& values) {
    return (*this)(key, values);
  }
  // Index into Trace::names; null for none.
  BlockJson& name(std::string_view key, std::uint32_t index, const document::Column& = {}) {
    return index == ops::kNoIndex ? (*this)(key, std::optional<std::string>())
                                  : (*this)(key, trace_.names[index].text);
  }
  BlockJson& span(std::string_view key, const traces::TimeSpan& at) {
    json_.open_object(key).integer("start_ns", at.begin_ns).integer("end_ns", at.end_ns);
    json_.close_object();
    return *this;
  }
  BlockJson& summary(std::string_view key, const traces::Summary& of) {
    json_.open_object(key).integer("n", of.n).number("min", of.min).number("mean", of.mean);
    json_.number("median", of.median).number("p90", of.p90).number("p95", of.p95);
    json_.number("max", of.max).number("mad", of.mad).number("iqr", of.iqr).close_object();
    return *this;
  }
  [[nodiscard]] std::string_view unit_name() const { return {}; }
  // Shown only in tables.
  BlockJson& shown(const Shown&, std::optional<double>) { return *this; }
  BlockJson& words(const document::Column&, const document::Cell&) { return *this; }

  template <typename Row>
  void rows(std::string_view key, const std::vector<Row>& all) {
    json_.open_array(key);
    for (const Row& row : all) object({}, row);
    json_.close_array();
  }
  template <typename Row>
  void object(std::string_view key, const Row& row) {
    json_.open_object(key);
    block_fields(*this, row);
    json_.close_object();
  }

 private:
  json::JsonText& json_;
  json::FieldWriter write_;
  const traces::Trace& trace_;
};

// Visitor that builds a table with one column per shown member.
class BlockTable {
 public:
  BlockTable(std::string title, const traces::Trace& trace, const InTable& in,
             std::string subtitle = {})
      : trace_(trace),
        in_(in),
        table_{.title = std::move(title), .subtitle = std::move(subtitle)} {}

  [[nodiscard]] const traces::Trace& trace() const { return trace_; }

  template <typename T>
  BlockTable& operator()(std::string_view /*key*/, const T& value, const Shown& shown = {}) {
    if constexpr (json::kIsOptional<T>) {
      return this->shown(shown, value ? std::optional(double(*value)) : std::nullopt);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return this->shown(shown, double(value));
    }
    return *this;
  }
  BlockTable& shown(const Shown& shown, std::optional<double> value) {
    if (*shown.head == '\0') return *this;
    return cell({.head = shown.head, .unit = std::string(shown.unit), .drop_at = shown.drop_at},
                shown.cell(value, in_));
  }
  BlockTable& words(const document::Column& column, document::Cell words) {
    return cell(column, std::move(words));
  }
  BlockTable& name(std::string_view /*key*/, std::uint32_t index,
                   const document::Column& column = {}) {
    if (column.head.empty()) return *this;
    return cell(column, index == ops::kNoIndex ? std::string("-")
                                               : traces::short_row_name(trace_.names[index].text));
  }
  BlockTable& text(std::string_view, std::string_view) { return *this; }
  BlockTable& numbers(std::string_view, const std::vector<double>&) { return *this; }
  template <typename Row>
  void object(std::string_view, const Row&) {}
  BlockTable& span(std::string_view, const traces::TimeSpan&) { return *this; }
  BlockTable& summary(std::string_view, const traces::Summary&) { return *this; }

  [[nodiscard]] std::string_view unit_name() const { return in_.unit.name; }

  template <typename Row>
  void add(const Row& row, document::Tone tone = document::Tone::kPlain) {
    table_.rows.push_back({.cells = {}, .tone = tone});
    block_fields(*this, row);
  }
  [[nodiscard]] document::Table take() { return std::move(table_); }

 private:
  BlockTable& cell(const document::Column& column, document::Cell cell) {
    if (table_.rows.size() == 1) table_.columns.push_back(column);
    table_.rows.back().cells.push_back(std::move(cell));
    return *this;
  }

  const traces::Trace& trace_;
  InTable in_;
  document::Table table_;
};

}  // namespace stepbench::report
