// SPDX-License-Identifier: Apache-2.0
#include "harness/report/trace_analysis.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "harness/base/format.h"
#include "harness/findings/fields.h"
#include "harness/json/json_text.h"
#include "harness/report/internal/analysis_rows.h"
#include "harness/report/internal/ops_columns.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using Blocks = std::vector<document::Block>;

// Totals of a trace for averages per counted step.
struct PerStep {
  explicit PerStep(const AnalysedTrace& analysed)
      : steps(double(std::max<std::size_t>(1, analysed.analysis.steps.counted().size()))) {}

  [[nodiscard]] double mean(std::int64_t total) const { return double(total) / steps; }

  double steps;
};

document::Paragraph line(std::string text) { return {.text = std::move(text)}; }

void add_lines(Blocks& blocks, std::vector<std::string> lines) {
  std::erase(lines, std::string());
  document::add_paragraphs(blocks, lines);
}

// The first rows as a table; `row_of` converts a row.
template <typename Row, typename RowOf>
Blocks rows_shown(std::string title, const AnalysedTrace& analysed, const std::vector<Row>& rows,
                  std::size_t limit, InTable in, const RowOf& row_of) {
  BlockTable table(std::move(title), *analysed.trace, in);
  for (std::size_t i = 0; i < limited(rows.size(), limit); ++i) table.add(row_of(rows[i]));
  Blocks blocks = {table.take()};
  note_cut(rows.size(), limit, blocks);
  return blocks;
}

template <typename Row>
Blocks rows_shown(std::string title, const AnalysedTrace& analysed, const std::vector<Row>& rows,
                  std::size_t limit) {
  return rows_shown(std::move(title), analysed, rows, limit, {.steps = PerStep(analysed).steps},
                    [](const Row& row) -> const Row& { return row; });
}

// Shortens names that would look alike around the part in which they differ.
void make_names_distinct(const AnalysedTrace& analysed, const std::vector<std::uint32_t>& names,
                         document::Block& block) {
  constexpr std::size_t kCells = 40;
  std::vector<document::TableRow>& rows = std::get<document::Table>(block).rows;
  std::vector<std::string_view> texts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    texts.emplace_back(analysed.trace->names[names[i]].text);
  }
  const std::vector<std::string> distinct = traces::distinct_row_names(texts, kCells);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].cells.front() = distinct[i];
}

Blocks kernel_blocks(const AnalysedTrace& analysed, std::size_t limit) {
  const traces::Kernels& kernels = *analysed.analysis.kernels;
  const PerStep per_step(analysed);
  double total_ns = 0;
  std::vector<std::uint32_t> by_time;
  std::vector<std::uint32_t> by_calls;
  for (const traces::KernelRow& row : kernels.rows) {
    total_ns += double(row.step_ns);
    by_time.push_back(row.name);
  }
  for (const std::size_t i : kernels.by_calls) by_calls.push_back(kernels.rows[i].name);
  Blocks blocks =
      rows_shown("kernels by time", analysed, kernels.rows, limit,
                 {.steps = per_step.steps, .total = total_ns},
                 [](const traces::KernelRow& row) -> const traces::KernelRow& { return row; });
  make_names_distinct(analysed, by_time, blocks.front());
  const traces::IdleReport* idle = analysed.analysis.idle_of(std::nullopt);
  if (idle != nullptr && total_ns > double(idle->counted.wall_ns)) {
    blocks.emplace_back(
        line(formatted("all together {} per step, longer than the step: kernels of several streams "
                       "or devices run at once, or behind the step that launched them",
                       text::duration(total_ns / per_step.steps))));
  }
  blocks.emplace_back(line(formatted(
      "{} in the trace, median {}; {} take less than 10 us", text::counted(kernels.calls, "kernel"),
      text::duration(kernels.duration.median), text::with_separators(kernels.tiny))));
  Blocks launched = rows_shown("kernels by number of launches", analysed, kernels.by_calls, limit,
                               {.steps = per_step.steps},
                               [&](std::size_t i) { return LaunchedKernel{kernels.rows[i]}; });
  make_names_distinct(analysed, by_calls, launched.front());
  blocks.push_back(std::move(launched.front()));
  return blocks;
}

