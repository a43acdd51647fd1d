// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/memory_ops.h"

namespace stepbench::ops {

void find_innermost_ops(OpLog& log) {
  std::vector<std::uint32_t> open;
  std::uint32_t op = 0;
  std::uint32_t thread = kNoIndex;
  for (MemoryEvent& event : log.memory) {
    if (event.thread != thread) open.clear();
    thread = event.thread;
    for (; op < log.ops.size() &&
           (log.ops[op].thread < thread ||
            (log.ops[op].thread == thread && log.ops[op].start_ns <= event.at_ns));
         ++op) {
      if (log.ops[op].thread == thread) open.push_back(op);
    }
    while (!open.empty() && log.ops[open.back()].end_ns < event.at_ns) open.pop_back();
    if (!open.empty()) event.op = open.back();
  }
}

}  // namespace stepbench::ops
