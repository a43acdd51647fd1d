// SPDX-License-Identifier: Apache-2.0
// Writes an op log as a Chrome trace in torch.profiler's format, for Perfetto, chrome://tracing,
// torch-tb-profiler and HolisticTraceAnalysis.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/trace/trace_of.h"

namespace stepbench::trace {

// Steps become rows ProfilerStep#N, data_wait becomes enumerate(DataLoader)#<loader>.__next__ and
// other phases stepbench::<phase>, all on the step thread; each foreign process has its own track.
// A path that ends in .gz is compressed. The file appears complete or not at all. Throws Error.
void write_trace(const ops::OpLog& log, const TraceHeader& header,
                 const std::filesystem::path& path);

// "worker.1700000000000.pt.trace.json.gz": readers find traces by this suffix.
[[nodiscard]] std::string trace_file_name(const std::string& worker, std::int64_t unix_ms,
                                          bool compressed);

}  // namespace stepbench::trace