Blocks operator_blocks(const AnalysedTrace& analysed, std::size_t limit) {
  const bool on_device = !analysed.analysis.devices.empty();
  return rows_shown("operators, whole trace", analysed, *analysed.analysis.operators, limit, {},
                    [&](const traces::OperatorRow& row) {
                      return OperatorOf{row, on_device};
                    });
}

Blocks loader_blocks(const AnalysedTrace& analysed, std::size_t /*limit*/) {
  if (!analysed.analysis.data_loading) return {};
  const traces::LoaderWork& work = *analysed.analysis.loader_work;
  const PerStep per_step(analysed);
  const std::int64_t total_ns = work.exposed_total_ns();
  const double batches = double(std::max<std::int64_t>(1, work.batch.n));
  const double longest_ns = std::max(work.batch.mean, per_step.mean(total_ns));
  const text::TimeUnit unit = text::unit_for({&longest_ns, 1});
  const std::string unit_name(unit.name);
  document::Table table{.title = "loader: activity while the step waited for data",
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
  for (std::size_t i = 0; i < traces::kLoaderPartCount; ++i) {
    const auto part = static_cast<traces::LoaderPart>(i);
    made_ns += work.work_ns[i];
    if (work.exposed_ns[i] == 0 && work.work_ns[i] == 0) continue;
    if (part == traces::LoaderPart::kHandOver) {
      add(not_made, work.exposed_ns[i], std::nullopt);
    } else {
      add(std::string(name_of(part)), work.exposed_ns[i], double(work.work_ns[i]) / batches);
    }
  }
  add("sum", total_ns, double(made_ns) / batches);
  return {std::move(table),
          line(work.in_step_thread
                   ? "no workers: the step thread reads the batches itself"
                   : formatted("{}, {} busy in these steps, {} while the step waits; a batch takes "
                               "{} (median), at most {}",
                               text::counted(work.workers, "worker"),
                               text::percent_text(work.busy_share),
                               text::percent_text(work.busy_share_waiting),
                               text::duration(work.batch.median), text::duration(work.batch.max)))};
}

Blocks copy_blocks(const AnalysedTrace& analysed, std::size_t limit) {
  return rows_shown("copies", analysed, analysed.analysis.copies->groups, limit);
}

Blocks call_blocks(const AnalysedTrace& analysed, std::size_t limit) {
  return rows_shown("calls of the runtime and driver", analysed, *analysed.analysis.runtime_calls,
                    limit);
}

Blocks launch_blocks(const AnalysedTrace& analysed, std::size_t /*limit*/) {
  const traces::Launches& launches = *analysed.analysis.launches;
  Blocks blocks = {
      document::Heading{.title = "launches",
                        .subtitle = window_subtitle(traces::Launches::kWindow)},
      line(formatted(
          "{} started {} of device work; call {} (median), delay until the work begins {} (p95 {})",
          text::counted(launches.calls, "call"), text::counted(launches.rows, "row"),
          text::duration(launches.call.median), text::duration(launches.delay.median),
          text::duration(launches.delay.p95))),
      line(formatted("{} kernels are shorter than their launch call; {} calls took more than 50 "
                     "us, {} delays more than 100 us",
                     text::with_separators(launches.short_kernels),
                     text::with_separators(launches.long_calls),
                     text::with_separators(launches.long_delays)))};
  if (!analysed.analysis.queues) return blocks;
  for (const traces::LaunchQueue& queue : *analysed.analysis.queues) {
    blocks.emplace_back(line(formatted(
        "device {}, stream {}: {} launches wait on average, at most {}", queue.device, queue.stream,
        text::short_number(queue.mean, 1), text::with_separators(queue.max))));
  }
  return blocks;
}

Blocks memory_blocks(const AnalysedTrace& analysed, std::size_t /*limit*/) {
  Blocks blocks = {document::Heading{.title = "memory, whole trace"}};
  for (const traces::MemoryPeak& peak : *analysed.analysis.memory) {
    std::string text =
        formatted("{}: at most {} allocated",
                  peak.device < 0 ? std::string("host") : formatted("device {}", peak.device),
                  text::byte_text(double(peak.allocated_bytes)));
    if (peak.reserved_bytes > 0) {
      text += formatted(", {} reserved", text::byte_text(double(peak.reserved_bytes)));
    }
    if (peak.total_bytes) text += ", of " + text::byte_text(double(*peak.total_bytes));
    blocks.emplace_back(line(std::move(text)));
  }
  return blocks;
}

constexpr const char* kDefinitions = "size, algorithm and bus bandwidth as nccl-tests define them";

template <typename Rows>
void note_missing_sizes(const Rows& rows, Blocks& blocks) {
  if (std::ranges::none_of(rows, [](const auto& row) { return row.facts.bytes < 0; })) return;
  blocks.emplace_back(
      line("rows without a size lack it in the trace: torch.profiler writes it for NCCL since "
           "torch 2.2, and never for Gloo"));
}

Blocks collective_blocks(const AnalysedTrace& analysed, std::size_t limit) {
  const std::vector<traces::CollectiveRow>& rows = *analysed.analysis.collectives;
  Blocks blocks =
      rows_shown("collectives, with the time that this rank waits in them", analysed, rows, limit);
  blocks.emplace_back(line(std::string(kDefinitions) +
                           "; by the median, which includes waiting for other ranks: the exchange "
                           "alone is known only from the traces of all ranks"));
  note_missing_sizes(rows, blocks);
  return blocks;
}

std::string shares_text(const traces::Efficiency& efficiency) {
  const double work_ns = double(efficiency.work_ns);
  if (efficiency.on_host || work_ns <= 0) return {};
  std::string text = formatted("these are {} of the time of kernels that compute",
                               text::percent_text(double(efficiency.known_ns) / work_ns));
  if (efficiency.fused_ns > 0) {
    text += formatted("; {} are kernels that Triton made, for which there is no formula",
                      text::percent_text(double(efficiency.fused_ns) / work_ns));
  }
  return text;
}

std::string rate_text(const AnalysedTrace& analysed, const traces::Efficiency& efficiency) {
  const traces::IdleReport* idle = analysed.analysis.idle_of(std::nullopt);
  const std::size_t steps = analysed.analysis.steps.counted().size();
  if (idle == nullptr || idle->counted.wall_ns <= 0 || efficiency.step_flops <= 0) return {};
  return formatted("{}FLOP per step, {}FLOP/s over the whole step",
                   operations_text(efficiency.step_flops / double(steps)),
                   operations_text(efficiency.step_flops / (double(idle->counted.wall_ns) / 1e9)));
}

std::string peaks_text(const traces::Efficiency& efficiency) {
  if (!efficiency.peaks) return "no share of a peak: " + efficiency.no_peaks;
  return formatted("peaks of {} by {}; memory {} GB/s", efficiency.device, efficiency.peaks->source,
                   text::significant(efficiency.peaks->memory_bytes / 1e9));
}

Blocks efficiency_blocks(const AnalysedTrace& analysed, std::size_t limit) {
  const traces::Efficiency& efficiency = *analysed.analysis.efficiency;
  Blocks blocks = rows_shown("efficiency of matrix products, convolutions and attention, by shape",
                             analysed, efficiency.rows, limit);
  add_lines(blocks,
            {rate_text(analysed, efficiency), shares_text(efficiency), peaks_text(efficiency)});
  return blocks;
}

Blocks place_blocks(const AnalysedTrace& analysed, std::size_t limit) {
  const traces::IdleReport* idle = analysed.analysis.idle_of(analysed.device);
  if (idle == nullptr || idle->counted.wall_ns <= 0) return {};
  std::vector<const traces::IdlePlace*> places;
  for (const traces::IdlePlace& place : idle->places) places.push_back(&place);
  std::ranges::stable_sort(places, std::greater(), &traces::IdlePlace::idle_ns);
  const double steps = PerStep(analysed).steps;
  const auto wall_ns = double(idle->counted.wall_ns);
  return rows_shown(idle->scope == traces::IdleScope::kHost
                        ? "the step thread's time, by operator and annotation"
                        : "idle time, by operator and annotation",
                    analysed, places, limit,
                    {.steps = steps,
                     .total = wall_ns,
                     .unit = text::unit_for(std::vector<double>{wall_ns / steps})},
                    [&](const traces::IdlePlace* place) {
                      return PlaceOf{*place, idle->scope};
                    });
}

template <auto kMember>
bool is_known(const traces::Analysis& analysis) {
  return bool(analysis.*kMember);
}

template <auto kMember>
std::string reason_of(const traces::Analysis& analysis) {
  return (analysis.*kMember).reason();
}

template <auto kMember>
void write_known(json::JsonText& json, const TraceBlock& block, const AnalysedTrace& analysed) {
  const auto& known = analysed.analysis.*kMember;
  BlockJson out(json, *analysed.trace);
  if (!known) {
    json.null(block.key).text(std::string(block.key) + "_reason", known.reason());
  } else if constexpr (requires { known->begin(); }) {
    out.rows(block.key, *known);
  } else {
    out.object(block.key, *known);
  }
}

template <auto kMember>
constexpr TraceBlock block_of(std::string_view key, std::string_view words = {},
                              Blocks (*show)(const AnalysedTrace&, std::size_t) = nullptr) {
  return {key, words, write_known<kMember>, is_known<kMember>, reason_of<kMember>, show};
}

void write_nothing(json::JsonText& /*json*/, const TraceBlock& /*block*/,
                   const AnalysedTrace& /*analysed*/) {}
void write_waits(json::JsonText& json, const TraceBlock& block, const AnalysedTrace& analysed) {
  BlockJson(json, *analysed.trace).object(block.key, analysed.analysis.host_waits);
}
bool always(const traces::Analysis& /*analysis*/) { return true; }
std::string no_reason(const traces::Analysis& /*analysis*/) { return {}; }

using traces::Analysis;
constexpr TraceBlock kBlocks[] = {
    {"places", {}, write_nothing, always, no_reason, place_blocks},  // in JSON: "idle" of a device
    block_of<&Analysis::data_loading>("data_loading"),
    block_of<&Analysis::loader_work>("loader_work", {}, loader_blocks),
    block_of<&Analysis::kernels>("kernels", "kernels", kernel_blocks),
    block_of<&Analysis::efficiency>("efficiency", "efficiency", efficiency_blocks),
    block_of<&Analysis::collectives>("collectives", {}, collective_blocks),
    block_of<&Analysis::operators>("operators", "operators", operator_blocks),
    block_of<&Analysis::copies>("copies", "copies", copy_blocks),
    {"host_waits", {}, write_waits, always, no_reason, nullptr},
    block_of<&Analysis::runtime_calls>("runtime_calls", "calls", call_blocks),
    block_of<&Analysis::launches>("launches", "launches", launch_blocks),
    block_of<&Analysis::queues>("queues"),
    block_of<&Analysis::memory>("memory", "memory", memory_blocks),
};

}  // namespace

