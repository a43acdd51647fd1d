// SPDX-License-Identifier: Apache-2.0
// What a workload that knows its device supplies to a loader: page-locked memory for batches, and
// the copy that a pin thread begins.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "workloads/data/batch.h"

namespace stepbench::loader {

// Page-locked memory, from which copies to a device can be asynchronous. Supplied by the code that
// knows the device. Any thread.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  virtual ~PinnedMemory() = default;

  virtual void enter_thread() {}  // called once on a dedicated thread, before allocate()
  // Released with the last copy of the pointer, which may outlive this object. Throws if none is
  // available.
  [[nodiscard]] virtual std::shared_ptr<void> allocate(std::size_t bytes) = 0;

  // allocate(), counted.
  [[nodiscard]] std::shared_ptr<void> take(std::size_t bytes);
  [[nodiscard]] std::int64_t peak_bytes() const { return use_->peak; }  // held by batches at once

 private:
  struct Use {
    std::atomic<std::int64_t> bytes = 0;
    std::atomic<std::int64_t> peak = 0;
  };
  std::shared_ptr<Use> use_ = std::make_shared<Use>();  // blocks in use may outlive this object
};

// Copies the batch into pinned memory, one block per field, as Python pins tensor by tensor.
[[nodiscard]] Batch pinned_copy(const Batch& batch, PinnedMemory& memory);

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
