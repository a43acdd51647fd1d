// SPDX-License-Identifier: Apache-2.0
#include "harness/report/analysis_sections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>

#include "harness/analyze/row_names.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kBarCells = 20;

std::string name_in(const AnalysedTrace& analysed, std::uint32_t name) {
  return name == ops::kNoIndex ? "-" : analyze::short_row_name(analysed.trace->names[name].text);
}

std::string devices_of(const AnalysedTrace& analysed) {
  const std::vector<int>& devices = analysed.analysis.devices;
  if (devices.empty()) return "no device";
  std::string text = text::counted(std::ssize(devices), "device");
  const ops::TraceDevice* first = analysed.trace->device(devices.front());
  if (first != nullptr && !first->name.empty()) text += " (" + first->name + ')';
  return text;
}

// What stands for the rows that are shown.
std::string counted_words(const analyze::Steps& steps) {
  const std::size_t counts = steps.counted().size();
  std::string text = "mean of " + text::counted(std::int64_t(counts), "step");
  if (steps.chosen) return text + " as chosen";
  if (counts < steps.steps.size()) {
    text += " of " + std::to_string(steps.steps.size()) +
            (counts + 2 == steps.steps.size() ? ", without the first and the last"
                                              : ", without those that are not whole");
  }
  return text;
}

std::string scope_words(const analyze::IdleReport& idle) {
  switch (idle.scope) {
    case analyze::IdleScope::kDevice:
      return "device " + std::to_string(*idle.device);
    case analyze::IdleScope::kAllDevices:
      return "all devices together: idle is where none works";
    case analyze::IdleScope::kHost:
      return "the step thread of the host: no device in this trace";
  }
  return {};
}

// Viewers count time from the first row on.
std::int64_t first_ns(const trace::Trace& trace) {
  std::optional<std::int64_t> first;
  for (const trace::TraceLane& lane : trace.lanes) {
    if (lane.events.empty()) continue;
    const std::int64_t begin_ns = lane.events.front().start_ns;
    first = std::min(first.value_or(begin_ns), begin_ns);
  }
  return first.value_or(0);
}

double mean_ns(std::int64_t total_ns, std::size_t steps) {
  return double(total_ns) / double(std::max<std::size_t>(1, steps));
}

// What is too little for the column's unit is not spelled out in zeros.
std::string time_cell(double ns, const text::TimeUnit& unit) {
  constexpr double kLeast = 0.001;
  return ns > 0 && ns / unit.ns < kLeast ? "<0.001" : text::significant(ns / unit.ns);
}

std::size_t limited(std::size_t rows, std::size_t limit) {
  return limit == 0 ? rows : std::min(rows, limit);
}

void note_cut(std::size_t rows, std::size_t limit, AnalysisSection& section) {
  if (limit == 0 || rows <= limit) return;
  section.lines.push_back("first " + std::to_string(limit) + " of " +
                          text::with_separators(std::int64_t(rows)) + "; --row-limit 0 shows all");
}

text::GridColumn kernel_column() {
  return {.head = "kernel",
          .align = text::Align::kLeft,
          .shrink_at = 5,
          .shrink_to = 24,
          .shrink_inside = true};
}

std::vector<std::string> kernel_names(const AnalysedTrace& analysed,
                                      const std::vector<std::uint32_t>& names) {
  constexpr std::size_t kCells = 40;
  std::vector<std::string_view> texts;
  for (const std::uint32_t name : names) texts.emplace_back(analysed.trace->names[name].text);
  return analyze::distinct_row_names(texts, kCells);
}

