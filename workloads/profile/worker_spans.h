// SPDX-License-Identifier: Apache-2.0
// What a loader's worker threads did, as spans of the profile.
#pragma once

#include <utility>
#include <vector>

#include "harness/ops/op_log.h"
#include "workloads/loader/worker_spans.h"

namespace stepbench {

// Keeps what the loader's worker processes did while it listens: as tracks of their own.
class WorkerSpans final : public WorkerSpanListener {
 public:
  ~WorkerSpans() override { listen(false); }
  void listen(bool on);
  void batch(std::int64_t pid, const BatchCost& cost) override { batches_.emplace_back(pid, cost); }
  void clear() { batches_.clear(); }

  // Batches that ended after `from_ns`, as fetch, decode and collate one after another: a reader
  // adds up what each of them took. `offset_ns`: the log's clock less HostClock.
  void add_to(OpLog& log, std::int64_t from_ns, std::int64_t offset_ns) const;

 private:
  std::vector<std::pair<std::int64_t, BatchCost>> batches_;
};

}  // namespace stepbench
