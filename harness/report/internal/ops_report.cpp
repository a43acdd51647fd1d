// SPDX-License-Identifier: Apache-2.0
#include "harness/report/result_tables.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/base/value.h"
#include "harness/document/document.h"
#include "harness/document/render.h"
#include "harness/estimate/case_rows.h"
#include "harness/json/json_text.h"
#include "harness/ops/op_table.h"
#include "harness/report/internal/csv.h"
#include "harness/report/internal/ops_columns.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr double kNsPerUs = 1000;

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
  std::ranges::stable_sort(rows, [&](const ops::ActivityRow& a, const ops::ActivityRow& b) {
    return a.*largest > b.*largest;
  });
  return rows;
}

document::Table activity_table(const ops::OpTable& table, std::string title,
                               std::vector<ops::ActivityRow> rows, bool by_cause,
                               std::size_t row_limit) {
  if (row_limit > 0 && rows.size() > row_limit) rows.resize(row_limit);
  using Activity = ops::ActivityRow;
  const auto time = [](Member of) {
    return [of](const Activity& row) { return document::duration(double(row.*of)); };
  };
  document::Table made = document::project<Activity>(
      rows,
      {{{.head = "name", .left = true, .shrink_at = 9, .shrink_to = 24},
        [&](const Activity& row) { return table.text(row.name); }},
       {document::words("caused by"),
        [&](const Activity& row) { return row.op == ops::kNoIndex ? "no op" : table.text(row.op); },
        by_cause},
       {document::words("phase"), [&](const Activity& row) { return table.text(row.phase); },
        by_cause},
       {{.head = "calls"}, [](const Activity& row) { return document::count(row.launches); }},
       {{.head = "total"}, time(&Activity::total_ns)},
       {{.head = "avg"},
        [](const Activity& row) {
          const auto launches = double(std::max<std::int64_t>(row.launches, 1));
          return document::duration(double(row.total_ns) / launches);
        }},
       {{.head = "min"}, time(&Activity::min_ns)},
       {{.head = "max"}, time(&Activity::max_ns)},
       {{.head = "bytes"},
        [](const Activity& row) { return document::bytes(double(row.bytes)); },
        std::ranges::any_of(rows, [](const Activity& row) { return row.bytes > 0; })}});
  made.title = std::move(title);
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
    made.rows.push_back({.cells = {point.device < 0 ? "host" : formatted("cuda:{}", point.device),
                                   document::bytes(double(point.allocated_bytes)),
                                   table.text(point.op), table.text(point.phase),
                                   point.step < 0 ? std::string() : std::to_string(point.step)}});
  }
  return made;
}

