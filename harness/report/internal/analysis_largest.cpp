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

struct LargestOf {
  const Largest& row;
  const char* kind;
  std::string name;
  bool on_device;
};
void block_fields(BlockTable& v, const LargestOf& of) {
  const std::optional<double> host_ns = of.row.host_ns;
  const auto device_ns = double(of.row.device_ns);
  v.words(document::words("kind"), of.kind).words(name_column("name", 1, kNameCells), of.name);
  if (of.on_device) v.shown({"device", as_us_per_step, "us"}, device_ns);
  v.shown({"share", as_share, "%"}, of.on_device ? device_ns : host_ns);
  v.shown({"host", as_us_per_step, "us"}, host_ns).shown({"times", as_times}, double(of.row.calls));
}

}  // namespace

document::Table largest_table(const AnalysedTrace& analysed, std::size_t row_limit) {
  const analyze::Analysis& analysis = analysed.analysis;
  const bool on_device = !analysis.devices.empty();
  const analyze::IdleReport* idle = analysis.idle_of(analysed.device);
  BlockTable table(on_device ? "largest kernels, operators and copies: own time per step"
                             : "largest operators: own time per step",
                   *analysed.trace,
                   {.steps = double(std::max<std::size_t>(1, analysis.steps.counted().size())),
                    .total = idle == nullptr ? 0 : double(idle->counted.wall_ns)});
  const auto add = [&](const char* kind, std::vector<Largest> rows) {
    std::erase_if(rows, [](const Largest& row) { return row.calls == 0; });
    std::ranges::stable_sort(rows, std::greater(), [](const Largest& row) {
      return std::tuple(row.device_ns, row.host_ns.value_or(0));
    });
    rows.resize(limited(rows.size(), row_limit));
    std::vector<std::string_view> names;
    for (const Largest& row : rows) names.emplace_back(analysed.trace->names[row.name].text);
    const std::vector<std::string> distinct = analyze::distinct_row_names(names, kNameCells);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      table.add(LargestOf{rows[i], kind, distinct[i], on_device});
    }
  };
  std::vector<Largest> rows;
  if (analysis.kernels) {
    for (const analyze::KernelRow& row : analysis.kernels->rows) {
      rows.push_back({row.name, row.step_calls, row.step_ns, std::nullopt});
    }
  }
  add("kernel", std::exchange(rows, {}));
  if (analysis.operators) {
    for (const analyze::OperatorRow& row : *analysis.operators) {
      rows.push_back({row.name, row.step_calls, row.step_self_device_ns, row.step_self_host_ns});
    }
  }
  add("operator", std::exchange(rows, {}));
  if (analysis.copies) {
    for (const analyze::CopyGroup& group : analysis.copies->groups) {
      rows.push_back({group.name, group.in_steps, group.device_ns, group.call_ns});
    }
  }
  add("copy", std::move(rows));
  return table.take();
}

}  // namespace stepbench::report