AnalysisSection kernels_section(const AnalysedTrace& analysed, std::size_t limit) {
  const analyze::Kernels& kernels = *analysed.analysis.kernels;
  const std::size_t steps = analysed.analysis.steps.counted().size();
  AnalysisSection section{.title = "kernels by time"};
  section.grid.columns = {kernel_column(),
                          {.head = "us per step"},
                          {.head = "share [%]", .drop_at = 4},
                          {.head = "per step"},
                          {.head = "mean [us]"},
                          {.head = "occupancy [%]", .drop_at = 3},
                          {.head = "blocks/SM", .drop_at = 2},
                          {.head = "tensor cores", .align = text::Align::kLeft, .drop_at = 1}};
  double total_ns = 0;
  for (const analyze::KernelRow& row : kernels.rows) total_ns += double(row.step_ns);
  std::vector<std::uint32_t> names;
  for (std::size_t i = 0; i < limited(kernels.rows.size(), limit); ++i) {
    names.push_back(kernels.rows[i].name);
  }
  const std::vector<std::string> shown = kernel_names(analysed, names);
  for (std::size_t i = 0; i < limited(kernels.rows.size(), limit); ++i) {
    const analyze::KernelRow& row = kernels.rows[i];
    section.grid.rows.push_back(
        {.cells = {shown[i], text::significant(mean_ns(row.step_ns, steps) / 1e3),
                   total_ns > 0 ? text::percent(double(row.step_ns) / total_ns) : "-",
                   text::short_number(mean_ns(row.step_calls, steps), 1),
                   text::significant(double(row.total_ns) / double(row.calls) / 1e3),
                   row.occupancy_percent ? text::short_number(*row.occupancy_percent, 1) : "-",
                   row.blocks_per_sm ? text::short_number(*row.blocks_per_sm, 1) : "-",
                   row.tensor_cores            ? "yes"
                   : row.probably_tensor_cores ? "probably"
                                               : "no"}});
  }
  note_cut(kernels.rows.size(), limit, section);
  const analyze::IdleReport* idle = analysed.analysis.idle_of(std::nullopt);
  if (idle != nullptr && total_ns > double(idle->counted.wall_ns)) {
    section.lines.push_back("all together " +
                            text::duration(total_ns / double(std::max<std::size_t>(1, steps))) +
                            " per step, longer than the step: kernels of several streams or "
                            "devices run at once, or behind the step that launched them");
  }
  section.lines.push_back(text::counted(kernels.calls, "kernel") + " in the trace, median " +
                          text::duration(kernels.duration.median) + "; " +
                          text::with_separators(kernels.tiny) + " take less than 10 us");
  return section;
}

AnalysisSection launches_by_count(const AnalysedTrace& analysed, std::size_t limit) {
  const analyze::Kernels& kernels = *analysed.analysis.kernels;
  AnalysisSection section{.title = "kernels by number of launches"};
  section.grid.columns = {
      kernel_column(), {.head = "launches"}, {.head = "per step"}, {.head = "mean [us]"}};
  const std::size_t steps = analysed.analysis.steps.counted().size();
  std::vector<std::uint32_t> names;
  for (std::size_t i = 0; i < limited(kernels.by_calls.size(), limit); ++i) {
    names.push_back(kernels.rows[kernels.by_calls[i]].name);
  }
  const std::vector<std::string> shown = kernel_names(analysed, names);
  for (std::size_t i = 0; i < limited(kernels.by_calls.size(), limit); ++i) {
    const analyze::KernelRow& row = kernels.rows[kernels.by_calls[i]];
    section.grid.rows.push_back(
        {.cells = {shown[i], text::with_separators(row.calls),
                   text::short_number(mean_ns(row.step_calls, steps), 1),
                   text::significant(double(row.total_ns) / double(row.calls) / 1e3)}});
  }
  return section;
}

AnalysisSection operators_section(const AnalysedTrace& analysed, std::size_t limit) {
  const std::vector<analyze::OperatorRow>& rows = *analysed.analysis.operators;
  const bool on_device = !analysed.analysis.devices.empty();
  AnalysisSection section{.title = "operators, whole trace"};
  section.grid.columns = {{.head = "operator",
                           .align = text::Align::kLeft,
                           .shrink_at = 1,
                           .shrink_to = 24,
                           .shrink_inside = true},
                          {.head = "calls"},
                          {.head = "self host [ms]"},
                          {.head = "host [ms]"}};
  if (on_device) {
    section.grid.columns.push_back({.head = "self device [ms]"});
    section.grid.columns.push_back({.head = "device [ms]", .drop_at = 1});
    section.grid.columns.push_back({.head = "launches", .drop_at = 2});
  }
  for (std::size_t i = 0; i < limited(rows.size(), limit); ++i) {
    const analyze::OperatorRow& row = rows[i];
    text::GridRow cells{.cells = {name_in(analysed, row.name), text::with_separators(row.calls),
                                  text::significant(double(row.self_host_ns) / 1e6),
                                  text::significant(double(row.host_ns) / 1e6)}};
    if (on_device) {
      cells.cells.push_back(text::significant(double(row.self_device_ns) / 1e6));
      cells.cells.push_back(text::significant(double(row.device_ns) / 1e6));
      cells.cells.push_back(text::with_separators(row.launches));
    }
    section.grid.rows.push_back(std::move(cells));
  }
  note_cut(rows.size(), limit, section);
  return section;
}

