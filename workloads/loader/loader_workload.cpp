// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/loader_workload.h"

#include "workloads/loader/batch_marks.h"

namespace stepbench::loader {

std::optional<std::string> LoaderWorkload::set_up() {
  pipeline_.open(std::move(pinned_));
  return std::nullopt;
}

std::int64_t LoaderWorkload::steps_per_epoch() const {
  return pipeline_.batches_per_epoch() / batches_per_step_;
}

void LoaderWorkload::step(StepRecorder& step) {
  for (std::int64_t i = 0; i < batches_per_step_; ++i) {
    const Batch batch = pipeline_.next(step);
    BatchMarks(batch).put_on(step);
    if (batch.padding) step.add(Count::kTokens, batch.elements() - *batch.padding);
  }
  if (!loader_only_) emulated_.run(step);
}

}  // namespace stepbench::loader
