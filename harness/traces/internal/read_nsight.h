// SPDX-License-Identifier: Apache-2.0
// Reads the SQLite export of an Nsight Systems report (`nsys export --type sqlite REPORT`) into a
// Trace. Supports any version: absent tables and columns are skipped. read_trace calls it for such
// files.
#pragma once

#include <filesystem>
#include <string_view>

#include "harness/traces/trace.h"

namespace stepbench::traces {

// Reads kernels, copies, sets, whole graphs, runtime and driver calls, waits and NVTX ranges.
// Ranges become what torch's profiler would have recorded:
//   "ProfilerStep#7", "step 7", "iteration_7", "train step: 7"  the step 7
//   "step", "train_step", "iteration", repeated                  steps, counted from 0 by time
//   "data_wait", "dataloader", "data loading", "next_batch"      a wait for data
//   "aten::mm, seq = 3, op_id = 9" of emit_nvtx                  an operator
//   anything else                                                an annotation
// Operating system threads and CPU samples are counted as discarded. Throws ConfigError if the
// database is damaged or not such an export.
[[nodiscard]] Trace read_nsight(const std::filesystem::path& path);

// Returns the step of a range's name; -1: not a step, or without a number.
[[nodiscard]] std::int64_t step_of_range(std::string_view name);
[[nodiscard]] bool is_step_range(std::string_view name);  // a step without a number
[[nodiscard]] bool is_data_range(std::string_view name);

}  // namespace stepbench::traces