AnalysisSection loader_section(const AnalysedTrace& analysed) {
  const analyze::LoaderWork& work = *analysed.analysis.loader_work;
  const std::size_t steps = analysed.analysis.steps.counted().size();
  const auto total_ns = double(work.exposed_total_ns());
  const double batches = double(std::max<std::int64_t>(1, work.batch.n));
  const double longest_ns = std::max(work.batch.mean, total_ns / double(steps));
  const text::TimeUnit unit = text::unit_for({&longest_ns, 1});
  AnalysisSection section{.title = "loader: what was done while the step waited for data"};
  section.grid.columns = {{.head = "part", .align = text::Align::kLeft},
                          {.head = "per step [" + std::string(unit.name) + ']'},
                          {.head = "share [%]"},
                          {.head = "per batch [" + std::string(unit.name) + ']'}};
  const std::string not_made = work.in_step_thread ? "around it" : "no worker busy";
  std::int64_t made_ns = 0;
  for (std::size_t i = 0; i < analyze::kLoaderPartCount; ++i) {
    const auto part = static_cast<analyze::LoaderPart>(i);
    made_ns += work.work_ns[i];
    if (work.exposed_ns[i] == 0 && work.work_ns[i] == 0) continue;
    const bool handed = part == analyze::LoaderPart::kHandOver;
    section.grid.rows.push_back(
        {.cells = {handed ? not_made : std::string(analyze::name_of(part)),
                   time_cell(mean_ns(work.exposed_ns[i], steps), unit),
                   total_ns > 0 ? text::percent(double(work.exposed_ns[i]) / total_ns) : "-",
                   handed ? "-" : time_cell(double(work.work_ns[i]) / batches, unit)}});
  }
  section.grid.rows.push_back(
      {.cells = {"sum", time_cell(total_ns / double(steps), unit), total_ns > 0 ? "100" : "-",
                 time_cell(double(made_ns) / batches, unit)}});
  if (work.in_step_thread) {
    section.lines.push_back("no workers: the step thread reads the batches itself");
  } else {
    section.lines.push_back(
        text::counted(work.workers, "worker") + ", " + text::percent_text(work.busy_share) +
        " busy in these steps, " + text::percent_text(work.busy_share_waiting) +
        " while the step waits; a batch takes " + text::duration(work.batch.median) +
        " (median), at most " + text::duration(work.batch.max));
  }
  return section;
}

AnalysisSection copies_section(const AnalysedTrace& analysed, std::size_t limit) {
  const std::vector<analyze::CopyGroup>& groups = analysed.analysis.copies->groups;
  const std::size_t steps = analysed.analysis.steps.counted().size();
  AnalysisSection section{.title = "copies"};
  section.grid.columns = {{.head = "copy", .align = text::Align::kLeft},
                          {.head = "per step"},
                          {.head = "bytes per step"},
                          {.head = "median [GB/s]"},
                          {.head = "blocking"},
                          {.head = "device [us per step]"},
                          {.head = "not hidden", .drop_at = 2},
                          {.head = "host call", .drop_at = 1}};
  for (std::size_t i = 0; i < limited(groups.size(), limit); ++i) {
    const analyze::CopyGroup& group = groups[i];
    const auto each = [&](std::int64_t ns) { return text::significant(mean_ns(ns, steps) / 1e3); };
    section.grid.rows.push_back(
        {.cells = {name_in(analysed, group.name) + (group.reads ? ", small" : ""),
                   text::short_number(mean_ns(group.in_steps, steps), 1),
                   group.bytes ? text::byte_text(mean_ns(*group.bytes, steps)) : "-",
                   group.bytes_per_ns.n > 0 ? text::significant(group.bytes_per_ns.median) : "-",
                   text::with_separators(group.blocking), each(group.device_ns),
                   each(group.exposed_ns), each(group.call_ns)}});
  }
  note_cut(groups.size(), limit, section);
  return section;
}

