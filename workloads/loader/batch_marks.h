// SPDX-License-Identifier: Apache-2.0
// The contribution of a batch to a step's record: samples, bytes, whether it is partial.
#pragma once

#include <cstdint>

#include "harness/measure/step_recorder.h"
#include "workloads/data/batch.h"

namespace stepbench::loader {

// The contribution of a batch to the step that uses it, which may be a later step than the one that
// took the batch from the loader.
struct BatchMarks {
  BatchMarks() = default;
  explicit BatchMarks(const Batch& batch)
      : samples(batch.size),
        bytes(static_cast<std::int64_t>(batch.bytes())),
        padding(batch.padding.value_or(0)),
        partial(batch.partial) {}

  void put_on(StepRecorder& step) const {
    step.add(Count::kSamples, samples);
    step.add(Count::kBytes, bytes);
    if (partial) step.partial_batch();
  }

  std::int64_t samples = 0;
  std::int64_t bytes = 0;
  std::int64_t padding = 0;  // elements of the first field that belong to no sample
  bool partial = false;
};

}  // namespace stepbench::loader
