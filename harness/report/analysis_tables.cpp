// SPDX-License-Identifier: Apache-2.0
#include "harness/report/analysis_tables.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "harness/analyze/row_names.h"
#include "harness/document/cells.h"
#include "harness/report/analysis_words.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using Blocks = std::vector<document::Block>;

// Of a trace, per step that counts.
struct PerStep {
  explicit PerStep(const AnalysedTrace& analysed)
      : steps(double(std::max<std::size_t>(1, analysed.analysis.steps.counted().size()))) {}

  [[nodiscard]] double mean(std::int64_t total) const { return double(total) / steps; }
  [[nodiscard]] document::Cell us(std::int64_t total_ns) const {
    return document::number(mean(total_ns) / 1e3);
  }
  [[nodiscard]] document::Cell times(std::int64_t total) const {
    return document::short_number(mean(total));
  }

  double steps;
};

document::Paragraph line(std::string text) { return {.text = std::move(text)}; }

// Cut out of its middle on a terminal.
document::Column name_column(const char* head, int shrink_at, std::size_t shrink_to = 24) {
  return {.head = head,
          .left = true,
          .shrink_at = shrink_at,
          .shrink_to = shrink_to,
          .shrink_inside = true};
}

document::Cell mean_us(std::int64_t total_ns, std::int64_t calls) {
  return document::number(double(total_ns) / double(calls) / 1e3);
}

std::vector<std::string> kernel_names(const AnalysedTrace& analysed,
                                      const std::vector<const analyze::KernelRow*>& rows) {
  constexpr std::size_t kCells = 40;
  std::vector<std::string_view> texts;
  for (const analyze::KernelRow* row : rows) {
    texts.emplace_back(analysed.trace->names[row->name].text);
  }
  return analyze::distinct_row_names(texts, kCells);
}

const char* tensor_core_words(const analyze::KernelRow& row) {
  if (row.tensor_cores.value_or(false)) return "yes";
  if (row.probably_tensor_cores) return "probably";
  return row.tensor_cores ? "no" : "-";
}

Blocks kernels_by_time(const AnalysedTrace& analysed, std::size_t limit) {
  const analyze::Kernels& kernels = *analysed.analysis.kernels;
  const PerStep per_step(analysed);
  document::Table table{.title = "kernels by time",
                        .columns = {name_column("kernel", 5),
                                    {.head = "us per step"},
                                    {.head = "share", .unit = "%", .drop_at = 4},
                                    {.head = "per step"},
                                    {.head = "mean", .unit = "us"},
                                    {.head = "occupancy", .unit = "%", .drop_at = 3},
                                    {.head = "blocks/SM", .drop_at = 2},
                                    {.head = "tensor cores", .left = true, .drop_at = 1}}};
  double total_ns = 0;
  for (const analyze::KernelRow& row : kernels.rows) total_ns += double(row.step_ns);
  std::vector<const analyze::KernelRow*> shown;
  for (std::size_t i = 0; i < limited(kernels.rows.size(), limit); ++i) {
    shown.push_back(&kernels.rows[i]);
  }
  const std::vector<std::string> names = kernel_names(analysed, shown);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const analyze::KernelRow& row = *shown[i];
    table.rows.push_back(
        {.cells = {names[i], per_step.us(row.step_ns),
                   document::share(double(row.step_ns), total_ns), per_step.times(row.step_calls),
                   mean_us(row.total_ns, row.calls), document::short_number(row.occupancy_percent),
                   document::short_number(row.blocks_per_sm), tensor_core_words(row)}});
  }
  Blocks blocks = {std::move(table)};
  note_cut(kernels.rows.size(), limit, blocks);
  const analyze::IdleReport* idle = analysed.analysis.idle_of(std::nullopt);
  if (idle != nullptr && total_ns > double(idle->counted.wall_ns)) {
    blocks.emplace_back(line("all together " + text::duration(total_ns / per_step.steps) +
                             " per step, longer than the step: kernels of several streams or "
                             "devices run at once, or behind the step that launched them"));
  }
  blocks.emplace_back(line(text::counted(kernels.calls, "kernel") + " in the trace, median " +
                           text::duration(kernels.duration.median) + "; " +
                           text::with_separators(kernels.tiny) + " take less than 10 us"));
  return blocks;
}