std::span<const TraceBlock> trace_blocks() { return kBlocks; }

Blocks matched_collective_blocks(const std::vector<traces::MatchedCollectives>& sizes,
                                 std::size_t row_limit) {
  if (sizes.empty()) return {};
  const traces::Trace none;
  Blocks blocks = rows_shown("collectives of all ranks, without waiting for the last to enter",
                             {.trace = &none}, sizes, row_limit);
  blocks.emplace_back(
      line(std::string(kDefinitions) +
           "; skew is how long the first rank to enter waits for the last, by their durations"));
  note_missing_sizes(sizes, blocks);
  return blocks;
}

void note_cut(std::size_t rows, std::size_t limit, Blocks& blocks) {
  if (limit == 0 || rows <= limit) return;
  blocks.emplace_back(line(
      formatted("first {} of {}; --row-limit 0 shows all", limit, text::with_separators(rows))));
}

std::size_t limited(std::size_t rows, std::size_t limit) {
  return limit == 0 ? rows : std::min(rows, limit);
}

Blocks analysis_tables(const AnalysedTrace& analysed, std::size_t row_limit) {
  Blocks blocks;
  for (const TraceBlock& block : kBlocks) {
    if (block.show == nullptr || !block.known(analysed.analysis)) continue;
    std::ranges::move(block.show(analysed, row_limit), std::back_inserter(blocks));
  }
  return blocks;
}

