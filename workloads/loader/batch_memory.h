// SPDX-License-Identifier: Apache-2.0
// Memory for batches: fresh or pooled (loader.buffers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/loader/batch_layout.h"

namespace stepbench::loader {

// Allocates memory for each batch, or takes it from a pool to which it returns. A batch may outlive
// this object. Any thread.
class BatchMemory {
 public:
  BatchMemory(std::vector<FieldSpec> fields, std::int64_t batch_size, bool reuse);

  // Returns a batch of `size` samples in uninitialised memory, every field aligned to a cache line.
  // Throws std::bad_alloc.
  [[nodiscard]] Batch take(std::int64_t size) const;

 private:
  struct Pool;
  BatchLayout layout_;
  std::shared_ptr<Pool> pool_;  // null: allocate for each batch
};

}  // namespace stepbench::loader
