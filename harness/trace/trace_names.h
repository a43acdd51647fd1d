// SPDX-License-Identifier: Apache-2.0
// Private to the room: how the rows of an op log are named and which there are, for the writer of
// files and for trace_of alike. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/ops/op_log.h"
#include "harness/trace/write_trace.h"

namespace stepbench::trace {

inline constexpr std::string_view kWorkerProcess = "stepbench-worker";
inline constexpr std::string_view kLoaderWorker = "loader worker";
inline constexpr std::string_view kStepLoader = "loader, in the step thread";
inline constexpr std::string_view kProfilerSpan = "PyTorch Profiler (0)";
inline constexpr std::string_view kProfilerLane = "Spans PyTorch Profiler";  // pid and tid

[[nodiscard]] std::string thread_text(const ops::OpThread& thread);
[[nodiscard]] std::string stream_text(std::uint32_t stream);
[[nodiscard]] std::string loader_process_text(std::int64_t pid);
[[nodiscard]] std::string loader_track_text(std::int64_t tid);

// Steps are ProfilerStep#N. data_wait is an op, because torch-tb-profiler passes over annotations
// other than steps.
struct MarkRow {
  bool annotation = true;
  std::string name;
};
[[nodiscard]] MarkRow row_of_mark(const ops::OpLog& log, const ops::StepMark& mark,
                                  std::string_view loader);

[[nodiscard]] bool has_a_row(const ops::DeviceActivity& activity);
[[nodiscard]] std::int64_t window_end_ns(const ops::OpLog& log);  // of the last record
[[nodiscard]] const ops::TraceDevice* device_of(const TraceHeader& header,
                                                const ops::DeviceActivity& activity);

}  // namespace stepbench::trace
