// SPDX-License-Identifier: Apache-2.0
// Uploads pinned batches from the pin thread.
#pragma once

#include <memory>

#include "workloads/data/batch.h"

namespace stepbench::loader {

// Begins the copy of a pinned batch to a device, on the loader's pin thread. Supplied by the code
// that knows the device; must outlive the loader. Never called by two threads at once, but each
// epoch may use a different thread.
class BatchUpload {
 public:
  BatchUpload() = default;
  BatchUpload(const BatchUpload&) = delete;
  BatchUpload& operator=(const BatchUpload&) = delete;
  virtual ~BatchUpload() = default;

  virtual void enter_thread() {}  // called once on a dedicated thread, before upload()
  // The result becomes Batch::device_copy. An exception becomes the batch's error.
  [[nodiscard]] virtual std::shared_ptr<const void> upload(const Batch& pinned) = 0;
};

}  // namespace stepbench::loader