// At most `row_limit` rows each (0: all).
std::vector<document::Table> activity_tables(const ops::OpTable& table, std::size_t row_limit) {
  std::vector<document::Table> all;
  const auto add = [&](std::string title, bool by_cause, Member largest,
                       const std::function<bool(const ops::ActivityRow&)>& wanted) {
    all.push_back(activity_table(table, std::move(title), chosen(table, by_cause, largest, wanted),
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

// Adds "activities" (by name, kind, operator and phase) and "memory" (points) to an open object.
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

struct Profiled : estimate::ProfiledCase {
  ops::OpTotals totals = {};
  std::vector<ops::OpRow> rows = {};  // grouped, sorted, limited
  std::size_t rows_in_all = 0;
};

ops::OpGrouping grouping_of(const OpsView& view) {
  ops::OpGrouping by{.step = view.per_step};
  const std::vector<std::string> known = {"shape", "phase", "module", "name"};
  for (const std::string& each : view.group_by) {
    if (each == "shape" || each == "shapes") {
      by.shapes = true;
    } else if (each == "phase") {
      by.phase = true;
    } else if (each == "module") {
      by.module = true;
    } else if (each != "name") {
      throw ConfigError("--group-by",
                        formatted("unknown group '{}'{}; groups: name, shape, phase, module", each,
                                  text::did_you_mean(each, known)));
    }
  }
  return by;
}

double as_number(const Value& value) {
  return number_of(value).value_or(-std::numeric_limits<double>::infinity());
}

// Keeps steps in order; sorts names ascending, numbers descending.
void sort_rows(Profiled& profiled, const OpColumn& by, bool per_step) {
  const auto get = [&](const ops::OpRow& row) {
    return by.get(row, profiled.table, profiled.totals);
  };
  std::ranges::stable_sort(profiled.rows, [&](const ops::OpRow& a, const ops::OpRow& b) {
    if (per_step && a.step != b.step) return a.step < b.step;
    if (by.unit == OpUnit::kText) return to_text(get(a)) < to_text(get(b));
    return as_number(get(a)) > as_number(get(b));
  });
}

void cut_rows(Profiled& profiled, const OpsView& view) {
  profiled.rows_in_all = profiled.rows.size();
  if (view.row_limit == 0) return;
  std::map<std::int64_t, std::size_t> kept;
  std::erase_if(profiled.rows, [&](const ops::OpRow& row) {
    return ++kept[view.per_step ? row.step : 0] > view.row_limit;
  });
}

Profiled profiled_rows(estimate::ProfiledCase each, const OpsView& view) {
  Profiled profiled{std::move(each)};
  profiled.rows = ops::grouped(profiled.table.rows, grouping_of(view));
  profiled.totals = ops::totals_of(profiled.rows);
  const bool device = profiled.totals.self_device_ns > 0;
  const std::string sort = !view.sort.empty() ? view.sort
                           : device           ? "self_cuda_time_total"
                                              : "self_cpu_time_total";
  sort_rows(profiled, op_column(sort.starts_with('-') ? sort.substr(1) : sort, "--sort"),
            view.per_step);
  cut_rows(profiled, view);
  return profiled;
}

std::vector<Profiled> gather(const record::Results& results, const OpsView& view) {
  std::vector<Profiled> all;
  static_cast<void>(grouping_of(view));
  for (estimate::ProfiledCase& each : estimate::profiled_cases(results, view.case_id)) {
    all.push_back(profiled_rows(std::move(each), view));
  }
  return all;
}

std::vector<const OpColumn*> chosen_columns(const OpsView& view) {
  std::vector<const OpColumn*> chosen;
  for (const std::string& name : view.columns) chosen.push_back(&op_column(name, "--columns"));
  if (chosen.empty()) {
    for (const OpColumn& column : op_columns()) chosen.push_back(&column);
  }
  return chosen;
}

bool holds_something(const Profiled& profiled, const OpColumn& column) {
  return std::ranges::any_of(profiled.rows, [&](const ops::OpRow& row) {
    const Value value = column.get(row, profiled.table, profiled.totals);
    if (is_null(value)) return false;
    return column.unit == OpUnit::kText || as_number(value) != 0;
  });
}

document::Table table_of(const Profiled& profiled, const OpsView& view) {
  document::Table table;
  std::vector<const OpColumn*> columns = chosen_columns(view);
  if (view.columns.empty()) {
    std::erase_if(columns, [&](const OpColumn* each) { return !holds_something(profiled, *each); });
  }
  for (const OpColumn* column : columns) {
    const bool text = column->unit == OpUnit::kText;
    const bool wanted = column->drop_at == 0 || !view.columns.empty();
    table.columns.push_back({.head = std::string(column->head),
                             .left = text,
                             .drop_at = wanted ? 0 : column->drop_at + 1,  // after names are cut
                             .shrink_at = text ? 1 : 0,
                             .shrink_to = 36,
                             .shrink_inside = true});
  }
  for (const ops::OpRow& row : profiled.rows) {
    document::TableRow& made = table.rows.emplace_back();
    for (const OpColumn* column : columns) {
      const Value value = column->get(row, profiled.table, profiled.totals);
      made.cells.emplace_back(op_cell_text(value, column->unit), number_of(value));
    }
  }
  return table;
}

std::string summary_line(const Profiled& profiled) {
  std::string text = "Self CPU time total: " + text::duration(double(profiled.totals.self_cpu_ns));
  if (profiled.totals.self_device_ns > 0) {
    text += ". Self CUDA time total: " + text::duration(double(profiled.totals.self_device_ns));
  }
  if (profiled.totals.flops > 0)
    text += ". FLOPs: " + operations_text(double(profiled.totals.flops));
  text += '.';
  if (profiled.rows.size() < profiled.rows_in_all) {
    text += formatted(" {} of {} rows; --row-limit 0 shows all.",
                      text::with_separators(profiled.rows.size()),
                      text::with_separators(profiled.rows_in_all));
  }
  return text;
}

document::Document ops_document(const Profiled& profiled, const OpsView& view) {
  document::Chapter page{.id = "ops", .title = "Operations", .blocks = {}};
  page.blocks.emplace_back(table_of(profiled, view));
  page.blocks.emplace_back(document::Paragraph{summary_line(profiled)});
  for (document::Table& table : activity_tables(profiled.table, view.row_limit)) {
    page.blocks.emplace_back(std::move(table));
  }
  return {.headline = heading(profiled),
          .chapters = {std::move(page)},
          .all_columns_in = "--columns, --format csv"};
}

// Times in microseconds, exact to the nanosecond.
Value exported(const OpColumn& column, const ops::OpRow& row, const Profiled& profiled) {
  Value value = column.get(row, profiled.table, profiled.totals);
  return is_null(value) || column.unit != OpUnit::kTime ? value : as_number(value) / kNsPerUs;
}

struct OpLine {
  const Profiled& of;
  const ops::OpRow& row;
};

std::string as_csv(const std::vector<Profiled>& all, const OpsView& view) {
  std::vector<CsvColumn<OpLine>> columns = {
      {"case", [](const OpLine& line) { return line.of.case_id; }},
      {"engine", [](const OpLine& line) { return line.of.engine; }},
      {"kind", [](const OpLine& line) { return std::string(name_of(line.row.kind)); }}};
  for (const OpColumn* column : chosen_columns(view)) {
    columns.push_back({std::string(column->name), [column](const OpLine& line) {
                         return exported(*column, line.row, line.of);
                       }});
  }
  std::string text = csv_heads(columns);
  for (const Profiled& profiled : all) {
    for (const ops::OpRow& row : profiled.rows) text += csv_line(columns, {profiled, row});
  }
  return text;
}

std::string as_json(const std::vector<Profiled>& all, const OpsView& view) {
  const std::vector<const OpColumn*> columns = chosen_columns(view);
  json::JsonText json;
  json.open_object().open_array("columns");
  for (const OpColumn* column : columns) {
    json.open_object().text("name", column->name).text("unit", name_of(column->unit));
    json.text("doc", column->doc).close_object();
  }
  json.close_array().open_array("cases");
  for (const Profiled& profiled : all) {
    json.open_object().text("case", profiled.case_id).text("engine", profiled.engine);
    json.integer("launches", profiled.launches);
    if (profiled.overhead) json.number("profile_overhead", *profiled.overhead);
    json.integer("self_cpu_ns", profiled.totals.self_cpu_ns);
    json.integer("self_device_ns", profiled.totals.self_device_ns).open_array("rows");
    for (const ops::OpRow& row : profiled.rows) {
      json.open_object().text("kind", name_of(row.kind));
      for (const OpColumn* column : columns) {
        json.value(column->name, exported(*column, row, profiled));
      }
      json.close_object();
    }
    json.close_array();
    add_activities(json, profiled.table);
    json.close_object();
  }
  return json.close_array().close_object().take() + '\n';
}

}  // namespace

std::string render_ops(const record::Results& results, const OpsView& view, Format format,
                       const TableStyle& style) {
  const std::vector<Profiled> all = gather(results, view);
  switch (format) {
    case Format::kCsv:
      return as_csv(all, view);
    case Format::kJson:
      return as_json(all, view);
    case Format::kTable:
    case Format::kMarkdown:
      break;
  }
  const document::RenderStyle drawn{
      .markdown = format == Format::kMarkdown, .colour = style.colour, .columns = style.columns};
  return text::join(all, "\n", [&](const Profiled& profiled) {
    return document::render(ops_document(profiled, view), drawn);
  });
}

document::Table ops_table(const estimate::ProfiledCase& profiled, const std::string& title,
                          std::size_t row_limit) {
  const OpsView view{.row_limit = row_limit};
  const Profiled shown = profiled_rows(profiled, view);
  document::Table table = table_of(shown, view);
  table.title = title;
  if (shown.rows.size() < shown.rows_in_all) {
    table.title += formatted("; the first {} of {} rows", shown.rows.size(), shown.rows_in_all);
  }
  return table;
}

std::string heading(const estimate::ProfiledCase& profiled) {
  std::string text = profiled.label + "  (" + profiled.engine;
  if (profiled.launches > 1) text += ", " + text::counted(profiled.launches, "launch");
  return formatted("{}, {})", text, recording_cost(profiled.overhead, profiled.within_noise));
}

std::string recording_cost(std::optional<double> overhead, bool within_noise) {
  if (!overhead) return "recording cost: unknown, no timing launch to compare";
  if (within_noise) return "recording cost: within noise";
  return formatted("recording cost: {}x the step", text::significant(*overhead));
}

}  // namespace stepbench::report