Blocks kernels_by_launches(const AnalysedTrace& analysed, std::size_t limit) {
  const analyze::Kernels& kernels = *analysed.analysis.kernels;
  const PerStep per_step(analysed);
  document::Table table{.title = "kernels by number of launches",
                        .columns = {name_column("kernel", 5),
                                    {.head = "launches"},
                                    {.head = "per step"},
                                    {.head = "mean", .unit = "us"}}};
  std::vector<const analyze::KernelRow*> shown;
  for (std::size_t i = 0; i < limited(kernels.by_calls.size(), limit); ++i) {
    shown.push_back(&kernels.rows[kernels.by_calls[i]]);
  }
  const std::vector<std::string> names = kernel_names(analysed, shown);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    table.rows.push_back(
        {.cells = {names[i], document::count(shown[i]->calls), per_step.times(shown[i]->step_calls),
                   mean_us(shown[i]->total_ns, shown[i]->calls)}});
  }
  return {std::move(table)};
}

Blocks operator_blocks(const AnalysedTrace& analysed, std::size_t limit) {
  const std::vector<analyze::OperatorRow>& rows = *analysed.analysis.operators;
  const bool on_device = !analysed.analysis.devices.empty();
  document::Table table{.title = "operators, whole trace",
                        .columns = {name_column("operator", 1),
                                    {.head = "calls"},
                                    {.head = "self host", .unit = "ms"},
                                    {.head = "host", .unit = "ms"}}};
  if (on_device) {
    table.columns.push_back({.head = "self device", .unit = "ms"});
    table.columns.push_back({.head = "device", .unit = "ms", .drop_at = 1});
    table.columns.push_back({.head = "launches", .drop_at = 2});
  }
  const auto ms = [](std::int64_t ns) { return document::number(double(ns) / 1e6); };
  for (std::size_t i = 0; i < limited(rows.size(), limit); ++i) {
    const analyze::OperatorRow& row = rows[i];
    document::TableRow& made = table.rows.emplace_back();
    made.cells = {name_in(analysed, row.name), document::count(row.calls), ms(row.self_host_ns),
                  ms(row.host_ns)};
    if (!on_device) continue;
    made.cells.push_back(ms(row.self_device_ns));
    made.cells.push_back(ms(row.device_ns));
    made.cells.push_back(document::count(row.launches));
  }
  Blocks blocks = {std::move(table)};
  note_cut(rows.size(), limit, blocks);
  return blocks;
}

Blocks loader_blocks(const AnalysedTrace& analysed) {
  const analyze::LoaderWork& work = *analysed.analysis.loader_work;
  const PerStep per_step(analysed);
  const std::int64_t total_ns = work.exposed_total_ns();
  const double batches = double(std::max<std::int64_t>(1, work.batch.n));
  const double longest_ns = std::max(work.batch.mean, per_step.mean(total_ns));
  const text::TimeUnit unit = text::unit_for({&longest_ns, 1});
  const std::string unit_name(unit.name);
  document::Table table{.title = "loader: what was done while the step waited for data",
                        .columns = {document::words("part"),
                                    {.head = "per step", .unit = unit_name},
                                    {.head = "share", .unit = "%"},
                                    {.head = "per batch", .unit = unit_name}}};
  const std::string not_made = work.in_step_thread ? "around it" : "no worker busy";
  std::int64_t made_ns = 0;
  const auto add = [&](std::string name, std::int64_t exposed_ns, std::optional<double> batch_ns) {
    table.rows.push_back(
        {.cells = {std::move(name), document::time(per_step.mean(exposed_ns), unit),
                   document::share(double(exposed_ns), double(total_ns)),
                   document::time(batch_ns, unit)}});
  };
  for (std::size_t i = 0; i < analyze::kLoaderPartCount; ++i) {
    const auto part = static_cast<analyze::LoaderPart>(i);
    made_ns += work.work_ns[i];
    if (work.exposed_ns[i] == 0 && work.work_ns[i] == 0) continue;
    if (part == analyze::LoaderPart::kHandOver) {
      add(not_made, work.exposed_ns[i], std::nullopt);
    } else {
      add(std::string(name_of(part)), work.exposed_ns[i], double(work.work_ns[i]) / batches);
    }
  }
  add("sum", total_ns, double(made_ns) / batches);
  return {
      std::move(table),
      line(work.in_step_thread
               ? "no workers: the step thread reads the batches itself"
               : text::counted(work.workers, "worker") + ", " +
                     text::percent_text(work.busy_share) + " busy in these steps, " +
                     text::percent_text(work.busy_share_waiting) +
                     " while the step waits; a batch takes " + text::duration(work.batch.median) +
                     " (median), at most " + text::duration(work.batch.max))};
}

