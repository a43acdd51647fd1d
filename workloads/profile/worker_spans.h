// SPDX-License-Identifier: Apache-2.0
// What a loader's workers did, as spans of the profile.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/ops/op_log.h"
#include "workloads/loader/worker_spans.h"

namespace stepbench::profile {

// Keeps what the loader's workers did while it listens, or the step thread in their place: as
// tracks of their own.
class WorkerSpans final : public loader::WorkerSpanListener {
 public:
  ~WorkerSpans() override { listen(false); }
  void listen(bool on);
  void batch(std::int64_t pid, int worker, const loader::BatchCost& cost) override {
    batches_.push_back({pid, worker, cost});
  }
  void clear() { batches_.clear(); }

  // Batches that ended after `from_ns`, as fetch, decode and collate one after another: a reader
  // adds up what each of them took. `offset_ns`: the log's clock less HostClock.
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