AnalysisSection calls_section(const AnalysedTrace& analysed, std::size_t limit) {
  const std::vector<analyze::RuntimeCallRow>& rows = *analysed.analysis.runtime_calls;
  const std::size_t steps = analysed.analysis.steps.counted().size();
  AnalysisSection section{.title = "calls of the runtime and driver"};
  section.grid.columns = {{.head = "call", .align = text::Align::kLeft},
                          {.head = "per step"},
                          {.head = "us per step"},
                          {.head = "longest [us]"},
                          {.head = "of them in",
                           .align = text::Align::kLeft,
                           .shrink_at = 1,
                           .shrink_to = 16,
                           .shrink_inside = true}};
  for (std::size_t i = 0; i < limited(rows.size(), limit); ++i) {
    const analyze::RuntimeCallRow& row = rows[i];
    section.grid.rows.push_back({.cells = {name_in(analysed, row.name),
                                           text::short_number(mean_ns(row.step_calls, steps), 1),
                                           text::significant(mean_ns(row.step_ns, steps) / 1e3),
                                           text::significant(double(row.longest.length_ns()) / 1e3),
                                           name_in(analysed, row.longest_op)}});
  }
  note_cut(rows.size(), limit, section);
  return section;
}

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
                     AnalysisSection& section) {
  std::vector<std::string> texts;
  for (const KnownDifference& each : differences) {
    if (each.applies(analysed)) texts.emplace_back(each.text);
  }
  if (!texts.empty()) section.lines.push_back("the tool itself " + text::join_and(texts));
}

AnalysisSection tensorboard_section(const AnalysedTrace& analysed) {
  const analyze::Tensorboard& block = *analysed.analysis.tensorboard;
  AnalysisSection section{.title = "as TensorBoard's plug-in counts",
                          .window = std::string(analyze::name_of(analyze::Tensorboard::kWindow))};
  section.grid.columns = {{.head = "part", .align = text::Align::kLeft},
                          {.head = "us per step"},
                          {.head = "share [%]"}};
  for (std::size_t i = 0; i < analyze::kTensorboardRoles; ++i) {
    if (block.mean_ns[i] == 0) continue;
    section.grid.rows.push_back(
        {.cells = {std::string(analyze::name_of(static_cast<analyze::TensorboardRole>(i))),
                   text::with_separators(std::int64_t(block.mean_ns[i] / 1e3 + 0.5)),
                   text::percent(block.mean_ns[i] / block.mean_total_ns)}});
  }
  section.grid.rows.push_back(
      {.cells = {"sum", text::with_separators(std::int64_t(block.mean_total_ns / 1e3 + 0.5)),
                 "100"}});
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
    section.lines.push_back(std::move(line));
  }
  if (block.left_out > 0) {
    section.lines.push_back(text::counted(std::int64_t(block.left_out), "last step") + " left out");
  }
  add_differences(analysed, kPluginDifferences, section);
  return section;
}

AnalysisSection holistic_section(const AnalysedTrace& analysed) {
  const analyze::Holistic& block = *analysed.analysis.holistic;
  AnalysisSection section{.title = "as Holistic Trace Analysis counts",
                          .window = std::string(analyze::name_of(analyze::Holistic::kWindow))};
  section.grid.columns = {
      {.head = "part", .align = text::Align::kLeft}, {.head = "ms"}, {.head = "share [%]"}};
  const analyze::HolisticTemporal& temporal = block.temporal;
  const auto row = [&](const char* name, std::int64_t ns) {
    section.grid.rows.push_back(
        {.cells = {name, text::significant(double(ns) / 1e6),
                   temporal.kernel_time_ns > 0
                       ? text::percent(double(ns) / double(temporal.kernel_time_ns))
                       : "-"}});
  };
  row("compute", temporal.compute_ns);
  row("non_compute", temporal.non_compute_ns);
  row("idle", temporal.idle_ns);
  row("sum", temporal.kernel_time_ns);
  for (const analyze::HolisticStream& stream : block.streams) {
    std::string line = "device " + std::to_string(stream.device) + ", stream " +
                       std::to_string(stream.stream) + ": idle";
    for (std::size_t i = 0; i < stream.idle_ns.size(); ++i) {
      line += (i == 0 ? " " : ", ") +
              std::string(analyze::name_of(static_cast<analyze::HolisticIdle>(i))) + ' ' +
              text::duration(double(stream.idle_ns[i]));
    }
    section.lines.push_back(std::move(line));
  }
  if (block.overlap_share) {
    section.lines.push_back("communication is hidden by computation " +
                            text::percent_text(*block.overlap_share) + " of its time");
  }
  add_differences(analysed, kHolisticDifferences, section);
  return section;
}

