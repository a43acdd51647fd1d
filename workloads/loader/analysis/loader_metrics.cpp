// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "workloads/loader/analysis/loader_report.h"

namespace stepbench::loader {

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
