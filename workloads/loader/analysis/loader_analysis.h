// SPDX-License-Identifier: Apache-2.0
// The steady-state model of a loader's measured windows.
#pragma once

#include <cstdint>
#include <string_view>

#include "workloads/loader/analysis/loader_facts.h"

namespace stepbench::loader {

// The numbers that the rules of loader_findings.h share. Needs calls of next() and elapsed time.
class LoaderAnalysis {
 public:
  struct Part {
    std::string_view name;  // in a sentence
    std::string_view metric;
    double ns = 0;
  };

  explicit LoaderAnalysis(const LoaderFacts& facts);

  [[nodiscard]] std::int64_t workers() const { return facts_.options.num_workers; }
  [[nodiscard]] double utilisation() const { return worker_ns > 0 ? busy_ns / worker_ns : 0; }
  // Waiting for storage leaves the cores free: more workers than cores then overlap their waits.
  [[nodiscard]] bool waits_for_storage() const;
  // `workload: loader`: the consumer only takes batches, so the loader is the limit by design.
  [[nodiscard]] bool consumer_is_idle() const { return consumer_ns < 0.01 * step_ns; }
  // As few workers as keep up with the consumer, of those that can help.
  [[nodiscard]] std::int64_t workers_that_keep_up() const;
  // Of the time, by the steady-state model.
  [[nodiscard]] double gain_with(std::int64_t workers) const;

  double calls = 0;
  double elapsed_ns = 0;
  double wait_ns = 0;
  double wait_share = 0;  // of the time; waits at epoch borders are not among them
  double busy_ns = 0;
  double worker_ns = 0;
  Part largest;            // of what was done for the batches
  double batch_ns = 0;     // one worker's time for a batch
  double consumer_ns = 0;  // the consumer's own time for a step
  double step_ns = 0;
  double cores_used = 0;    // share of the cores' time
  double steady_share = 1;  // of the time: all but epoch borders

 private:
  const LoaderFacts& facts_;
};

}  // namespace stepbench::loader