namespace {

void add_source(const AnalysedTrace& analysed, json::JsonText& json, BlockJson& out) {
  const traces::Trace& trace = *analysed.trace;
  json.open_object("source");
  out.text("path", analysed.path)("rows", trace.reading.rows);
  out("text_bytes", trace.reading.text_bytes)("compressed", trace.reading.compressed);
  out("own", trace.own)("rank", trace.rank)("world", trace.world)("base_ns", trace.base_ns);
  out("resolution_ns", trace.resolution_ns).rows("devices", trace.devices);
  json.open_object("own_facts");
  for (const auto& [key, value] : trace.own_facts) json.text(key, value);
  json.close_object();
  out.object("counts", analysed.analysis.counts);
  json.close_object();
}

void add_steps(const traces::Analysis& analysis, json::JsonText& json, BlockJson& out) {
  const traces::Steps& steps = analysis.steps;
  json.open_object("steps").text("window", name_of(steps.window));
  if (!steps.reason.empty()) json.text("reason", steps.reason);
  std::vector<std::int64_t> counted;
  for (const std::size_t i : steps.counted()) counted.push_back(std::int64_t(i));
  json.integers("counted", counted);
  out.rows("steps", steps.steps);
  json.integer("profiler_overhead_ns", analysis.profiler_overhead_ns).close_object();
}

// Vectors have one value per step.
void add_idle(const traces::IdleReport& report, traces::WindowKind window, json::JsonText& json,
              BlockJson& out) {
  static constexpr std::string_view kScopes[] = {"device", "all_devices", "host"};
  const auto vector = [&](std::string_view key, const auto& of) {
    std::vector<std::int64_t> values;
    for (const traces::StepTime& step : report.steps) values.push_back(of(step));
    json.integers(key, values);
  };
  json.open_object().text("scope", kScopes[std::size_t(report.scope)]);
  if (report.device) json.integer("device", *report.device);
  json.text("window", name_of(window));
  vector("wall_ns", [](const traces::StepTime& step) { return step.wall_ns; });
  for (const traces::StepPart& part : traces::step_parts()) {
    vector(std::string(part.name) + "_ns", part.of);
  }
  vector("data_loading_ns", [](const traces::StepTime& step) { return step.data_loading_ns; });
  vector("data_hidden_ns", [](const traces::StepTime& step) { return step.data_hidden_ns; });
  out.rows("places", report.places);
  out.rows("gaps", report.gaps);
  json.close_object();
}

}  // namespace

std::string analysis_json(const AnalysedTrace& analysed, int exit_status) {
  const traces::Analysis& analysis = analysed.analysis;
  json::JsonText json;
  BlockJson out(json, *analysed.trace);
  json.open_object().text("schema", kAnalysisSchema).text("version", kAnalysisVersion);
  add_source(analysed, json, out);
  out.rows("integrity", analysis.integrity);
  add_steps(analysis, json, out);
  json.open_array("idle");
  for (const traces::IdleReport& report : analysis.idle) {
    add_idle(report, analysis.steps.window, json, out);
  }
  json.close_array().open_object("blocks");
  for (const TraceBlock& block : trace_blocks()) block.write(json, block, analysed);
  json.close_object();
  json::FieldWriter writer(json);
  writer("findings", analysed.findings);
  json.integer("exit_code", exit_status).close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
