// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/cpu_threads.h"

#include <algorithm>

#include "harness/text/words.h"

namespace stepbench::machine {

std::optional<Finding> crowded_threads(std::int64_t intra_op, std::int64_t cores) {
  if (intra_op <= std::max<std::int64_t>(cores, 1)) return std::nullopt;
  return Finding{.id = "threads.oversubscribed",
                 .severity = Severity::kWarning,
                 .text = text::counted(intra_op, "thread") + " share each operation, on " +
                         text::counted(cores, "core") +
                         ": an operation ends when its last thread has had its turn",
                 .value = static_cast<double>(intra_op),
                 .threshold = static_cast<double>(cores),
                 .unit = "threads",
                 .evidence = {"forward_ns", "backward_ns", "window_run_queue_wait_ns"},
                 .remedy = "No more threads than cores; fewer where workers of a loader need some.",
                 .set = {{.option = "threads.intra_op", .value = std::to_string(cores)}}};
}

}  // namespace stepbench::machine
