// SPDX-License-Identifier: Apache-2.0
// An op log -> a Chrome trace in the format of torch.profiler: for Perfetto, chrome://tracing,
// torch-tb-profiler and HolisticTraceAnalysis.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/trace/trace_of.h"

namespace stepbench::trace {

// Steps are rows ProfilerStep#N, data_wait is enumerate(DataLoader)#<loader>.__next__ and the other
// phases stepbench::<phase>, all on the step thread; a foreign process has a track of its own. A
// path that ends in .gz is compressed. The file appears whole under its name, or not at all: throws
// Error naming path and reason.
void write_trace(const ops::OpLog& log, const TraceHeader& header,
                 const std::filesystem::path& path);

// "worker.1700000000000.pt.trace.json.gz": readers find traces by this ending.
[[nodiscard]] std::string trace_file_name(const std::string& worker, std::int64_t unix_ms,
                                          bool compressed);

}  // namespace stepbench::trace
