// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/ops_columns.h"

#include <algorithm>
#include <array>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

Value text(const ops::OpTable& table, std::uint32_t index) {
  return index == ops::kNoIndex ? Value() : Value(std::string(table.text(index)));
}

Value share(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return {};
  return 100.0 * double(part) / double(whole);
}

Value average(std::int64_t total, std::int64_t calls) {
  if (calls == 0) return {};
  return double(total) / double(calls);
}

using Row = const ops::OpRow&;
using Table = const ops::OpTable&;
using Totals = const ops::OpTotals&;

constexpr std::array kColumns = {
    OpColumn{"key", "name", OpUnit::kText, "Name of the op, annotation, runtime call or kernel.", 0,
             [](Row row, Table table, Totals) { return text(table, row.name); }},
    OpColumn{"step", "step", OpUnit::kCount, "With --per-step.", 0,
             [](Row row, Table, Totals) { return row.step < 0 ? Value() : Value(row.step); }},
    OpColumn{"phase", "phase", OpUnit::kText, "With --group-by phase.", 0,
             [](Row row, Table table, Totals) { return text(table, row.phase); }},
    OpColumn{"module", "module", OpUnit::kText, "With --group-by module.", 0,
             [](Row row, Table table, Totals) { return text(table, row.module); }},
    OpColumn{
        "self_cpu_percent", "self CPU %", OpUnit::kPercent, "Of the self CPU time of all rows.", 8,
        [](Row row, Table, Totals totals) { return share(row.self_cpu_ns, totals.self_cpu_ns); }},
    OpColumn{"self_cpu_time_total", "self CPU", OpUnit::kTime,
             "Host time without what the op called.", 0,
             [](Row row, Table, Totals) { return Value(row.self_cpu_ns); }},
    OpColumn{"total_cpu_percent", "CPU total %", OpUnit::kPercent,
             "Of the self CPU time of all rows.", 5,
             [](Row row, Table, Totals totals) {
               return row.async ? Value() : share(row.cpu_ns, totals.self_cpu_ns);
             }},
    OpColumn{"cpu_time_total", "CPU total", OpUnit::kTime, "Host time with what the op called.", 13,
             [](Row row, Table, Totals) { return Value(row.cpu_ns); }},
    OpColumn{"cpu_time", "CPU avg", OpUnit::kTime, "Host time of one call.", 7,
             [](Row row, Table, Totals) { return average(row.cpu_ns, row.calls); }},
    OpColumn{"self_cuda_time_total", "self CUDA", OpUnit::kTime,
             "Device time of the kernels and copies that the op itself started.", 14,
             [](Row row, Table, Totals) { return Value(row.self_device_ns); }},
    OpColumn{"total_device_percent", "self CUDA %", OpUnit::kPercent,
             "Of the device time of all kernels and copies.", 9,
             [](Row row, Table, Totals totals) {
               return share(row.self_device_ns, totals.self_device_ns);
             }},
    OpColumn{"cuda_time_total", "CUDA total", OpUnit::kTime,
             "Device time with that of what the op called.", 12,
             [](Row row, Table, Totals) { return Value(row.device_ns); }},
    OpColumn{"cuda_time", "CUDA avg", OpUnit::kTime, "Device time of one call.", 6,
             [](Row row, Table, Totals) { return average(row.device_ns, row.calls); }},
    OpColumn{"cpu_memory_usage", "CPU mem", OpUnit::kBytes,
             "Host bytes allocated less freed while it ran, by any thread.", 4,
             [](Row row, Table, Totals) { return Value(row.cpu_bytes); }},
    OpColumn{"self_cpu_memory_usage", "self CPU mem", OpUnit::kBytes,
             "The same without what the op called.", 10,
             [](Row row, Table, Totals) { return Value(row.self_cpu_bytes); }},
    OpColumn{"own_cpu_memory_usage", "own CPU mem", OpUnit::kBytes,
             "Host bytes allocated less freed by its own thread while it was the innermost op.", 2,
             [](Row row, Table, Totals) { return Value(row.own_cpu_bytes); }},
    OpColumn{"own_cpu_memory_allocated", "own CPU alloc", OpUnit::kBytes,
             "Of these the allocations alone.", 3,
             [](Row row, Table, Totals) { return Value(row.own_cpu_allocated_bytes); }},
    OpColumn{"cuda_memory_usage", "CUDA mem", OpUnit::kBytes,
             "Device bytes allocated less freed while it ran, by any thread.", 4,
             [](Row row, Table, Totals) { return Value(row.device_bytes); }},
    OpColumn{"self_cuda_memory_usage", "self CUDA mem", OpUnit::kBytes,
             "The same without what the op called.", 11,
             [](Row row, Table, Totals) { return Value(row.self_device_bytes); }},
    OpColumn{"own_cuda_memory_usage", "own CUDA mem", OpUnit::kBytes,
             "Device bytes allocated less freed by its own thread while it was the innermost op.",
             2, [](Row row, Table, Totals) { return Value(row.own_device_bytes); }},
    OpColumn{"own_cuda_memory_allocated", "own CUDA alloc", OpUnit::kBytes,
             "Of these the allocations alone.", 3,
             [](Row row, Table, Totals) { return Value(row.own_device_allocated_bytes); }},
    OpColumn{"count", "calls", OpUnit::kCount, "Calls.", 0,
             [](Row row, Table, Totals) { return Value(row.calls); }},
    OpColumn{"flops", "FLOPs", OpUnit::kOperations,
             "Floating-point operations of all calls, from the shapes.", 9,
             [](Row row, Table, Totals) { return Value(row.flops); }},
    OpColumn{
        "flops_per_s", "FLOP/s", OpUnit::kOperations,
        "Of these over the device time of all calls, without a device over their host time.", 5,
        [](Row row, Table, Totals) {
          const std::int64_t ns = row.device_ns > 0 ? row.device_ns : row.cpu_ns;
          return row.flops <= 0 || ns <= 0 ? Value() : Value(1e9 * double(row.flops) / double(ns));
        }},
    OpColumn{"input_shapes", "input shapes", OpUnit::kText, "With --group-by shape.", 0,
             [](Row row, Table table, Totals) { return text(table, row.shapes); }},
};

