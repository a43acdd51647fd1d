// SPDX-License-Identifier: Apache-2.0
// Files of traces: reads a profiler's file into a Trace, converts the records of a collector into a
// Trace, and writes a Trace as a file for Perfetto, chrome://tracing, torch-tb-profiler and
// HolisticTraceAnalysis. A file is streamed: memory is that of the trace, about 70 bytes per row,
// plus 1 MiB of text. One thread per file; several files may be read concurrently.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/ops/op_log.h"
#include "harness/traces/trace.h"

namespace stepbench::traces {

struct ReadOptions {
  // Limits that bound the work: a small file may unpack to any size. Larger files are rejected.
  std::uint64_t max_text_bytes = std::uint64_t{16} << 30;  // unpacked
  std::int64_t max_rows = 50'000'000;
};

// Reads a Chrome trace of torch.profiler (Kineto) or stepbench, plain or gzip as its first bytes
// show: an object with traceEvents, or the bare array. Also reads the SQLite export of an Nsight
// Systems report. Skipped content is recorded in Trace::reading. Throws ConfigError in one sentence
// with path and byte offset for a truncated or damaged file, or another kind of file.
[[nodiscard]] Trace read_trace(const std::filesystem::path& path, const ReadOptions& options = {});

// Returns files as they are, a folder's traces sorted by name, and a run's traces from its traces/
// folder; of a folder only those of the case, if one is given. Throws ConfigError for a path that
// does not exist and for a folder without traces.
[[nodiscard]] std::vector<std::filesystem::path> trace_paths(const std::vector<std::string>& paths,
                                                             const std::string& case_id);

// True for such an export. Both it and a history are SQLite files; the table StringIds identifies
// it. False for a missing file; throws ConfigError for a damaged one.
[[nodiscard]] bool is_nsight_export(const std::filesystem::path& path);

// Converts the records of a collector into the form of all traces, for tables, analyses and the
// file of a launch. Pure.

// Values that the log does not contain.
struct TraceHeader {
  std::string engine = {};  // native | kineto
  int rank = 0;
  int world = 1;
  std::string backend = {};         // c10d backend: gloo | nccl; empty: unknown, or one process
  std::int64_t unix_offset_ns = 0;  // log time + this = ns since 1970
  bool shapes = false;
  bool memory = false;
  std::string loader = "StepbenchLoader";  // class name used for data_wait rows
  std::vector<ops::TraceDevice> devices = {};
  std::vector<std::pair<std::string, std::string>> own = {};  // under the key "stepbench"
};

// Steps become rows ProfilerStep#N, data_wait becomes enumerate(DataLoader)#<loader>.__next__ and
// other phases stepbench::<phase>, all on the step thread; each foreign process has its own track.
// Records without times are omitted. Equals read_trace() of what write_trace() writes, except for
// facts of the file, waits of the device, and ops that ended on another thread.
[[nodiscard]] Trace trace_of(const ops::OpLog& log, const TraceHeader& header = {});

// Writes a launch's trace as a Chrome trace in torch.profiler's format, for Perfetto,
// chrome://tracing, torch-tb-profiler and HolisticTraceAnalysis.

// A path that ends in .gz is compressed. The file appears complete or not at all. Throws Error.
void write_trace(const Trace& trace, const std::filesystem::path& path);

// "worker.1700000000000.pt.trace.json.gz": readers find traces by this suffix.
[[nodiscard]] std::string trace_file_name(const std::string& worker, std::int64_t unix_ms,
                                          bool compressed);

}  // namespace stepbench::traces
