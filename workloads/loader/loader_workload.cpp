// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/loader_workload.h"

#include "workloads/loader/batch_marks.h"

namespace stepbench::loader {

std::optional<std::string> LoaderWorkload::set_up() {
  pipeline_.open(std::move(pinned_));
  return std::nullopt;
}

std::int64_t LoaderWorkload::steps_per_epoch() const { return pipeline_.batches_per_epoch(); }

void LoaderWorkload::step(StepRecorder& step) { BatchMarks(pipeline_.next(step)).put_on(step); }

}  // namespace stepbench::loader
