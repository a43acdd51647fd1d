// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <deque>

#include "workloads/data/batch.h"

namespace stepbench {

// A non-blocking copy reads the host memory later: batches are kept until their copies have passed.
// Main thread only.
class BatchesInFlight {
 public:
  explicit BatchesInFlight(c10::Device device) : device_(device) {}

  void keep(const Batch& batch, c10::Stream copies) {
    release();
    InFlight& copy = batches_.emplace_back(InFlight{c10::Event(device_.type()), batch});
    copy.copied.record(copies);
  }
  void release() {
    while (!batches_.empty() && batches_.front().copied.query()) batches_.pop_front();
  }

 private:
  struct InFlight {
    c10::Event copied;
    Batch source;
  };
  c10::Device device_;
  std::deque<InFlight> batches_;
};

}  // namespace stepbench
