// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/row_names.h"
#include "harness/document/cells.h"
#include "harness/report/analysis_tables.h"
#include "harness/report/ops_columns.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

std::optional<double> in(std::optional<double> value, double unit) {
  return value ? std::optional(*value / unit) : std::nullopt;
}

const char* bound_words(const analyze::EfficiencyRow& row) {
  const std::optional<double> intensity = row.intensity();
  if (!intensity || !row.ridge) return "-";
  return *intensity < *row.ridge ? "memory" : "arithmetic";
}

std::string shares_text(const analyze::Efficiency& efficiency) {
  const double work_ns = double(efficiency.work_ns);
  if (efficiency.on_host || work_ns <= 0) return {};
  std::string text = "these are " + text::percent_text(double(efficiency.known_ns) / work_ns) +
                     " of the time of kernels that compute";
  if (efficiency.fused_ns > 0) {
    text += "; " + text::percent_text(double(efficiency.fused_ns) / work_ns) +
            " are kernels that Triton made, for which there is no formula";
  }
  return text;
}

std::string rate_text(const AnalysedTrace& analysed, const analyze::Efficiency& efficiency) {
  const analyze::IdleReport* idle = analysed.analysis.idle_of(std::nullopt);
  const std::size_t steps = analysed.analysis.steps.counted().size();
  if (idle == nullptr || idle->counted.wall_ns <= 0 || efficiency.step_flops <= 0) return {};
  return operations_text(efficiency.step_flops / double(steps)) + "FLOP per step, " +
         operations_text(efficiency.step_flops / (double(idle->counted.wall_ns) / kGiga)) +
         "FLOP/s over the whole step";
}

std::string peaks_text(const analyze::Efficiency& efficiency) {
  if (!efficiency.peaks) return "no share of a peak: " + efficiency.no_peaks;
  return "peaks of " + efficiency.device + " by " + std::string(efficiency.peaks->source) +
         "; memory " + text::significant(efficiency.peaks->memory_bytes / kGiga) + " GB/s";
}

}  // namespace

std::vector<document::Block> efficiency_blocks(const AnalysedTrace& analysed,
                                               std::size_t row_limit) {
  const analyze::Efficiency& efficiency = *analysed.analysis.efficiency;
  const double steps = double(std::max<std::size_t>(1, analysed.analysis.steps.counted().size()));
  document::Table table{
      .title = "efficiency of matrix products, convolutions and attention, by shape",
      .columns = {
          {.head = "operator",
           .left = true,
           .shrink_at = 1,
           .shrink_to = 16,
           .shrink_inside = true},
          {.head = "inputs", .left = true, .shrink_at = 2, .shrink_to = 20, .shrink_inside = true},
          {.head = "type", .left = true},
          {.head = "pass", .left = true, .drop_at = 4},
          {.head = "per step", .drop_at = 6},
          {.head = "us per step"},
          {.head = "TFLOP/s"},
          {.head = "of peak", .unit = "%", .drop_at = 8},
          {.head = "GB/s", .drop_at = 5},
          {.head = "FLOP/B", .drop_at = 3},
          {.head = "bound", .left = true, .drop_at = 7},
          {.head = "lost", .unit = "us per step", .drop_at = 9}}};
  for (std::size_t i = 0; i < limited(efficiency.rows.size(), row_limit); ++i) {
    const analyze::EfficiencyRow& row = efficiency.rows[i];
    table.rows.push_back(
        {.cells = {
             name_in(analysed, row.name), analyze::tensor_shapes(analysed.trace->text(row.shapes)),
             name_of(row.dtype), row.backward ? "backward" : "forward",
             document::short_number(double(row.in_steps.calls) / steps),
             document::number(double(row.in_steps.ns) / steps / 1e3),
             document::number(row.flops_per_s() / kTera), document::percent(row.peak_share),
             document::number(in(row.bytes_per_s(), kGiga)), document::number(row.intensity()),
             bound_words(row), document::number(in(row.step_lost_ns, 1e3 * steps))}});
  }
  std::vector<document::Block> blocks = {std::move(table)};
  note_cut(efficiency.rows.size(), row_limit, blocks);
  std::vector<std::string> lines = {rate_text(analysed, efficiency), shares_text(efficiency),
                                    peaks_text(efficiency)};
  for (const analyze::UncountedWork& each : efficiency.uncounted) {
    lines.push_back("not counted: " + text::counted(each.calls, "call") + ", " +
                    text::duration(double(each.time_ns)) + ": " + each.reason);
  }
  std::erase(lines, std::string());
  document::add_paragraphs(blocks, lines);
  return blocks;
}

}  // namespace stepbench::report