// Normalises names and heads: "self CPU", "self_cpu" and "Self-CPU" are the same.
std::string folded(std::string_view text) {
  std::string folded(text);
  for (char& c : folded) {
    if (c == '-' || c == ' ') c = '_';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

// Replaces `device` by `cuda`; torch.profiler has both.
std::string in_cuda_words(std::string text) {
  constexpr std::string_view kDevice = "device";
  if (const std::size_t at = text.find(kDevice); at != std::string::npos) {
    text.replace(at, kDevice.size(), "cuda");
  }
  return text;
}

}  // namespace

std::span<const OpColumn> op_columns() { return kColumns; }

const OpColumn& op_column(std::string_view name, const std::string& where) {
  const std::string wanted = folded(name);
  const std::string cuda = in_cuda_words(wanted);
  std::vector<std::string> names;
  for (const std::string& each : {wanted, cuda}) {
    for (const OpColumn& column : kColumns) {
      if (column.name == each || folded(column.head) == each) return column;
      names.emplace_back(column.name);
    }
  }
  names.resize(kColumns.size());
  throw ConfigError(where, formatted("unknown op column '{}'{}; columns: {}", name,
                                     text::did_you_mean(wanted, names), text::join(names)));
}

std::string operations_text(double count) {
  constexpr double kThousand = 1000;
  constexpr std::string_view kPrefixes = " kMGTPE";
  std::size_t prefix = 0;
  while (count >= kThousand && prefix + 1 < kPrefixes.size()) {
    count /= kThousand;
    ++prefix;
  }
  const std::string text = text::significant(count);
  return prefix == 0 ? text : text + ' ' + kPrefixes[prefix];
}

std::string op_cell_text(const Value& value, OpUnit unit) {
  if (is_null(value)) return "";
  switch (unit) {
    case OpUnit::kText:
      return to_text(value);
    case OpUnit::kCount:
      return text::with_separators(std::get<std::int64_t>(value));
    case OpUnit::kOperations:
      return number_of(value).value_or(0) == 0 ? "" : operations_text(number_of(value).value_or(0));
    case OpUnit::kTime:
      return number_of(value).value_or(0) == 0 ? "0" : text::duration(number_of(value).value_or(0));
    case OpUnit::kBytes: {
      const double bytes = number_of(value).value_or(0);
      if (bytes == 0) return "0";
      return bytes < 0 ? "-" + text::byte_text(-bytes) : text::byte_text(bytes);
    }
    case OpUnit::kPercent:
      return text::percent(number_of(value).value_or(0) / 100);
  }
  return "";
}

}  // namespace stepbench::report
