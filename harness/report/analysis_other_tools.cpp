// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "harness/document/cells.h"
#include "harness/report/analysis_tables.h"
#include "harness/report/analysis_words.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// Where a tool's own numbers of such a trace differ from these, and it is the tool that is wrong:
// results/ANALYSIS.md has them all.
struct KnownDifference {
  bool (*applies)(const AnalysedTrace&);
  std::string_view text;
};

bool has_fractions(const AnalysedTrace& analysed) { return analysed.trace->resolution_ns < 1000; }
bool has_communication(const AnalysedTrace& analysed) {
  const analyze::ValueOrReason<analyze::Kernels>& kernels = analysed.analysis.kernels;
  return kernels && std::any_of(kernels->rows.begin(), kernels->rows.end(),
                                [](const analyze::KernelRow& row) { return row.communication; });
}
bool has_driver_calls(const AnalysedTrace& analysed) {
  const auto& calls = analysed.analysis.runtime_calls;
  return calls && std::any_of(calls->begin(), calls->end(),
                              [](const analyze::RuntimeCallRow& row) { return row.driver; });
}
bool has_syncs(const AnalysedTrace& analysed) { return analysed.analysis.counts.syncs > 0; }
bool has_drawn_annotations(const AnalysedTrace& analysed) {
  return analysed.trace->count(trace::EventKind::kGpuAnnotation) > 0;
}

constexpr std::array<KnownDifference, 4> kPluginDifferences = {
    {{has_fractions, "loses up to 6 us of a step where times have fractions"},
     {has_communication, "files newer kernels of NCCL under Kernel"},
     {has_driver_calls, "passes over calls of the driver, and ends steps too early"},
     {has_drawn_annotations, "counts annotations drawn on the device as CPU Exec"}}};
constexpr std::array<KnownDifference, 3> kHolisticDifferences = {
    {{has_fractions, "rounds times to microseconds"},
     {has_syncs, "counts waits (cuda_sync) as work of the device"},
     {has_drawn_annotations, "counts annotations drawn on the device as its work"}}};

template <typename Differences>
void add_differences(const AnalysedTrace& analysed, const Differences& differences,
                     std::vector<std::string>& lines) {
  std::vector<std::string> texts;
  for (const KnownDifference& each : differences) {
    if (each.applies(analysed)) texts.emplace_back(each.text);
  }
  if (!texts.empty()) lines.push_back("the tool itself " + text::join_and(texts));
}

std::vector<document::Block> with_lines(document::Table table,
                                        const std::vector<std::string>& lines) {
  std::vector<document::Block> blocks = {std::move(table)};
  document::add_paragraphs(blocks, lines);
  return blocks;
}

}  // namespace

std::vector<document::Block> tensorboard_blocks(const AnalysedTrace& analysed) {
  const analyze::Tensorboard& block = *analysed.analysis.tensorboard;
  document::Table table{
      .title = "as TensorBoard's plug-in counts",
      .aside = window_aside(analyze::name_of(analyze::Tensorboard::kWindow)),
      .columns = {
          document::words("part"), {.head = "us per step"}, {.head = "share", .unit = "%"}}};
  const auto add = [&](std::string_view name, double mean_ns) {
    table.rows.push_back({.cells = {name, document::count(std::int64_t(mean_ns / 1e3 + 0.5)),
                                    document::share(mean_ns, block.mean_total_ns)}});
  };
  for (std::size_t i = 0; i < analyze::kTensorboardRoles; ++i) {
    if (block.mean_ns[i] == 0) continue;
    add(analyze::name_of(static_cast<analyze::TensorboardRole>(i)), block.mean_ns[i]);
  }
  add("sum", block.mean_total_ns);
  std::vector<std::string> lines;
  for (const analyze::TensorboardGpu& gpu : block.gpus) {
    std::string line = "device " + std::to_string(gpu.device) + ": a kernel runs " +
                       text::percent_text(gpu.utilization) + " of the time";
    if (gpu.sm_efficiency) line += ", SM efficiency " + text::percent_text(*gpu.sm_efficiency);
    if (gpu.occupancy_percent) {
      line += ", occupancy " + text::short_number(*gpu.occupancy_percent, 1) + " %";
    }
    if (gpu.tensor_core_share) {
      line += ", tensor cores " + text::percent_text(*gpu.tensor_core_share) + " of kernel time";
    }
    lines.push_back(std::move(line));
  }
  if (block.left_out > 0) {
    lines.push_back(text::counted(std::int64_t(block.left_out), "last step") + " left out");
  }
  add_differences(analysed, kPluginDifferences, lines);
  return with_lines(std::move(table), lines);
}

