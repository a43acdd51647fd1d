// SPDX-License-Identifier: Apache-2.0
// Reads a profiler's file into a Trace. The file is streamed: memory is that of the trace, about 70
// bytes per row, plus 1 MiB of text. One pass, one thread; several files may be read concurrently.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/trace/trace.h"

namespace stepbench::trace {

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

// Keys of a trace file other than traceEvents. Ignored if of another type or damaged.

// `json`: the value as it appears in the file.
void take_header_value(std::string_view key, std::string_view json, Trace& to);

// Identifies a JSON file without traceEvents by its keys: "an execution trace of PyTorch".
[[nodiscard]] std::string kind_of_other_file(const std::vector<std::string>& keys);

}  // namespace stepbench::trace