AnalysisSection launches_section(const AnalysedTrace& analysed) {
  const analyze::Launches& launches = *analysed.analysis.launches;
  AnalysisSection section{.title = "launches",
                          .window = std::string(analyze::name_of(analyze::Launches::kWindow))};
  section.lines.push_back(
      text::counted(launches.calls, "call") + " started " + text::counted(launches.rows, "row") +
      " of device work; call " + text::duration(launches.call.median) +
      " (median), delay until the work begins " + text::duration(launches.delay.median) + " (p95 " +
      text::duration(launches.delay.p95) + ')');
  section.lines.push_back(text::with_separators(launches.short_kernels) +
                          " kernels are shorter than their launch call; " +
                          text::with_separators(launches.long_calls) +
                          " calls took more than 50 us, " +
                          text::with_separators(launches.long_delays) + " delays more than 100 us");
  if (!analysed.analysis.queues) return section;
  for (const analyze::LaunchQueue& queue : *analysed.analysis.queues) {
    section.lines.push_back(
        "device " + std::to_string(queue.device) + ", stream " + std::to_string(queue.stream) +
        ": " + text::short_number(queue.mean, 1) + " launches wait on average, at most " +
        text::with_separators(queue.max));
  }
  return section;
}

AnalysisSection timelines_section(const AnalysedTrace& analysed) {
  AnalysisSection section{
      .title = "devices from their first to their last row",
      .window = std::string(analyze::name_of(analyze::DeviceTimeline::kWindow))};
  section.grid.columns = {
      {.head = "device"},           {.head = "span [ms]"},          {.head = "busy [%]"},
      {.head = "computation [ms]"}, {.head = "communication [ms]"}, {.head = "copies [ms]"},
      {.head = "idle [ms]"}};
  for (const analyze::DeviceTimeline& each : *analysed.analysis.tracelens) {
    const auto ms = [](std::int64_t ns) { return text::significant(double(ns) / 1e6); };
    section.grid.rows.push_back(
        {.cells = {
             std::to_string(each.device), ms(each.window.length_ns()),
             text::percent(double(each.busy_ns) / std::max(1.0, double(each.window.length_ns()))),
             ms(each.computation_ns), ms(each.communication_ns), ms(each.copies_ns),
             ms(each.idle_ns)}});
    if (each.busy_over_time.empty()) continue;
    section.lines.push_back(
        "device " + std::to_string(each.device) + " busy, over " +
        std::to_string(each.busy_over_time.size()) +
        " equal parts of it [%]: " + text::join(each.busy_over_time, " ", [](double share) {
          return std::to_string(std::lround(100 * share));
        }));
  }
  return section;
}

