// SPDX-License-Identifier: Apache-2.0
// A trace as lines of text, so that two can be compared and a difference read. Shows what indices
// refer to instead of the indices.
#pragma once

#include "harness/traces/trace.h"
#include "tests/testing.h"

namespace stepbench {

inline void append_op(std::ostream& out, const traces::Trace& trace, const traces::OpDetail& op) {
  out << " shapes=" << trace.text(op.shapes) << " types=" << trace.text(op.types)
      << " arguments=" << trace.text(op.arguments) << " module=" << trace.text(op.module)
      << " stack=" << trace.text(op.stack) << " forward=" << op.forward_thread;
}

inline void append_kernel(std::ostream& out, const traces::Trace& trace,
                          const traces::KernelDetail& kernel) {
  for (const std::int32_t extent : kernel.grid) out << ' ' << extent;
  for (const std::int32_t extent : kernel.block) out << ' ' << extent;
  out << " registers=" << kernel.registers_per_thread << " shared=" << kernel.shared_memory_bytes
      << " blocks=" << kernel.blocks_per_sm << " warps=" << kernel.warps_per_sm
      << " occupancy=" << kernel.occupancy_percent << " context=" << kernel.context;
  if (kernel.collective == ops::kNoIndex) return;
  const traces::CollectiveDetail& collective = trace.collectives[kernel.collective];
  out << ' ' << trace.text(collective.name) << ' ' << trace.text(collective.dtype) << ' '
      << trace.text(collective.group) << ' ' << collective.in_elements << ' '
      << collective.out_elements << ' ' << collective.group_size;
}

// Lanes, rows and memory.
inline std::string rows_text(const traces::Trace& trace) {
  std::ostringstream out;
  for (const traces::TraceLane& lane : trace.lanes) {
    out << "lane " << static_cast<int>(lane.kind) << " pid " << lane.pid << " tid " << lane.tid
        << " device " << lane.device << " stream " << lane.stream << " '" << lane.name << "' '"
        << lane.process_name << "'\n";
    for (const traces::TraceEvent& event : lane.events) {
      out << "  " << name_of(event.kind) << ' ' << event.start_ns << ' ' << event.end_ns << " '"
          << trace.name_of(event) << "' correlation " << event.correlation << " external "
          << event.external << " value " << event.value << (event.negative ? " negative" : "");
      if (const traces::OpDetail* op = trace.op_detail(event)) append_op(out, trace, *op);
      if (const traces::KernelDetail* kernel = trace.kernel_detail(event)) {
        append_kernel(out, trace, *kernel);
      }
      out << '\n';
    }
  }
  for (const traces::TraceMemory& memory : trace.memory) {
    out << "memory " << memory.at_ns << ' ' << memory.bytes << ' ' << memory.address << ' '
        << memory.total_allocated << ' ' << memory.total_reserved << " device " << memory.device
        << " tid " << trace.lanes[memory.lane].tid << '\n';
  }
  return out.str();
}

inline std::string header_text(const traces::Trace& trace) {
  std::ostringstream out;
  out << "base " << trace.base_ns.value_or(-1) << " rank " << trace.rank.value_or(-1) << " of "
      << trace.world.value_or(-1) << " shapes " << trace.with_shapes.value_or(false) << " memory "
      << trace.with_memory.value_or(false) << " own " << trace.own << " dropped " << trace.dropped
      << " resolution " << trace.resolution_ns << '\n';
  for (const ops::TraceDevice& device : trace.devices) {
    out << "device " << device.id << ' ' << device.name << ' ' << device.total_memory_bytes << ' '
        << device.compute_major << '.' << device.compute_minor << ' '
        << device.max_threads_per_block << ' ' << device.max_threads_per_multiprocessor << ' '
        << device.registers_per_block << ' ' << device.warp_size << ' '
        << device.shared_memory_per_block << ' ' << device.multiprocessors << '\n';
  }
  for (const auto& [key, value] : trace.own_facts) out << key << " = " << value << '\n';
  return out.str();
}

// The first line in which the rows or the headers of two traces differ; empty if they are equal.
inline std::string difference(const std::string& a, const std::string& b) {
  std::istringstream left(a);
  std::istringstream right(b);
  for (std::string x, y;;) {
    const bool more_left = static_cast<bool>(std::getline(left, x));
    const bool more_right = static_cast<bool>(std::getline(right, y));
    if (!more_left && !more_right) return {};
    if (!more_left) x = "(nothing)";
    if (!more_right) y = "(nothing)";
    if (x != y) return x + "\n  where the other has\n" + y;
  }
}

}  // namespace stepbench
