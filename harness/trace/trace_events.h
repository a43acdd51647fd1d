// SPDX-License-Identifier: Apache-2.0
// Private to the trace writer: what its parts share while one file is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/ops/op_log.h"
#include "harness/trace/trace_file.h"
#include "harness/trace/write_trace.h"

namespace stepbench::trace {

class TraceEvents {
 public:
  TraceEvents(const ops::OpLog& log, const TraceHeader& header, TraceFile& file);

  void host();      // steps, phases, ops, runtime calls, memory, foreign processes
  void device();    // kernels, copies, sets, and the arrows from their calls
  void metadata();  // names of processes and threads

 private:
  // `{"ph":"X","cat":CAT,"name":NAME,"pid":PID,"tid":TID,"ts":TS,"dur":DUR`, without the brace that
  // closes it. `category` holds its quotes, and so does `name`.
  TraceFile& open(std::string_view category, std::string_view name, std::int64_t pid,
                  std::int64_t tid, std::int64_t start_ns, std::int64_t end_ns);
  void separate();
  void step_annotations();
  void annotation(std::string_view category, std::string_view name, const ops::StepMark& mark);
  void ops();
  void op_arguments(std::size_t index);
  void calls();
  void memory();
  void foreign();
  void arrows_to_backward();
  void device_row(const ops::DeviceActivity& activity);
  void kernel_arguments(const ops::DeviceActivity& activity);
  void arrow_to_device(const ops::DeviceActivity& call, const ops::DeviceActivity& work);
  void arrow_end(std::string_view phase, std::string_view category, std::uint64_t id,
                 std::int64_t pid, std::int64_t tid, std::int64_t at_ns);
  void label(std::string_view what, std::string_view pid, std::int64_t tid, std::string_view key,
             std::string_view value);
  void name_process(std::string_view pid, std::string_view name, std::string_view labels,
                    std::int64_t order);
  void window();

  [[nodiscard]] std::int64_t thread_id(std::uint32_t thread) const;
  [[nodiscard]] std::int64_t call_thread(const ops::DeviceActivity& call) const;

  const ops::OpLog& log_;
  const TraceHeader& header_;
  TraceFile& file_;
  std::int64_t base_ns_;
  std::vector<std::string> names_;      // as JSON
  std::vector<std::string> shapes_;     // as JSON
  std::vector<std::string> arguments_;  // by index of shapes_, as JSON; empty: none
  bool first_ = true;
};

}  // namespace stepbench::trace
