// SPDX-License-Identifier: Apache-2.0
// The SQLite export of an Nsight Systems report -> Trace: `nsys export --type sqlite REPORT`. Of
// any version: tables and columns that are absent are gone without. read_trace calls it for such
// files.
#pragma once

#include <filesystem>
#include <string_view>

#include "harness/trace/trace.h"

namespace stepbench::trace {

// Kernels, copies, sets, whole graphs, calls of runtime and driver, waits, NVTX ranges. Ranges
// become what a profiler of torch would have recorded:
//   "ProfilerStep#7", "step 7", "iteration_7", "train step: 7"  the step 7
//   "step", "train_step", "iteration" again and again            steps, counted from 0 by time
//   "data_wait", "dataloader", "data loading", "next_batch"       a wait for data
//   "aten::mm, seq = 3, op_id = 9" of emit_nvtx                   an operator
//   anything else                                                 an annotation
// Threads of the operating system and samples of the processor are counted as not kept. Throws
// ConfigError for a database that is no such export, or is damaged.
[[nodiscard]] Trace read_nsight(const std::filesystem::path& path);

// The step of a range's name; -1: it has no number, or is no step.
[[nodiscard]] std::int64_t step_of_range(std::string_view name);
[[nodiscard]] bool is_step_range(std::string_view name);  // without a number
[[nodiscard]] bool is_data_range(std::string_view name);

}  // namespace stepbench::trace
