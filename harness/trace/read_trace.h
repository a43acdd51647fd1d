// SPDX-License-Identifier: Apache-2.0
// A profiler's file -> Trace. The file is streamed: memory is that of the trace, about 70 bytes for
// a row, and 1 MiB of text. One pass, one thread; reads of several files may run at once.
#pragma once

#include <cstdint>
#include <filesystem>

#include "harness/trace/trace.h"

namespace stepbench::trace {

struct ReadOptions {
  // More is refused, so that a read ends: a small file may unpack to any size.
  std::uint64_t max_text_bytes = std::uint64_t{16} << 30;  // unpacked
  std::int64_t max_rows = 50'000'000;
};

// A Chrome trace of torch.profiler (Kineto) or ours, plain or gzip as its first bytes say: an
// object with traceEvents, or the bare array. Or the SQLite export of an Nsight Systems report.
// What it had to pass over stands in Trace::reading. Throws ConfigError in one sentence with path
// and byte for what is no whole trace: cut, damaged, another kind of file.
[[nodiscard]] Trace read_trace(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace stepbench::trace
