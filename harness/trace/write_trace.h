// SPDX-License-Identifier: Apache-2.0
// An op log -> a Chrome trace in the format of torch.profiler: for Perfetto, chrome://tracing,
// torch-tb-profiler and HolisticTraceAnalysis.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/ops/op_log.h"
#include "harness/ops/trace_device.h"

namespace stepbench::trace {

struct TraceHeader {
  std::string engine = {};  // native | kineto
  int rank = 0;
  int world = 1;
  std::string backend = {};         // of c10d: gloo | nccl; empty: not known, or one process
  std::int64_t unix_offset_ns = 0;  // the log's clock + this = ns since 1970
  bool shapes = false;
  bool memory = false;
  std::string loader = "StepbenchLoader";  // the class that rows of data_wait name
  std::vector<ops::TraceDevice> devices = {};
  std::vector<std::pair<std::string, std::string>> own = {};  // under the key "stepbench"
};

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
