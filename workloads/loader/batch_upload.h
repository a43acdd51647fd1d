// SPDX-License-Identifier: Apache-2.0
// What a pin thread does with a pinned batch beyond handing it on.
#pragma once

#include <memory>

#include "workloads/data/batch.h"

namespace stepbench::loader {

// What the loader's pin thread does with a batch once it is pinned: begins its copy to a device.
// Given to a loader by whoever knows the device, and outlives it. Never called by two threads at
// once; each epoch may bring another thread.
class BatchUpload {
 public:
  BatchUpload() = default;
  BatchUpload(const BatchUpload&) = delete;
  BatchUpload& operator=(const BatchUpload&) = delete;
  virtual ~BatchUpload() = default;

  virtual void enter_thread() {}  // called once by a thread of its own, before upload()
  // Becomes Batch::device_copy. What it throws is the batch's error.
  [[nodiscard]] virtual std::shared_ptr<const void> upload(const Batch& pinned) = 0;
};

}  // namespace stepbench::loader