Blocks copy_blocks(const AnalysedTrace& analysed, std::size_t limit) {
  const std::vector<analyze::CopyGroup>& groups = analysed.analysis.copies->groups;
  const PerStep per_step(analysed);
  document::Table table{.title = "copies",
                        .columns = {document::words("copy"),
                                    {.head = "per step"},
                                    {.head = "bytes per step"},
                                    {.head = "median", .unit = "GB/s"},
                                    {.head = "blocking"},
                                    {.head = "device", .unit = "us per step"},
                                    {.head = "not hidden", .drop_at = 2},
                                    {.head = "host call", .drop_at = 1}}};
  for (std::size_t i = 0; i < limited(groups.size(), limit); ++i) {
    const analyze::CopyGroup& group = groups[i];
    const bool has_rate = group.bytes_per_ns.n > 0;
    table.rows.push_back(
        {.cells = {name_in(analysed, group.name) + (group.reads ? ", small" : ""),
                   per_step.times(group.in_steps),
                   group.bytes ? document::bytes(per_step.mean(*group.bytes)) : "-",
                   has_rate ? document::number(group.bytes_per_ns.median) : "-",
                   document::count(group.blocking), per_step.us(group.device_ns),
                   per_step.us(group.exposed_ns), per_step.us(group.call_ns)}});
  }
  Blocks blocks = {std::move(table)};
  note_cut(groups.size(), limit, blocks);
  return blocks;
}

Blocks call_blocks(const AnalysedTrace& analysed, std::size_t limit) {
  const std::vector<analyze::RuntimeCallRow>& rows = *analysed.analysis.runtime_calls;
  const PerStep per_step(analysed);
  document::Table table{.title = "calls of the runtime and driver",
                        .columns = {document::words("call"),
                                    {.head = "per step"},
                                    {.head = "us per step"},
                                    {.head = "longest", .unit = "us"},
                                    name_column("of them in", 1, 16)}};
  for (std::size_t i = 0; i < limited(rows.size(), limit); ++i) {
    const analyze::RuntimeCallRow& row = rows[i];
    table.rows.push_back({.cells = {name_in(analysed, row.name), per_step.times(row.step_calls),
                                    per_step.us(row.step_ns), mean_us(row.longest.length_ns(), 1),
                                    name_in(analysed, row.longest_op)}});
  }
  Blocks blocks = {std::move(table)};
  note_cut(rows.size(), limit, blocks);
  return blocks;
}

Blocks launch_blocks(const AnalysedTrace& analysed) {
  const analyze::Launches& launches = *analysed.analysis.launches;
  Blocks blocks = {
      document::Heading{.title = "launches", .aside = window_aside(analyze::Launches::kWindow)},
      line(text::counted(launches.calls, "call") + " started " +
           text::counted(launches.rows, "row") + " of device work; call " +
           text::duration(launches.call.median) + " (median), delay until the work begins " +
           text::duration(launches.delay.median) + " (p95 " + text::duration(launches.delay.p95) +
           ')'),
      line(text::with_separators(launches.short_kernels) +
           " kernels are shorter than their launch call; " +
           text::with_separators(launches.long_calls) + " calls took more than 50 us, " +
           text::with_separators(launches.long_delays) + " delays more than 100 us")};
  if (!analysed.analysis.queues) return blocks;
  for (const analyze::LaunchQueue& queue : *analysed.analysis.queues) {
    blocks.emplace_back(
        line("device " + std::to_string(queue.device) + ", stream " + std::to_string(queue.stream) +
             ": " + text::short_number(queue.mean, 1) + " launches wait on average, at most " +
             text::with_separators(queue.max)));
  }
  return blocks;
}

// What the time in which the device did nothing, or the step thread's own, lay under.
Blocks place_blocks(const AnalysedTrace& analysed, std::size_t limit) {
  const analyze::IdleReport* idle = analysed.analysis.idle_of(analysed.device);
  if (idle == nullptr || idle->counted.wall_ns <= 0) return {};
  std::vector<const analyze::IdlePlace*> places;
  for (const analyze::IdlePlace& place : idle->places) places.push_back(&place);
  std::stable_sort(places.begin(), places.end(),
                   [](const analyze::IdlePlace* a, const analyze::IdlePlace* b) {
                     return a->idle_ns > b->idle_ns;
                   });
  const bool on_device = idle->scope != analyze::IdleScope::kHost;
  const PerStep per_step(analysed);
  const double wall_ns = per_step.mean(idle->counted.wall_ns);
  const text::TimeUnit unit = text::unit_for(std::vector<double>{wall_ns});
  document::Table table{.title = on_device ? "idle time, by operator and annotation"
                                           : "the step thread's time, by operator and annotation",
                        .columns = {document::words("part"),
                                    name_column("operator, call or function", 3, 20),
                                    name_column("in", 2, 20),
                                    {.head = "per step", .unit = std::string(unit.name)},
                                    {.head = "share", .unit = "%"},
                                    {.head = "times per step", .drop_at = 1}}};
  for (std::size_t i = 0; i < limited(places.size(), limit); ++i) {
    const analyze::IdlePlace& place = *places[i];
    std::string what =
        place.name == ops::kNoIndex ? "outside all rows" : name_in(analysed, place.name);
    if (place.call != ops::kNoIndex) {
      what = name_in(analysed, place.call) +
             (place.name == ops::kNoIndex ? "" : " in " + name_in(analysed, place.name));
    }
    const std::uint32_t around = place.caller == ops::kNoIndex ? place.annotation : place.caller;
    const double each_ns = per_step.mean(place.idle_ns);
    table.rows.push_back(
        {.cells = {words_of_part("idle_" + std::string(name_of(place.cause)), idle->scope),
                   std::move(what), name_in(analysed, around), document::time(each_ns, unit),
                   document::share(each_ns, wall_ns), per_step.times(place.rows)}});
  }
  Blocks blocks = {std::move(table)};
  note_cut(places.size(), limit, blocks);
  return blocks;
}