// What the time in which the device did nothing, or the step thread's own, lay under.
std::optional<AnalysisSection> places_section(const AnalysedTrace& analysed, std::size_t limit) {
  const analyze::IdleReport* idle = analysed.analysis.idle_of(analysed.device);
  if (idle == nullptr || idle->counted.wall_ns <= 0 || idle->places.empty()) return std::nullopt;
  std::vector<const analyze::IdlePlace*> places;
  for (const analyze::IdlePlace& place : idle->places) places.push_back(&place);
  std::stable_sort(places.begin(), places.end(),
                   [](const analyze::IdlePlace* a, const analyze::IdlePlace* b) {
                     return a->idle_ns > b->idle_ns;
                   });
  const bool on_device = idle->scope != analyze::IdleScope::kHost;
  const std::size_t steps = analysed.analysis.steps.counted().size();
  const double wall_ns = mean_ns(idle->counted.wall_ns, steps);
  const text::TimeUnit unit = text::unit_for(std::vector<double>{wall_ns});
  AnalysisSection section{.title = on_device
                                       ? "idle time, by operator and annotation"
                                       : "the step thread's time, by operator and annotation"};
  const auto column = [](const char* head, int at) {
    return text::GridColumn{.head = head,
                            .align = text::Align::kLeft,
                            .shrink_at = at,
                            .shrink_to = 20,
                            .shrink_inside = true};
  };
  section.grid.columns = {{.head = "part", .align = text::Align::kLeft},
                          column("operator, call or function", 3),
                          column("in", 2),
                          {.head = "per step [" + std::string(unit.name) + ']'},
                          {.head = "share [%]"},
                          {.head = "times per step", .drop_at = 1}};
  for (std::size_t i = 0; i < limited(places.size(), limit); ++i) {
    const analyze::IdlePlace& place = *places[i];
    const std::string part = "idle_" + std::string(analyze::name_of(place.cause));
    std::string what =
        place.name == ops::kNoIndex ? "outside all rows" : name_in(analysed, place.name);
    if (place.call != ops::kNoIndex) {
      what = name_in(analysed, place.call) +
             (place.name == ops::kNoIndex ? "" : " in " + name_in(analysed, place.name));
    }
    const std::uint32_t around = place.caller == ops::kNoIndex ? place.annotation : place.caller;
    const double each_ns = mean_ns(place.idle_ns, steps);
    section.grid.rows.push_back(
        {.cells = {words_of_part(part, idle->scope), std::move(what), name_in(analysed, around),
                   time_cell(each_ns, unit), text::percent(each_ns / wall_ns),
                   text::short_number(mean_ns(place.rows, steps), 1)}});
  }
  note_cut(places.size(), limit, section);
  return section;
}

AnalysisSection memory_section(const AnalysedTrace& analysed) {
  AnalysisSection section{.title = "memory, whole trace"};
  for (const analyze::MemoryPeak& peak : *analysed.analysis.memory) {
    std::string line =
        (peak.device < 0 ? std::string("host") : "device " + std::to_string(peak.device)) +
        ": at most " + text::byte_text(double(peak.allocated_bytes)) + " allocated";
    if (peak.reserved_bytes > 0)
      line += ", " + text::byte_text(double(peak.reserved_bytes)) + " reserved";
    if (peak.total_bytes) line += ", of " + text::byte_text(double(*peak.total_bytes));
    section.lines.push_back(std::move(line));
  }
  return section;
}

}  // namespace

std::string words_of_window(analyze::WindowKind window) {
  switch (window) {
    case analyze::WindowKind::kHostStep:
      return "host_step: from a ProfilerStep's start to the next one's";
    case analyze::WindowKind::kHostSpan:
      return "host_span: from the first to the last row of the host's ops and the devices";
    case analyze::WindowKind::kLoading:
      return "loading: from one fetch of data to the next";
    case analyze::WindowKind::kMarks:
      return "marks: from one row of a repeated annotation to the next";
    case analyze::WindowKind::kTensorboardStep:
      return "tb_step: a step ends with the device work that it launched";
    case analyze::WindowKind::kDeviceSpan:
      return "device_span: from the first to the last row of the devices";
    case analyze::WindowKind::kHolistic:
      return "hta: device rows launched before the last step began";
  }
  return {};
}

std::string words_of_part(std::string_view part, analyze::IdleScope scope) {
  static const std::map<std::string_view, std::string, std::less<>> kWords = {
      {"compute", "compute"},
      {"communication", "communication, not hidden"},
      {"copy", "copies, not hidden"},
      {"idle_data_loading", "idle: loading data"},
      {"idle_synchronise", "idle: synchronising"},
      {"idle_copy_call", "idle: call that copies"},
      {"idle_launch", "idle: call of the runtime"},
      {"idle_backward", "idle: backward"},
      {"idle_host_op", "idle: operator on the host"},
      {"idle_other_thread", "idle: other thread"},
      {"idle_unattributed", "idle: nothing recorded"}};
  const auto found = kWords.find(part);
  std::string words = found == kWords.end() ? std::string(part) : found->second;
  if (scope != analyze::IdleScope::kHost) return words;
  if (part == "idle_host_op") return "operators";
  if (part == "idle_unattributed") return "nothing recorded";
  constexpr std::string_view kIdle = "idle: ";
  return words.starts_with(kIdle) ? words.substr(kIdle.size()) : words;
}