std::vector<document::Block> holistic_blocks(const AnalysedTrace& analysed) {
  const analyze::Holistic& block = *analysed.analysis.holistic;
  const analyze::HolisticTemporal& temporal = block.temporal;
  document::Table table{
      .title = "as Holistic Trace Analysis counts",
      .aside = window_aside(analyze::name_of(analyze::Holistic::kWindow)),
      .columns = {document::words("part"), {.head = "ms"}, {.head = "share", .unit = "%"}}};
  const auto add = [&](const char* name, std::int64_t ns) {
    table.rows.push_back({.cells = {name, document::number(double(ns) / 1e6),
                                    document::share(double(ns), double(temporal.kernel_time_ns))}});
  };
  add("compute", temporal.compute_ns);
  add("non_compute", temporal.non_compute_ns);
  add("idle", temporal.idle_ns);
  add("sum", temporal.kernel_time_ns);
  std::vector<std::string> lines;
  for (const analyze::HolisticStream& stream : block.streams) {
    std::string line = "device " + std::to_string(stream.device) + ", stream " +
                       std::to_string(stream.stream) + ": idle";
    for (std::size_t i = 0; i < stream.idle_ns.size(); ++i) {
      line += (i == 0 ? " " : ", ") +
              std::string(analyze::name_of(static_cast<analyze::HolisticIdle>(i))) + ' ' +
              text::duration(double(stream.idle_ns[i]));
    }
    lines.push_back(std::move(line));
  }
  if (block.overlap_share) {
    lines.push_back("communication is hidden by computation " +
                    text::percent_text(*block.overlap_share) + " of its time");
  }
  add_differences(analysed, kHolisticDifferences, lines);
  return with_lines(std::move(table), lines);
}

std::vector<document::Block> timeline_blocks(const AnalysedTrace& analysed) {
  document::Table table{.title = "devices from their first to their last row",
                        .aside = window_aside(analyze::name_of(analyze::DeviceTimeline::kWindow)),
                        .columns = {{.head = "device"},
                                    {.head = "span", .unit = "ms"},
                                    {.head = "busy", .unit = "%"},
                                    {.head = "computation", .unit = "ms"},
                                    {.head = "communication", .unit = "ms"},
                                    {.head = "copies", .unit = "ms"},
                                    {.head = "idle", .unit = "ms"}}};
  std::vector<std::string> lines;
  for (const analyze::DeviceTimeline& each : *analysed.analysis.tracelens) {
    const auto ms = [](std::int64_t ns) { return document::number(double(ns) / 1e6); };
    const double length_ns = std::max(1.0, double(each.window.length_ns()));
    table.rows.push_back(
        {.cells = {document::count(each.device), ms(each.window.length_ns()),
                   document::share(double(each.busy_ns), length_ns), ms(each.computation_ns),
                   ms(each.communication_ns), ms(each.copies_ns), ms(each.idle_ns)}});
    if (each.busy_over_time.empty()) continue;
    lines.push_back("device " + std::to_string(each.device) + " busy, over " +
                    std::to_string(each.busy_over_time.size()) + " equal parts of it [%]: " +
                    text::join(each.busy_over_time, " ", [](double share) {
                      return std::to_string(std::lround(100 * share));
                    }));
  }
  return with_lines(std::move(table), lines);
}

}  // namespace stepbench::report