Blocks memory_blocks(const AnalysedTrace& analysed) {
  Blocks blocks = {document::Heading{.title = "memory, whole trace"}};
  for (const analyze::MemoryPeak& peak : *analysed.analysis.memory) {
    std::string text =
        (peak.device < 0 ? std::string("host") : "device " + std::to_string(peak.device)) +
        ": at most " + text::byte_text(double(peak.allocated_bytes)) + " allocated";
    if (peak.reserved_bytes > 0) {
      text += ", " + text::byte_text(double(peak.reserved_bytes)) + " reserved";
    }
    if (peak.total_bytes) text += ", of " + text::byte_text(double(*peak.total_bytes));
    blocks.emplace_back(line(std::move(text)));
  }
  return blocks;
}

}  // namespace

void note_cut(std::size_t rows, std::size_t limit, Blocks& blocks) {
  if (limit == 0 || rows <= limit) return;
  blocks.emplace_back(line("first " + std::to_string(limit) + " of " +
                           text::with_separators(std::int64_t(rows)) +
                           "; --row-limit 0 shows all"));
}

std::size_t limited(std::size_t rows, std::size_t limit) {
  return limit == 0 ? rows : std::min(rows, limit);
}

std::string name_in(const AnalysedTrace& analysed, std::uint32_t name) {
  return name == ops::kNoIndex ? "-" : analyze::short_row_name(analysed.trace->names[name].text);
}

std::vector<document::Block> analysis_tables(const AnalysedTrace& analysed, std::size_t row_limit) {
  const analyze::Analysis& analysis = analysed.analysis;
  Blocks blocks;
  std::map<std::string, std::vector<std::string>> absent;
  const auto add = [&](Blocks more) { std::ranges::move(more, std::back_inserter(blocks)); };
  const auto add_known = [&](const char* what, const auto& known, const auto& make) {
    if (known) {
      add(make());
    } else {
      absent[known.reason()].emplace_back(what);
    }
  };
  if (analysis.critical_path) {
    add_known("critical path", *analysis.critical_path,
              [&] { return critical_path_blocks(analysed, **analysis.critical_path, row_limit); });
  }
  if (analysis.kernel_sequences) {
    add_known("sequences of kernels", *analysis.kernel_sequences, [&] {
      return kernel_sequence_blocks(analysed, **analysis.kernel_sequences, row_limit);
    });
  }
  add(place_blocks(analysed, row_limit));
  if (analysis.loader_work && analysis.data_loading) add(loader_blocks(analysed));
  add_known("kernels", analysis.kernels, [&] { return kernels_by_time(analysed, row_limit); });
  if (analysis.kernels) add(kernels_by_launches(analysed, row_limit));
  add_known("efficiency", analysis.efficiency,
            [&] { return efficiency_blocks(analysed, row_limit); });
  if (analysis.collectives) add(collective_blocks(analysed, row_limit));
  add_known("operators", analysis.operators, [&] { return operator_blocks(analysed, row_limit); });
  add_known("copies", analysis.copies, [&] { return copy_blocks(analysed, row_limit); });
  add_known("calls", analysis.runtime_calls, [&] { return call_blocks(analysed, row_limit); });
  add_known("launches", analysis.launches, [&] { return launch_blocks(analysed); });
  add_known("memory", analysis.memory, [&] { return memory_blocks(analysed); });
  if (!absent.empty()) blocks.emplace_back(document::Heading{.title = "not in this trace"});
  for (const auto& [reason, names] : absent) {
    blocks.emplace_back(line(text::join(names) + ": " + reason));
  }
  return blocks;
}

}  // namespace stepbench::report
