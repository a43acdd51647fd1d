// SPDX-License-Identifier: Apache-2.0
#include "harness/report/activity_tables.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "harness/document/cells.h"
#include "harness/ops/op_table.h"

namespace stepbench::report {
namespace {

using Member = std::int64_t ops::ActivityRow::*;

bool row_is_work(const ops::ActivityRow& row) {
  return row.kind == ops::ActivityKind::kKernel || row.kind == ops::ActivityKind::kMemcpy ||
         row.kind == ops::ActivityKind::kMemset;
}
bool row_is_call(const ops::ActivityRow& row) {
  return row.kind == ops::ActivityKind::kRuntime || row.kind == ops::ActivityKind::kDriver;
}
bool is_wait(const ops::ActivityRow& row, const ops::OpTable& table) {
  return row.kind == ops::ActivityKind::kSynchronization ||
         (row_is_call(row) && table.text(row.name).find("Synchronize") != std::string_view::npos);
}

// Merges rows by name (and cause), largest first.
std::vector<ops::ActivityRow> chosen(const ops::OpTable& table, bool by_cause, Member largest,
                                     const std::function<bool(const ops::ActivityRow&)>& wanted) {
  std::vector<ops::ActivityRow> rows;
  std::map<std::tuple<ops::ActivityKind, std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t>
      index;
  for (ops::ActivityRow row : table.activities) {
    if (!wanted(row)) continue;
    if (!by_cause) row.op = row.phase = ops::kNoIndex;
    const auto [at, is_new] =
        index.try_emplace({row.kind, row.name, row.op, row.phase}, rows.size());
    if (is_new) {
      rows.push_back(row);
      continue;
    }
    ops::ActivityRow& sum = rows[at->second];
    sum.launches += row.launches;
    sum.total_ns += row.total_ns;
    sum.min_ns = std::min(sum.min_ns, row.min_ns);
    sum.max_ns = std::max(sum.max_ns, row.max_ns);
    sum.bytes += row.bytes;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const ops::ActivityRow& a, const ops::ActivityRow& b) {
                     return a.*largest > b.*largest;
                   });
  return rows;
}

document::Table table_of(const ops::OpTable& table, std::string title,
                         std::vector<ops::ActivityRow> rows, bool by_cause, std::size_t row_limit) {
  if (row_limit > 0 && rows.size() > row_limit) rows.resize(row_limit);
  const bool bytes = std::any_of(rows.begin(), rows.end(),
                                 [](const ops::ActivityRow& row) { return row.bytes > 0; });
  document::Table made{
      .title = std::move(title),
      .columns = {{.head = "name", .left = true, .shrink_at = 9, .shrink_to = 24}}};
  if (by_cause) {
    made.columns.push_back(document::words("caused by"));
    made.columns.push_back(document::words("phase"));
  }
  for (const char* head : {"calls", "total", "avg", "min", "max"}) {
    made.columns.push_back({.head = head});
  }
  if (bytes) made.columns.push_back({.head = "bytes"});
  for (const ops::ActivityRow& row : rows) {
    const auto time = [](std::int64_t ns) { return document::duration(static_cast<double>(ns)); };
    std::vector<document::Cell>& cells = made.rows.emplace_back().cells;
    cells.emplace_back(table.text(row.name));
    if (by_cause) {
      cells.emplace_back(row.op == ops::kNoIndex ? "no op" : table.text(row.op));
      cells.emplace_back(table.text(row.phase));
    }
    const auto launches = static_cast<double>(std::max<std::int64_t>(row.launches, 1));
    cells.push_back(document::count(row.launches));
    cells.push_back(time(row.total_ns));
    cells.push_back(document::duration(static_cast<double>(row.total_ns) / launches));
    cells.push_back(time(row.min_ns));
    cells.push_back(time(row.max_ns));
    if (bytes) cells.push_back(document::bytes(static_cast<double>(row.bytes)));
  }
  return made;
}

document::Table peaks(const ops::OpTable& table) {
  document::Table made{.title = "Peak memory while profiled",
                       .columns = {document::words("device"),
                                   {.head = "peak"},
                                   document::words("op"),
                                   document::words("phase"),
                                   {.head = "step"}}};
  for (const ops::MemoryPoint& point : table.memory) {
    if (!point.peak) continue;
    made.rows.push_back(
        {.cells = {point.device < 0 ? "host" : "cuda:" + std::to_string(point.device),
                   document::bytes(static_cast<double>(point.allocated_bytes)),
                   table.text(point.op), table.text(point.phase),
                   point.step < 0 ? std::string() : std::to_string(point.step)}});
  }
  return made;
}

}  // namespace

std::vector<document::Table> activity_tables(const ops::OpTable& table, std::size_t row_limit) {
  std::vector<document::Table> all;
  const auto add = [&](std::string title, bool by_cause, Member largest,
                       const std::function<bool(const ops::ActivityRow&)>& wanted) {
    all.push_back(table_of(table, std::move(title), chosen(table, by_cause, largest, wanted),
                           by_cause, row_limit));
  };
  add("Kernels and copies by time", false, &ops::ActivityRow::total_ns, row_is_work);
  add("Kernels and copies by launches", false, &ops::ActivityRow::launches, row_is_work);
  add("CUDA runtime and driver calls", false, &ops::ActivityRow::total_ns, row_is_call);
  add("Waits for the device, and the op that caused each", true, &ops::ActivityRow::total_ns,
      [&](const ops::ActivityRow& row) { return is_wait(row, table); });
  all.push_back(peaks(table));
  return all;
}

void add_activities(json::JsonText& json, const ops::OpTable& table) {
  json.open_array("activities");
  for (const ops::ActivityRow& row : table.activities) {
    json.open_object().text("kind", name_of(row.kind)).text("name", table.text(row.name));
    json.text("op", table.text(row.op)).text("phase", table.text(row.phase));
    json.integer("launches", row.launches).integer("total_ns", row.total_ns);
    json.integer("min_ns", row.min_ns).integer("max_ns", row.max_ns).integer("bytes", row.bytes);
    json.close_object();
  }
  json.close_array().open_array("memory");
  for (const ops::MemoryPoint& point : table.memory) {
    json.open_object().integer("device", point.device).integer("at_ns", point.at_ns);
    json.integer("step", point.step).text("phase", table.text(point.phase));
    json.text("op", table.text(point.op)).integer("allocated_bytes", point.allocated_bytes);
    json.flag("peak", point.peak).close_object();
  }
  json.close_array();
}

}  // namespace stepbench::report
