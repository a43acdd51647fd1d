// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/analysis/loader_report.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "workloads/loader/internal/analysis/loader_analysis.h"
#include "workloads/loader/internal/worker_cpus.h"

namespace stepbench::loader {
namespace {

std::vector<double> as_doubles(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

constexpr std::int64_t kTimesMemory = 5;  // MLPerf Storage's minimum for the data size

// Mean parts of one call of next(); they add up to the mean wait.
void report_next(const LoaderMetrics& metrics, double calls, ReportSink& sink) {
  const auto mean = [&](const char* name, std::int64_t sum) {
    sink.metric(name, static_cast<double>(sum) / calls);
  };
  mean("loader_next_ns",
       std::accumulate(metrics.wait_ns.begin(), metrics.wait_ns.end(), std::int64_t{0}));
  mean("loader_next_blocked_ns", metrics.blocked_ns);
  mean("loader_next_read_ns", metrics.read_ns);
  mean("loader_next_receive_ns", metrics.receive_ns);
  mean("loader_next_pin_ns", metrics.pinning_ns);
  mean("loader_next_dispatch_ns", metrics.dispatch_ns);
  mean("loader_next_stalled_ns", metrics.stalled_ns);
}

void report_window(const LoaderMetrics& metrics, const WindowFacts& window, ReportSink& sink) {
  const auto count = [&](const char* name, std::int64_t value) {
    sink.metric(name, static_cast<double>(value));
  };
  if (metrics.samples > 0 && window.elapsed_ns > 0) {
    sink.metric("cpu_s_per_1k_samples",
                static_cast<double>(window.cpu_ns()) * 1e-6 / static_cast<double>(metrics.samples));
  }
  count("tree_minor_faults", window.used.minor_faults);
  count("tree_major_faults", window.used.major_faults);
  count("tree_voluntary_switches", window.used.voluntary_switches);
  count("tree_involuntary_switches", window.used.involuntary_switches);
  if (window.open_descriptors > 0) count("open_descriptors", window.open_descriptors);
  if (window.borders > 0) {
    sink.metric("loader_border_ns",
                static_cast<double>(window.border_ns) / static_cast<double>(window.borders));
  }
}

void report_machine(const CoreFacts& machine, const WindowFacts& window, double calls,
                    ReportSink& sink) {
  const auto share = [&](const char* name, std::int64_t ns, std::int64_t of_ns) {
    if (of_ns > 0) sink.metric(name, static_cast<double>(ns) / static_cast<double>(of_ns));
  };
  share("loader_worker_cpu", machine.workers.cpu_ns, machine.workers_lived_ns);
  share("loader_worker_cpu_wait", machine.workers.waited_ns, machine.workers_lived_ns);
  if (machine.training) {
    share("training_cpu_wait", machine.training->waited_ns, window.elapsed_ns);
  }
  if (machine.others_ns) share("loader_other_cores", *machine.others_ns, window.elapsed_ns);
  if (machine.storage_bytes) {
    sink.metric("loader_storage_bytes", static_cast<double>(*machine.storage_bytes) / calls);
  }
  if (machine.storage_stalled_ns) {
    share("loader_storage_pressure", *machine.storage_stalled_ns, window.elapsed_ns);
  }
}

void report_cores(const std::vector<LoaderMetrics::Worker>& workers, ReportSink& sink) {
  std::vector<std::vector<int>> cores;
  bool known = false;
  for (const LoaderMetrics::Worker& worker : workers) {
    cores.push_back(worker.cores);
    known |= !worker.cores.empty();
  }
  if (known) sink.effective("loader.affinity", cores_text(cores));
}

void report_workers(const LoaderMetrics& metrics, ReportSink& sink) {
  const std::vector<LoaderMetrics::Worker>& workers = metrics.workers;
  using Worker = LoaderMetrics::Worker;
  struct Share {
    const char* metric;
    const char* least;
    const char* most;
    std::int64_t Worker::*part;
  };
  const auto total = [](const Worker& worker) {
    return static_cast<double>(worker.busy_ns + worker.idle_ns + worker.blocked_ns);
  };
  double all_ns = 0;
  for (const Worker& worker : workers) all_ns += total(worker);
  if (all_ns <= 0) return;
  for (const Share share : {Share{"loader_worker_busy", "loader_worker_busy_min",
                                  "loader_worker_busy_max", &Worker::busy_ns},
                            Share{"loader_worker_idle", "loader_worker_idle_min",
                                  "loader_worker_idle_max", &Worker::idle_ns},
                            Share{"loader_worker_blocked", "loader_worker_blocked_min",
                                  "loader_worker_blocked_max", &Worker::blocked_ns}}) {
    if (share.part == &Worker::blocked_ns && !metrics.records_blocked) continue;
    double sum = 0;
    double least = 1;
    double most = 0;
    for (const Worker& worker : workers) {
      const auto part = static_cast<double>(worker.*share.part);
      sum += part;
      if (total(worker) <= 0) continue;
      least = std::min(least, part / total(worker));
      most = std::max(most, part / total(worker));
    }
    sink.metric(share.metric, sum / all_ns);
    sink.metric(share.least, least);
    sink.metric(share.most, most);
  }
}

}  // namespace

void report_loader(const LoaderMetrics& metrics, const WindowFacts& window,
                   const CoreFacts& machine, ReportSink& sink) {
  if (metrics.wait_ns.empty()) return;
  const auto calls = static_cast<double>(metrics.wait_ns.size());
  report_machine(machine, window, calls, sink);
  report_window(metrics, window, sink);
  report_next(metrics, calls, sink);
  const std::vector<double> waits = as_doubles(metrics.wait_ns);
  sink.metric("loader_wait_p50_ns", stats::quantile(waits, 0.5));
  sink.metric("loader_wait_p90_ns", stats::quantile(waits, 0.9));
  sink.metric("loader_wait_p99_ns", stats::quantile(waits, 0.99));
  sink.metric("loader_wait_max_ns", stats::quantile(waits, 1.0));
  sink.metric("loader_fetch_ns", static_cast<double>(metrics.fetch_ns) / calls);
  sink.metric("loader_decode_ns", static_cast<double>(metrics.decode_ns) / calls);
  sink.metric("loader_collate_ns", static_cast<double>(metrics.collate_ns) / calls);
  sink.metric("loader_transport_ns", static_cast<double>(metrics.transport_ns) / calls);
  sink.metric("loader_skipped_samples", static_cast<double>(metrics.skipped_samples));
  if (metrics.skipped_samples > 0) {
    sink.note(formatted(
        "{} of {} could not be read, and the next took its place (data.on_error: skip)",
        text::counted(metrics.skipped_samples, "sample"), text::with_separators(metrics.samples)));
  }
  if (metrics.pin_ns > 0) {
    sink.metric("loader_pin_ns", static_cast<double>(metrics.pin_ns) / calls);
  }
  if (metrics.upload_ns > 0) {
    sink.metric("loader_upload_ns", static_cast<double>(metrics.upload_ns) / calls);
  }
  if (metrics.queue_thread_wait_ns) {
    sink.metric("loader_queue_thread_wait_ns",
                static_cast<double>(*metrics.queue_thread_wait_ns) / calls);
    sink.metric("loader_memory_wait_ns", static_cast<double>(metrics.memory_wait_ns) / calls);
    sink.metric("loader_memories", static_cast<double>(metrics.memories) / calls);
  }
  if (metrics.elements > 0) {
    sink.metric("loader_padding",
                static_cast<double>(metrics.padding) / static_cast<double>(metrics.elements));
  }
  sink.metric("loader_lost_samples", static_cast<double>(metrics.lost_samples));
  if (metrics.epochs > 0) {
    const auto epochs = static_cast<double>(metrics.epochs);
    sink.metric("loader_epoch_begin_ns", static_cast<double>(metrics.epoch_begin_ns) / epochs);
    sink.metric("loader_epoch_end_ns", static_cast<double>(metrics.epoch_end_ns) / epochs);
  }
  if (metrics.workers.empty()) return;
  report_cores(metrics.workers, sink);
  sink.metric("loader_occupancy", static_cast<double>(metrics.ready) / calls);
  const std::int64_t depth =
      std::accumulate(metrics.queue_depth.begin(), metrics.queue_depth.end(), std::int64_t{0});
  sink.metric("loader_queue_depth", static_cast<double>(depth) / calls);
  sink.metric("loader_held", static_cast<double>(metrics.waiting_batches) / calls);
  report_workers(metrics, sink);
}

void report_stored(const data::StoredSize& stored, ReportSink& sink) {
  sink.metric("data_set_files", static_cast<double>(stored.files));
  sink.metric("data_set_bytes", static_cast<double>(stored.bytes));
  if (stored.samples > 0) sink.metric("data_set_samples", static_cast<double>(stored.samples));
  if (stored.record_bytes) sink.metric("data_record_bytes", *stored.record_bytes);
  if (stored.record_bytes_sd) sink.metric("data_record_bytes_sd", *stored.record_bytes_sd);
}

void note_data_in_memory(const data::StoredSize& stored, std::int64_t memory_bytes,
                         ReportSink& sink) {
  if (memory_bytes <= 0 || stored.bytes >= kTimesMemory * memory_bytes) return;
  const std::string sizes =
      formatted("{} of data, {} of memory: ", text::byte_text(static_cast<double>(stored.bytes)),
                text::byte_text(static_cast<double>(memory_bytes)));
  sink.note(sizes +
            "reads come from the page cache after the first pass, so AU tells nothing of "
            "the storage. MLPerf Storage asks for five times the memory; data.page_cache: "
            "cold takes the files out of it before each window");
}

void report_idle_readers(const data::Dataset& dataset, std::int64_t num_workers, std::int64_t ranks,
                         ReportSink& sink) {
  if (dataset.iterable() == nullptr) return;
  const std::int64_t parts = dataset.iterable()->parts();
  const std::int64_t readers = std::max<std::int64_t>(1, num_workers) * ranks;
  if (parts == 0 || parts >= readers) return;
  sink.note(formatted("the data set has {} shards for {} workers: {} of them read nothing", parts,
                      readers, readers - parts));
}

std::vector<Metric> loader_metrics() {
  constexpr auto kUp = Direction::kHigherIsBetter;
  constexpr auto kNeither = Direction::kNeither;
  std::vector<Metric> metrics = {
      {.name = "loader_wait_p50_ns", .unit = "ns", .doc = "Median time of a call of next()."},
      {.name = "loader_wait_p90_ns",
       .unit = "ns",
       .doc = "90th percentile of the time of a call of next()."},
      {.name = "loader_wait_p99_ns",
       .unit = "ns",
       .doc = "99th percentile of the time of a call of next()."},
      {.name = "loader_wait_max_ns", .unit = "ns", .doc = "The longest call of next()."},
      {.name = "loader_fetch_ns", .unit = "ns", .doc = "Getting a batch's bytes from storage."},
      {.name = "loader_decode_ns", .unit = "ns", .doc = "Making a batch's tensors from its bytes."},
      {.name = "loader_collate_ns",
       .unit = "ns",
       .doc = "Memory for a batch, and putting samples together."},
      {.name = "loader_transport_ns",
       .unit = "ns",
       .doc = "Handing a batch from worker to consumer."},
      {.name = "loader_pin_ns",
       .unit = "ns",
       .doc = "Copying a batch into page-locked memory, wherever that is done."},
      {.name = "loader_upload_ns",
       .unit = "ns",
       .doc = "The pin thread's own time to begin a batch's copy to the device "
              "(transfer.placement: pin_thread)."},
      {.name = "loader_pinned_bytes",
       .unit = "bytes",
       .doc = "Most page-locked memory that batches held at once."},
      {.name = "loader_next_ns",
       .unit = "ns",
       .doc = "A call of next(), on average: blocked, read, receive, pin and dispatch sum to it."},
      {.name = "loader_next_blocked_ns", .unit = "ns", .doc = "In next(): no batch was there."},
      {.name = "loader_next_stalled_ns",
       .unit = "ns",
       .doc = "Part of blocked: others were finished, but it was not their turn (in_order)."},
      {.name = "loader_next_read_ns",
       .unit = "ns",
       .doc = "In next(): reading the batch itself (num_workers 0)."},
      {.name = "loader_next_receive_ns", .unit = "ns", .doc = "In next(): taking the batch over."},
      {.name = "loader_next_pin_ns",
       .unit = "ns",
       .doc = "In next(): copying into page-locked memory."},
      {.name = "loader_next_dispatch_ns",
       .unit = "ns",
       .doc = "In next(): sending the next task, and the rest."},
      {.name = "python_import_ns",
       .unit = "ns",
       .role = Role::kContext,
       .doc = "`import torch` before the worker began, where a part of the case is written in "
              "Python. No part of set_up_ns."},
      {.name = "loader_skipped_samples",
       .unit = "samples",
       .role = Role::kContext,
       .doc = "Unreadable samples that another one replaced (data.on_error: skip)."},
      {.name = "loader_padding",
       .unit = "ratio",
       .doc = "Share of the tokens of the batches that are padding behind shorter samples."},
      {.name = "loader_epoch_begin_ns",
       .unit = "ns",
       .doc = "Starting an epoch: workers started, first tasks sent. In windows of separate epochs "
              "only."},
      {.name = "loader_epoch_end_ns",
       .unit = "ns",
       .doc = "Ending an epoch: workers joined, unless they persist."},
      {.name = "loader_border_ns",
       .unit = "ns",
       .doc = "From a separate epoch's last batch to the next one's first: end, begin, first "
              "batch."},
      {.name = "loader_queue_thread_wait_ns",
       .unit = "ns",
       .doc = "Engine python: from a batch's end until the worker's queue thread begins to hand it "
              "over, which needs Python's lock (GIL)."},
      {.name = "loader_memory_wait_ns",
       .unit = "ns",
       .doc = "Engine python: part of receive: the training process waits for a worker's thread to "
              "give it the memory of a batch."},
      {.name = "loader_memories",
       .unit = "tensors",
       .doc = "Engine python: tensors of a batch whose memory the training process asks a worker "
              "for, one after the other."},
      {.name = "loader_lost_samples",
       .unit = "samples",
       .doc = "Samples of epochs that the engine ended before their end."},
      {.name = "loader_occupancy",
       .unit = "ratio",
       .direction = kUp,
       .doc = "Share of the calls of next() that found their batch ready."},
      {.name = "loader_queue_depth",
       .unit = "batches",
       .direction = kUp,
       .doc = "Finished batches waiting when next() was called, on average."},
      {.name = "loader_first_wait_ns",
       .unit = "ns",
       .doc = "Part of first_batch_ns that the consumer spent: starting the first epoch, then "
              "waiting. Engine fork starts it before the model is built, so its workers read while "
              "first_batch_ns runs on."},
      {.name = "loader_ready_at_begin",
       .unit = "batches",
       .role = Role::kContext,
       .direction = kNeither,
       .doc = "Finished batches that waited when a window began, summed over the windows: the "
              "window's steps took them and did not wait for their making."},
      {.name = "loader_ready_at_end",
       .unit = "batches",
       .role = Role::kContext,
       .direction = kNeither,
       .doc = "Finished batches that waited when a window ended, summed over the windows: made in "
              "it and not taken."},
      {.name = "loader_held",
       .unit = "batches",
       .direction = kNeither,
       .doc = "Those of them that waited for their turn (in_order), on average."},
  };
  for (Metric& metric : metrics) {
    metric.source = metric.unit == "ns" ? Source::kHostClock : Source::kCounted;
  }
  const auto worker_share = [&](const std::string& part, const std::string& doc) {
    const std::string name = "loader_worker_" + part;
    for (const auto& [ending, of] : {std::pair("", "Share of the workers' time "),
                                     std::pair("_min", "Least share of a worker's time "),
                                     std::pair("_max", "Largest share of a worker's time ")}) {
      metrics.push_back({.name = name + ending,
                         .unit = "ratio",
                         .direction = kNeither,
                         .doc = of + doc,
                         .source = Source::kHostClock});
    }
  };
  worker_share("busy", "spent reading and collating.");
  worker_share("idle", "without a task: workers are faster than the consumer.");
  worker_share("blocked", "spent handing batches over.");
  const auto context = [&](const char* name, const char* unit, const char* doc) {
    metrics.push_back({.name = name,
                       .unit = unit,
                       .role = Role::kContext,
                       .direction = kNeither,
                       .doc = doc,
                       .source = Source::kSystem});
  };
  metrics.push_back({.name = "cpu_s_per_1k_samples",
                     .unit = "s",
                     .doc = "CPU seconds of the worker and its children for 1000 samples.",
                     .source = Source::kSystem});
  context("loader_worker_cpu", "ratio",
          "CPU time of the workers over the time that they lived in the windows; all threads of "
          "a worker process.");
  context("loader_worker_cpu_wait", "ratio",
          "Share of their time that workers could have run and had no CPU.");
  context("training_cpu_wait", "ratio",
          "Share of the windows in which the training thread could have run and had no CPU.");
  context(
      "loader_other_cores", "cores",
      "Cores that other programs used in the windows, other ranks of the job among them, of those "
      "that this one may use.");
  context("loader_storage_bytes", "bytes",
          "Bytes of a batch that came from storage and not from the page cache.");
  context("loader_storage_pressure", "ratio",
          "Share of the windows in which some program of the machine waited for storage (PSI).");
  context("data_set_files", "files", "Files of the data set.");
  context("data_set_bytes", "bytes", "Bytes of these files: what storage holds.");
  context("data_set_samples", "samples", "Samples in the data set, where it can be asked.");
  context("data_record_bytes", "bytes",
          "Bytes of a sample's file, on average, where each has one of its own.");
  context("data_record_bytes_sd", "bytes", "Standard deviation of data_record_bytes.");
  context("tree_minor_faults", "faults",
          "Page faults served from memory, of the worker and its children, in the windows.");
  context("tree_major_faults", "faults",
          "Page faults served from disk, of the worker and its children, in the windows.");
  context("tree_voluntary_switches", "switches",
          "Times that the worker or a child gave up a CPU to wait.");
  context("tree_involuntary_switches", "switches",
          "Times that the worker or a child was taken off a CPU.");
  metrics.push_back({.name = "python_compiled_graphs",
                     .unit = "graphs",
                     .role = Role::kContext,
                     .direction = kNeither,
                     .doc = "What torch.compile compiled in the process, from its start on.",
                     .source = Source::kCounted,
                     .exact = true});
  metrics.push_back({.name = "python_recompiled_graphs",
                     .unit = "graphs",
                     .doc = "What torch.compile compiled inside the windows; their steps hold its "
                            "time.",
                     .source = Source::kCounted,
                     .exact = true});
  metrics.push_back({.name = "python_gil_wait_ns",
                     .unit = "ns",
                     .doc = "Waiting for Python's lock (GIL) where next(), forward() or step() "
                            "begins, per batch: threads of the user's code hold it.",
                     .source = Source::kHostClock});
  context("open_descriptors", "descriptors", "Open in the worker at the end of the last window.");
  return metrics;
}

}  // namespace stepbench::loader
