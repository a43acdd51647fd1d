// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "harness/workload.h"
#include "workloads/loader/loader.h"

namespace stepbench {

// An endless stream of batches over epochs, and the one place where data_wait is measured: the phase spans the
// loader's next() alone. When an epoch ends inside a step the next one starts at once; that step is marked
// first_of_epoch() and adds its samples and bytes to the step's counts. Main thread.
class BatchStream {
 public:
  BatchStream(Loader& loader, WorkerContext& context) : loader_(loader), context_(context) {}

  // Throws Error when an epoch yields no batch at all.
  [[nodiscard]] Batch next(StepRecorder& step);
  [[nodiscard]] std::int64_t epoch() const { return epoch_; }

 private:
  Loader& loader_;
  WorkerContext& context_;
  std::int64_t epoch_ = -1;
};

}  // namespace stepbench
