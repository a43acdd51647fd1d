// SPDX-License-Identifier: Apache-2.0
// Activity of a loader's workers, as spans of the profile.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/ops/op_log.h"
#include "workloads/loader/worker_spans.h"

namespace stepbench::profile {

// Records the activity of the loader's workers, or of the step thread without workers, while
// listening: as separate tracks.
class WorkerSpans final : public loader::WorkerSpanListener {
 public:
  ~WorkerSpans() override { listen(false); }
  void listen(bool on);
  void batch(std::int64_t pid, int worker, const loader::BatchCost& cost) override {
    batches_.push_back({pid, worker, cost});
  }
  void clear() { batches_.clear(); }

  // Adds batches that ended after `from_ns`, as fetch, decode and collate in sequence: a reader
  // sums up the time of each. `offset_ns`: the log's clock minus HostClock.
  void add_to(ops::OpLog& log, std::int64_t from_ns, std::int64_t offset_ns) const;

 private:
  struct Made {
    std::int64_t pid = 0;  // 0: this process
    int worker = 0;
    loader::BatchCost cost;
  };
  std::vector<Made> batches_;
};

}  // namespace stepbench::profile