std::string headline_of(const AnalysedTrace& analysed) {
  const analyze::Analysis& analysis = analysed.analysis;
  const trace::Trace& trace = *analysed.trace;
  const std::string name = analysed.path.empty()
                               ? std::string("trace")
                               : std::filesystem::path(analysed.path).filename().string();
  std::string text = name + ": " + text::counted(std::ssize(analysis.steps.steps), "step") + ", " +
                     text::with_separators(trace.reading.rows) + " rows, " + devices_of(analysed);
  if (trace.rank) {
    text += ", rank " + std::to_string(*trace.rank);
    if (trace.world) text += " of " + std::to_string(*trace.world);
  }
  if (trace.own) text += ", written by stepbench";
  return text;
}

std::vector<std::string> integrity_lines(const AnalysedTrace& analysed) {
  std::vector<std::string> lines;
  for (const analyze::IntegrityNote& note : analysed.analysis.integrity) {
    lines.push_back(std::string(analyze::name_of(note.level)) + ": " + note.text);
  }
  const bool doubts =
      std::any_of(analysed.analysis.integrity.begin(), analysed.analysis.integrity.end(),
                  [](const analyze::IntegrityNote& note) {
                    return note.level != analyze::IntegrityLevel::kNote;
                  });
  lines.insert(lines.begin(), doubts ? "integrity: see the warnings" : "integrity: ok");
  if (analysed.analysis.blocked()) lines.front() = "integrity: BROKEN, do not trust the numbers";
  return lines;
}

AnalysisSection step_section(const AnalysedTrace& analysed) {
  const analyze::Steps& steps = analysed.analysis.steps;
  const analyze::IdleReport* idle = analysed.analysis.idle_of(analysed.device);
  AnalysisSection section{.title = "where the time of a step goes (" + counted_words(steps) + ')',
                          .window = words_of_window(steps.window)};
  if (idle == nullptr || idle->counted.wall_ns <= 0) {
    section.lines.push_back("there is no step, and no time to break down");
    return section;
  }
  const std::size_t counts = steps.counted().size();
  const double wall_ns = mean_ns(idle->counted.wall_ns, counts);
  const text::TimeUnit unit = text::unit_for(std::vector<double>{wall_ns});
  section.grid.columns = {{.head = "part", .align = text::Align::kLeft},
                          {.head = "per step [" + std::string(unit.name) + ']'},
                          {.head = "share [%]"},
                          {.head = "", .align = text::Align::kLeft, .drop_at = 1}};
  // Of one step there is no spread, and of one in all neither a first nor a last.
  const bool spreads = counts > 1;
  const bool edges = steps.steps.size() > 1;
  if (spreads) {
    section.grid.columns.push_back({.head = "median", .drop_at = 3});
    section.grid.columns.push_back({.head = "p90", .drop_at = 2});
    section.grid.columns.push_back({.head = "max", .drop_at = 4});
  }
  if (edges) {
    section.grid.columns.push_back({.head = "first step", .drop_at = 6});
    section.grid.columns.push_back({.head = "last step", .drop_at = 5});
  }
  const auto add = [&](const std::string& name, std::int64_t (*of)(const analyze::StepTime&)) {
    const analyze::Summary spread = idle->summary(steps, of);
    const double mean = mean_ns(of(idle->counted), counts);
    text::GridRow row{.cells = {name, time_cell(mean, unit), text::percent(mean / wall_ns),
                                text::bar(mean / wall_ns, kBarCells)}};
    if (spreads) {
      for (const double each : {spread.median, spread.p90, spread.max}) {
        row.cells.push_back(time_cell(each, unit));
      }
    }
    if (edges) {
      row.cells.push_back(time_cell(double(of(idle->steps.front())), unit));
      row.cells.push_back(time_cell(double(of(idle->steps.back())), unit));
    }
    section.grid.rows.push_back(std::move(row));
  };
  for (const analyze::StepPart& part : analyze::step_parts()) {
    const bool of_device =
        idle->scope == analyze::IdleScope::kHost && !part.name.starts_with("idle_");
    if (!of_device && part.of(idle->counted) > 0)
      add(words_of_part(part.name, idle->scope), part.of);
  }
  add("sum", [](const analyze::StepTime& step) { return step.wall_ns; });
  section.grid.rows.back().cells[3].clear();
  section.lines.push_back(scope_words(*idle));
  if (idle->counted.data_hidden_ns > 0) {
    section.lines.push_back("of loading data, another " +
                            text::duration(mean_ns(idle->counted.data_hidden_ns, counts)) +
                            " per step is hidden behind work of the device");
  }
  if (!steps.reason.empty()) section.lines.push_back(steps.reason);
  return section;
}

