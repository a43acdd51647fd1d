// SPDX-License-Identifier: Apache-2.0
// The rows of the blocks of an analysis, and of comparisons of two traces or of the ranks of a job:
// JSON keys, and table columns in their order (block_fields.h). A new column is a line here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/internal/analysis_words.h"
#include "harness/report/internal/block_fields.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/traces/analysis.h"
#include "harness/traces/compare_traces.h"

namespace stepbench::report {

inline const char* words_of_tensor_cores(const traces::KernelRow& row) {
  if (row.tensor_cores.value_or(false)) return "yes";
  if (row.probably_tensor_cores) return "probably";
  return row.tensor_cores ? "no" : "-";
}

inline double mean_ns(const traces::KernelRow& row) {
  return double(row.total_ns) / double(row.calls);
}

template <typename V>
void block_fields(V& v, const traces::KernelRow& row) {
  v.name("name", row.name, name_column("kernel", 5));
  v("calls", row.calls)("total_ns", row.total_ns)("min_ns", row.min_ns)("max_ns", row.max_ns);
  v("step_ns", row.step_ns, {"us per step", as_us_per_step});
  v.shown({"share", as_share, "%", 4}, double(row.step_ns));
  v("step_calls", row.step_calls, {"per step", as_times});
  v.shown({"mean", as_us, "us"}, mean_ns(row));
  v("occupancy_percent", row.occupancy_percent, {"occupancy", as_short_number, "%", 3});
  v("blocks_per_sm", row.blocks_per_sm, {"blocks/SM", as_short_number, "", 2});
  v("tensor_cores", row.tensor_cores)("communication", row.communication);
  v.words({.head = "tensor cores", .left = true, .drop_at = 1}, words_of_tensor_cores(row));
}

// Another table of the same rows.
struct LaunchedKernel {
  const traces::KernelRow& row;
};
template <typename V>
void block_fields(V& v, const LaunchedKernel& of) {
  v.name("name", of.row.name, name_column("kernel", 5));
  v("calls", of.row.calls, {"launches", as_count});
  v("step_calls", of.row.step_calls, {"per step", as_times});
  v.shown({"mean", as_us, "us"}, mean_ns(of.row));
}

template <typename V>
void block_fields(V& v, const traces::CopyGroup& group) {
  const bool has_rate = group.bytes_per_ns.n > 0;
  v.name("name", group.name)("reads", group.reads)("count", group.count);
  v.words(document::words("copy"), traces::short_row_name(v.trace().names[group.name].text) +
                                       (group.reads ? ", small" : ""));
  v("in_steps", group.in_steps, {"per step", as_times});
  v("bytes", group.bytes, {"bytes per step", as_bytes_per_step});
  v.summary("bytes_per_ns", group.bytes_per_ns);
  v.shown({"median", as_number, "GB/s"},
          has_rate ? std::optional(group.bytes_per_ns.median) : std::nullopt);
  v("blocking", group.blocking, {"blocking", as_count});
  v("device_ns", group.device_ns, {"device", as_us_per_step, "us per step"});
  v("exposed_ns", group.exposed_ns, {"not hidden", as_us_per_step, "", 2});
  v("call_ns", group.call_ns, {"host call", as_us_per_step, "", 1});
  v("wait_busy_ns", group.wait_busy_ns)("wait_idle_ns", group.wait_idle_ns);
}

template <typename V>
void block_fields(V& v, const traces::HostWaitPlace& place) {
  v.name("op", place.op).name("call", place.call).name("python", place.python);
  v("reads", place.reads)("count", place.count)("ns", place.ns).span("longest", place.longest);
}

// The exchanged data, and the bandwidths for a given duration.
template <typename V>
void exchange_fields(V& v, const traces::ExchangeFacts& facts) {
  document::Column group = name_column("group", 2, 12);
  v.text("name", facts.name).words(name_column("collective", 3, 16), facts.name);
  v.text("group", facts.group).words(group, facts.group.empty() ? "-" : facts.group);
  const auto if_known = [](std::int64_t value) {
    return value < 0 ? std::nullopt : std::optional(double(value));
  };
  v("group_size", facts.group_size).shown({"ranks", as_count, "", 1}, if_known(facts.group_size));
  v("dtype", facts.dtype);
  v.words({.head = "type", .left = true, .drop_at = 4},
          facts.dtype == ops::Dtype::kUnknown ? "-" : std::string(name_of(facts.dtype)));
  v("bytes", facts.bytes).shown({"size", as_bytes}, if_known(facts.bytes));
}
template <typename V>
void bandwidth_fields(V& v, const traces::ExchangeFacts& facts, double duration_ns) {
  v("algorithm_bytes_per_ns", facts.algorithm_bandwidth(duration_ns),
    {"algorithm", as_number, "GB/s", 6});
  v("bus_bytes_per_ns", facts.bus_bandwidth(duration_ns), {"bus", as_number, "GB/s"});
}

template <typename V>
void block_fields(V& v, const traces::CollectiveRow& row) {
  exchange_fields(v, row.facts);
  v("step_calls", row.in_steps.calls, {"per step", as_times});
  v("step_ns", row.in_steps.ns, {"us per step", as_us_per_step});
  v("step_exposed_ns", row.step_exposed_ns, {"not hidden", as_us_per_step, "", 7});
  v.summary("duration_ns", row.duration).shown({"median", as_us, "us"}, row.duration.median);
  bandwidth_fields(v, row.facts, row.duration.median);
  v.shown({"bus, fastest", as_number, "GB/s", 5}, row.facts.bus_bandwidth(row.duration.min));
}

template <typename V>
void block_fields(V& v, const traces::MatchedCollectives& row) {
  exchange_fields(v, row.facts);
  v.summary("duration_ns", row.duration).summary("skew_ns", row.skew);
  v.shown({"times", as_count}, double(row.duration.n));
  v.shown({"median", as_us, "us"}, row.duration.median);
  bandwidth_fields(v, row.facts, row.duration.median);
  v.shown({"skew", as_us, "us"}, row.skew.median).shown({"at most", as_us, "us", 5}, row.skew.max);
}

struct OperatorOf {
  const traces::OperatorRow& row;
  bool on_device = false;
};
template <typename V>
void block_fields(V& v, const OperatorOf& of) {
  const traces::OperatorRow& row = of.row;
  const auto of_device = [&](const Shown& shown) { return of.on_device ? shown : Shown{}; };
  v.name("name", row.name, name_column("operator", 1));
  v("calls", row.calls, {"calls", as_count});
  v("self_host_ns", row.self_host_ns, {"self host", as_ms, "ms"});
  v("host_ns", row.host_ns, {"host", as_ms, "ms"});
  v("self_device_ns", row.self_device_ns, of_device({"self device", as_ms, "ms"}));
  v("device_ns", row.device_ns, of_device({"device", as_ms, "ms", 1}));
  v("launches", row.launches, of_device({"launches", as_count, "", 2}));
  v("step_calls", row.step_calls)("step_self_host_ns", row.step_self_host_ns);
  v("step_self_device_ns", row.step_self_device_ns)("tensor_core_eligible", row.eligible);
}
template <typename V>
void block_fields(V& v, const traces::OperatorRow& row) {
  block_fields(v, OperatorOf{row});
}

template <typename V>
void block_fields(V& v, const traces::RuntimeCallRow& row) {
  v.name("name", row.name, document::words("call"))("driver", row.driver)("calls", row.calls);
  v("step_calls", row.step_calls, {"per step", as_times});
  v("step_ns", row.step_ns, {"us per step", as_us_per_step});
  v.span("longest", row.longest);
  v.shown({"longest", as_us, "us"}, double(row.longest.length_ns()));
  v.name("longest_op", row.longest_op, name_column("of them in", 1, 16));
}

template <typename V>
void block_fields(V& v, const traces::MemoryPeak& peak) {
  v("device", peak.device)("allocated_bytes", peak.allocated_bytes);
  v("reserved_bytes", peak.reserved_bytes)("at_ns", peak.at_ns)("total_bytes", peak.total_bytes);
}

template <typename V>
void block_fields(V& v, const traces::LaunchQueue& queue) {
  v("device", queue.device)("stream", queue.stream)("mean_at_changes", queue.mean_at_changes);
  v("max", queue.max)("mean", queue.mean)("median", queue.median)("p95", queue.p95);
  v("full_ns", queue.full_ns)("full_share", queue.full_share);
}

inline const char* words_of_bound(const traces::EfficiencyRow& row) {
  const std::optional<double> intensity = row.intensity();
  if (!intensity || !row.ridge) return "-";
  return *intensity < *row.ridge ? "memory" : "arithmetic";
}

template <typename V>
void block_fields(V& v, const traces::EfficiencyRow& row) {
  const traces::Trace& trace = v.trace();
  v.name("name", row.name, name_column("operator", 1, 16))("kind", row.work.kind);
  v.text("shapes", trace.text(row.shapes)).text("arguments", trace.text(row.arguments));
  v.words(name_column("inputs", 2, 20), traces::tensor_shapes(trace.text(row.shapes)));
  v("dtype", row.dtype).words(document::words("type"), std::string(name_of(row.dtype)));
  v("backward", row.backward);
  v.words({.head = "pass", .left = true, .drop_at = 4}, row.backward ? "backward" : "forward");
  v("calls", row.calls)("time_ns", row.time_ns);
  v("step_calls", row.in_steps.calls, {"per step", as_times, "", 6});
  v("step_ns", row.in_steps.ns, {"us per step", as_us_per_step});
  v("flops", row.flops())("masked_flops", row.work.masked_flops)("bytes", row.bytes());
  v("flops_per_s", row.flops_per_s(), {"TFLOP/s", as_tera});
  v("peak_flops", row.peak_flops)("peak_share", row.peak_share, {"of peak", as_percent, "%", 8});
  v("bytes_per_s", row.bytes_per_s(), {"GB/s", as_giga, "", 5});
  v("intensity", row.intensity(), {"FLOP/B", as_number, "", 3});
  v("ridge", row.ridge)("roofline_share", row.roofline_share)("lost_ns", row.lost_ns);
  v.words({.head = "bound", .left = true, .drop_at = 7}, words_of_bound(row));
  v("step_lost_ns", row.step_lost_ns, {"lost", as_us_per_step, "us per step", 9});
}
template <typename V>
void block_fields(V& v, const traces::UncountedWork& work) {
  v.text("reason", work.reason)("calls", work.calls)("time_ns", work.time_ns);
}

// The work of the host while the device was idle, or during the step thread's own time.
struct PlaceOf {
  const traces::IdlePlace& place;
  traces::IdleScope scope = traces::IdleScope::kHost;
};
template <typename V>
void block_fields(V& v, const PlaceOf& of) {
  const traces::IdlePlace& place = of.place;
  const auto short_name = [&](std::uint32_t name) {
    return name == ops::kNoIndex ? std::string("-")
                                 : traces::short_row_name(v.trace().names[name].text);
  };
  const bool in_call = place.call != ops::kNoIndex;
  const bool in_row = place.name != ops::kNoIndex;
  v("cause", place.cause).name("name", place.name).name("call", place.call);
  v.name("annotation", place.annotation).name("caller", place.caller).name("work", place.work);
  v.words(document::words("part"),
          words_of_part("idle_" + std::string(name_of(place.cause)), of.scope));
  v.words(name_column("operator, call or function", 3, 20),
          in_call  ? short_name(place.call) + (in_row ? " in " + short_name(place.name) : "")
          : in_row ? short_name(place.name)
                   : "outside all rows");
  v.words(name_column("in", 2, 20),
          short_name(place.caller == ops::kNoIndex ? place.annotation : place.caller));
  v("idle_ns", place.idle_ns, {"per step", as_time_per_step, v.unit_name()});
  v.shown({"share", as_share, "%"}, double(place.idle_ns));
  v("rows", place.rows, {"times per step", as_times, "", 1});
  v.span("longest", place.longest).span("longest_row", place.longest_row);
}
template <typename V>
void block_fields(V& v, const traces::IdlePlace& place) {
  block_fields(v, PlaceOf{place});
}
inline void block_fields(BlockJson& v, const traces::IdleGap& gap) {
  v.span("at", gap.at).name("before", gap.before).name("after", gap.after);
  v.name("python", gap.python).name("caller", gap.caller);
}

// Blocks with members besides rows. Tables show their rows and extra lines.

inline void block_fields(BlockJson& v, const traces::DataLoading& of) {
  v("calls", of.calls.size())("first_ns", of.first_ns);
  v.summary("later_ns", of.later).summary("interval_ns", of.interval);
}

inline void block_fields(BlockJson& v, const traces::LoaderWork::Parts& ns) {
  for (std::size_t i = 0; i < ns.size(); ++i) {
    v(std::string(name_of(static_cast<traces::LoaderPart>(i))) + "_ns", ns[i]);
  }
}

inline void block_fields(BlockJson& v, const traces::LoaderWork& of) {
  v("in_step_thread", of.in_step_thread)("workers", of.workers).summary("batch_ns", of.batch);
  v.object("work", of.work_ns);
  v.object("exposed", of.exposed_ns);
  v("busy_share", of.busy_share)("busy_share_waiting", of.busy_share_waiting);
}

inline void block_fields(BlockJson& v, const traces::Copies& of) { v.rows("groups", of.groups); }

inline void block_fields(BlockJson& v, const traces::HostWaits& of) {
  v("count", of.count)("reads", of.reads).rows("places", of.places);
}

inline void block_fields(BlockJson& v, const traces::Kernels& of) {
  v("calls", of.calls)("total_ns", of.total_ns)("tensor_core_ns", of.tensor_core_ns);
  v("tiny", of.tiny)("tiny_in_steps", of.tiny_in_steps).summary("duration_ns", of.duration);
  v.rows("rows", of.rows);
}

inline void block_fields(BlockJson& v, const traces::Launches& of) {
  v.text("window", traces::Launches::kWindow)("calls", of.calls)("rows", of.rows);
  v.summary("call_ns", of.call).summary("delay_ns", of.delay)("long_delays", of.long_delays);
  v("long_calls", of.long_calls)("short_kernels", of.short_kernels);
  v("idle_delay_ns", of.idle_delay_ns);
}

inline void block_fields(BlockJson& v, const traces::Efficiency& of) {
  v("on_host", of.on_host)("work_ns", of.work_ns)("known_ns", of.known_ns);
  v("fused_ns", of.fused_ns)("step_flops", of.step_flops).text("device", of.device);
  if (of.peaks) {
    v.text("peaks_source", of.peaks->source);
    v("memory_bytes_per_s", of.peaks->memory_bytes);
  } else {
    v.text("no_peaks", of.no_peaks);
  }
  v.rows("uncounted", of.uncounted);
  v.rows("rows", of.rows);
}

// Only in JSON: what was read and doubts about it.

inline void block_fields(BlockJson& v, const ops::TraceDevice& of) {
  // A header that lacks a value has 0.
  const auto if_known = [](std::int64_t known, std::int64_t value) {
    return known > 0 ? std::optional(value) : std::nullopt;
  };
  v("id", of.id).text("name", of.name);
  v("total_memory_bytes", if_known(of.total_memory_bytes, of.total_memory_bytes));
  v("compute_major", if_known(of.compute_major, of.compute_major));
  v("compute_minor", if_known(of.compute_major, of.compute_minor));
}

inline void block_fields(BlockJson& v, const traces::TraceCounts& of) {
  v("ops", of.ops)("annotations", of.annotations)("python", of.python)("calls", of.calls);
  v("device_rows", of.device_rows)("syncs", of.syncs)("overhead", of.overhead);
}

inline void block_fields(BlockJson& v, const traces::IntegrityNote& of) {
  v.text("id", of.id)("level", of.level).text("text", of.text)("count", of.count)("of", of.of);
}

inline void block_fields(BlockJson& v, const traces::Step& of) {
  v("number", of.number).span("window", of.window)("edge", of.edge)("truncated", of.truncated);
  v("device_rows", of.device_rows)("spill_ns", of.spill_ns);
}

// Comparisons of two traces or of the ranks of a job.

// A kind of rows by which two traces are compared.
struct ComparedKind {
  std::string_view key;  // in JSON
  const char* chart;     // title of its chart
  const char* title;     // of the table of what changed
  const char* head;
  const char* all;             // name of the sum
  const char* phase = "";      // head of the column that tells equal names apart; empty: none
  std::string_view rate = {};  // JSON key, for kinds that record a rate
  Shown shown_rate = {};       // per second
};

[[nodiscard]] const ComparedKind& compared(traces::CostKind kind);

// A row of a kind, or a part of the step if `kind` is null.
struct DiffRowOf {
  const traces::DiffRow& row;
  const ComparedKind* kind = nullptr;
  std::string name = {};  // as displayed
  bool is_sum = false;    // a sum of rows, without a change of its own
  bool rates = false;     // some row of the table has a rate
};
inline std::string words_of_change(traces::DiffChange change) {
  if (change == traces::DiffChange::kNone) return "-";
  std::string words(name_of(change));
  std::ranges::replace(words, '_', ' ');
  return words;
}
inline document::Cell calls_cell(const traces::DiffRow& row) {
  const std::string base = text::short_number(row.base_count, 1);
  const std::string next = text::short_number(row.new_count, 1);
  return {base == next ? next : base + " -> " + next, row.new_count};
}
template <typename V>
void block_fields(V& v, const DiffRowOf& of) {
  const traces::DiffRow& row = of.row;
  const auto column = [&](const char* head, auto cell, int drop_at = 0) {
    return Shown{head, cell, v.unit_name(), drop_at};
  };
  const auto per_second = [](std::optional<double> per_ns) {
    return per_ns ? std::optional(*per_ns * 1e9) : per_ns;
  };
  const auto rate_column = [&](const char* head) {
    if (!of.rates) return Shown{};
    Shown shown = of.kind->shown_rate;
    shown.head = head;
    return shown;
  };
  v.text("name", row.name);
  if (of.kind == nullptr) {
    v.words(document::words("part"), of.name);
  } else {
    v.words(name_column(of.kind->head, 1), of.name);
  }
  if (!row.phase.empty()) v.text("phase", row.phase);
  if (of.kind != nullptr && *of.kind->phase != '\0') {
    v.words({.head = of.kind->phase, .left = true, .shrink_at = 2, .shrink_inside = true},
            row.phase.empty() ? "-" : row.phase);
  }
  v("change", row.change)("base_ns", row.base_ns, column("base", as_time));
  v("new_ns", row.new_ns, column("new", as_time));
  v("difference_ns", row.difference_ns(), column("difference", as_difference));
  if (of.kind == nullptr) {
    v.shown({"of the step", as_change_of_total, "%", 1}, row.difference_ns());
    v("noise_ns", row.noise_ns, column("counts from", as_time, 2));
  } else {
    v("noise_ns", row.noise_ns)("base_calls", row.base_count)("new_calls", row.new_count);
    if (!of.kind->rate.empty()) {
      const std::string rate(of.kind->rate);
      v("base_" + rate, per_second(row.base_rate), rate_column("base"));
      v("new_" + rate, per_second(row.new_rate), rate_column("new"));
    }
    v.words({.head = "calls"}, calls_cell(row));
  }
  v.words(document::words("change"), of.is_sum ? "" : words_of_change(row.change));
}
inline void block_fields(BlockJson& v, const traces::DiffFinding& of) {
  const std::string unit = of.is_gain ? "gain_ns" : "value";
  v.text("id", of.id)("change", of.change)("severity", of.severity).text("text", of.text);
  v("base_" + unit, of.base)("new_" + unit, of.next);
}
inline void block_fields(BlockJson& v, const traces::DiffNote& of) {
  v("level", of.level).text("text", of.text);
}

// A rank of a job; values are means per step.
struct RankRowOf {
  const traces::RankRow& row;
  const traces::RankReport& report;
  bool communicates = true;  // some rank of the job communicates
};
inline void block_fields(BlockJson& v, const std::vector<double>& parts_ns) {
  for (std::size_t i = 0; i < parts_ns.size(); ++i) {
    v(std::string(traces::step_parts()[i].name) + "_ns", parts_ns[i]);
  }
}
template <typename V>
void block_fields(V& v, const RankRowOf& of) {
  const traces::RankRow& row = of.row;
  const auto time = [&](const char* head, int drop_at = 0) {
    return Shown{head, as_part_of_time, v.unit_name(), drop_at};
  };
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return whole > 0 ? std::optional(double(part) / double(whole)) : std::nullopt;
  };
  const auto if_any = [&](const Shown& shown) { return of.communicates ? shown : Shown{}; };
  v("rank", row.rank, {"rank", as_count}).text("path", row.path);
  v("step_ns", row.step_ns, time("step"))("work_ns", row.work_ns, time("own work"));
  v("wait_ns", row.wait_ns, time("waits for others")).numbers("waits_for_ns", row.waits_for_ns);
  v.object("parts", row.parts_ns);
  v("slowest_in", row.slowest_in)("entered_last", row.entered_last);
  v.shown({"slowest in", as_percent, "%"}, share(row.slowest_in, of.report.steps));
  v.shown({"enters last", as_percent, "%", 2}, share(row.entered_last, of.report.collectives));
  v("communication_ns", row.communication_ns, if_any(time("communication", 3)));
  v("exposed_communication_ns", row.exposed_ns, if_any(time("not hidden", 4)));
  v("hidden_share", row.hidden_share, if_any({"hidden", as_percent, "%", 5}));
  v("starts_late_ns", row.starts_late_ns,
    of.report.skew_mean_ns ? time("starts late", 1) : Shown{});
}
inline void block_fields(BlockJson& v, const traces::Straggler& of) {
  v("rank", of.rank)("gain_ns", of.gain_ns)("excess_ns", of.excess_ns)("share", of.share);
  v.text_or_null("part", of.part)("part_excess_ns", of.part_ns);
}

}  // namespace stepbench::report
