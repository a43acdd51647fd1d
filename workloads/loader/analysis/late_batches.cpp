// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/analysis/late_batches.h"

#include "harness/text/numbers.h"

namespace stepbench::loader {

std::string late_for(const LoaderFacts& facts, const LoaderAnalysis& r) {
  std::string text;
  const double queued_ns =
      static_cast<double>(facts.measured.queue_thread_wait_ns.value_or(0)) / r.calls;
  if (queued_ns >= kMinGilWaitNs) {
    text += "; a finished batch waits " + text::duration(queued_ns) +
            " for its worker's lock (GIL) or for a CPU";
  }
  const double of_training = r.training_waited.value_or(0);
  if (of_training >= kMinWaitForCpu) {
    text +=
        "; the training thread waits " + text::percent_text(of_training) + " of its time for a CPU";
  }
  return text;
}

}  // namespace stepbench::loader