std::vector<std::string> cause_lines(const AnalysedTrace& analysed) {
  const std::int64_t begin_ns = first_ns(*analysed.trace);
  std::vector<std::string> lines;
  std::map<std::string, std::vector<std::string>> undecided;
  for (const Finding& finding : analysed.findings) {
    if (!finding.undecided.empty()) {
      undecided[finding.undecided].push_back(finding.id);
      continue;
    }
    std::string head = std::string(stepbench::name_of(finding.severity)) + ": " + finding.text +
                       " [" + finding.id + (finding.low_confidence ? ", low confidence" : "") + ']';
    lines.push_back(std::move(head));
    if (finding.gain_ns) {
      lines.push_back("  gain: at most " + text::duration(*finding.gain_ns) + " per step (" +
                      text::percent_text(finding.share.value_or(0)) + ")");
    }
    if (!finding.remedy.empty()) lines.push_back("  " + finding.remedy);
    if (!finding.set.empty()) {
      lines.push_back("  try: " + text::join(finding.set, " ", [](const Finding::Set& set) {
                        return "--set " + text::shell_word(set.option + '=' + set.value);
                      }));
    }
    if (finding.places.empty()) continue;
    constexpr std::size_t kShown = 3;
    std::vector<std::string> places;
    for (std::size_t i = 0; i < std::min(kShown, finding.places.size()); ++i) {
      const Finding::Place& place = finding.places[i];
      places.push_back(place.name + ' ' + text::duration(double(place.duration_ns)) + " at " +
                       text::significant(double(place.at_ns - begin_ns) / 1e6, 6) + " ms" +
                       (place.step < 0 ? "" : " (step " + std::to_string(place.step) + ')'));
    }
    lines.push_back("  look at: " + text::join(places, "; "));
  }
  if (lines.empty()) lines.push_back("nothing reaches its threshold");
  constexpr std::size_t kMostNamed = 3;
  for (const auto& [reason, ids] : undecided) {
    lines.push_back(
        "not decided: " +
        (ids.size() <= kMostNamed ? text::join(ids) : text::counted(std::ssize(ids), "rule")) +
        ": " + reason);
  }
  return lines;
}

std::vector<AnalysisSection> detail_sections(const AnalysedTrace& analysed, std::size_t row_limit) {
  const analyze::Analysis& analysis = analysed.analysis;
  std::vector<AnalysisSection> sections;
  std::map<std::string, std::vector<std::string>> absent;
  const auto add = [&](const char* what, const auto& known, const auto& make) {
    if (known) {
      sections.push_back(make());
    } else {
      absent[known.reason()].emplace_back(what);
    }
  };
  if (std::optional<AnalysisSection> places = places_section(analysed, row_limit)) {
    sections.push_back(std::move(*places));
  }
  if (analysis.loader_work && analysis.data_loading) sections.push_back(loader_section(analysed));
  add("kernels", analysis.kernels, [&] { return kernels_section(analysed, row_limit); });
  if (analysis.kernels) sections.push_back(launches_by_count(analysed, row_limit));
  add("operators", analysis.operators, [&] { return operators_section(analysed, row_limit); });
  add("copies", analysis.copies, [&] { return copies_section(analysed, row_limit); });
  add("calls", analysis.runtime_calls, [&] { return calls_section(analysed, row_limit); });
  add("launches", analysis.launches, [&] { return launches_section(analysed); });
  add("memory", analysis.memory, [&] { return memory_section(analysed); });
  add("tb_step", analysis.tensorboard, [&] { return tensorboard_section(analysed); });
  add("hta", analysis.holistic, [&] { return holistic_section(analysed); });
  add("device_span", analysis.tracelens, [&] { return timelines_section(analysed); });
  if (absent.empty()) return sections;
  AnalysisSection missing{.title = "not in this trace"};
  for (const auto& [reason, names] : absent)
    missing.lines.push_back(text::join(names) + ": " + reason);
  sections.push_back(std::move(missing));
  return sections;
}

}  // namespace stepbench::report
