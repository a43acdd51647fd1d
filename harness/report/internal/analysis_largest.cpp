// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/analysis_largest.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/report/analysis_report.h"
#include "harness/report/internal/block_fields.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kNameCells = 44;

struct Largest {
  std::uint32_t name = ops::kNoIndex;  // Trace::names
  std::int64_t calls = 0;
  std::int64_t device_ns = 0;
  std::optional<std::int64_t> host_ns = {};
};

class LargestTable {
 public:
  explicit LargestTable(const AnalysedTrace& analysed)
      : trace_(*analysed.trace), on_device_(!analysed.analysis.devices.empty()) {
    const std::size_t counted = analysed.analysis.steps.counted().size();
    const analyze::IdleReport* idle = analysed.analysis.idle_of(analysed.device);
    in_.steps = double(std::max<std::size_t>(1, counted));
    in_.total = idle == nullptr ? 0 : double(idle->counted.wall_ns);
    table_.title = on_device_ ? "largest kernels, operators and copies: own time per step"
                              : "largest operators: own time per step";
    table_.columns = {document::words("kind"), name_column("name", 1, kNameCells)};
    if (on_device_) table_.columns.push_back({.head = "device", .unit = "us"});
    table_.columns.push_back({.head = "share", .unit = "%"});
    table_.columns.push_back({.head = "host", .unit = "us"});
    table_.columns.push_back({.head = "times"});
  }

  void add(const char* kind, std::vector<Largest> rows, std::size_t limit) {
    std::erase_if(rows, [](const Largest& row) { return row.calls == 0; });
    std::ranges::stable_sort(rows, std::greater(), [](const Largest& row) {
      return std::tuple(row.device_ns, row.host_ns.value_or(0));
    });
    rows.resize(limited(rows.size(), limit));
    std::vector<std::string_view> names;
    for (const Largest& row : rows) names.emplace_back(trace_.names[row.name].text);
    const std::vector<std::string> distinct = analyze::distinct_row_names(names, kNameCells);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::optional<double> host_ns = rows[i].host_ns;
      const auto device_ns = double(rows[i].device_ns);
      std::vector<document::Cell> cells = {kind, distinct[i]};
      if (on_device_) cells.push_back(as_us_per_step(device_ns, in_));
      cells.push_back(as_share(on_device_ ? device_ns : host_ns, in_));
      cells.push_back(as_us_per_step(host_ns, in_));
      cells.push_back(as_times(double(rows[i].calls), in_));
      table_.rows.push_back({.cells = std::move(cells)});
    }
  }

  [[nodiscard]] document::Table take() { return std::move(table_); }

 private:
  const trace::Trace& trace_;
  bool on_device_;
  InTable in_ = {};
  document::Table table_ = {};
};

}  // namespace

document::Table largest_table(const AnalysedTrace& analysed, std::size_t row_limit) {
  const analyze::Analysis& analysis = analysed.analysis;
  LargestTable table(analysed);
  std::vector<Largest> rows;
  if (analysis.kernels) {
    for (const analyze::KernelRow& row : analysis.kernels->rows) {
      rows.push_back({row.name, row.step_calls, row.step_ns, std::nullopt});
    }
  }
  table.add("kernel", std::exchange(rows, {}), row_limit);
  if (analysis.operators) {
    for (const analyze::OperatorRow& row : *analysis.operators) {
      rows.push_back({row.name, row.step_calls, row.step_self_device_ns, row.step_self_host_ns});
    }
  }
  table.add("operator", std::exchange(rows, {}), row_limit);
  if (analysis.copies) {
    for (const analyze::CopyGroup& group : analysis.copies->groups) {
      rows.push_back({group.name, group.in_steps, group.device_ns, group.call_ns});
    }
  }
  table.add("copy", std::move(rows), row_limit);
  return table.take();
}

}  // namespace stepbench::report
