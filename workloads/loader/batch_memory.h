// SPDX-License-Identifier: Apache-2.0
// Memory of batches: fresh, or from a pool (loader.buffers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/loader/batch_layout.h"

namespace stepbench::loader {

// Where batches get their memory: allocated for each one, or taken from a pool to which it returns.
// A batch may outlive this object. Any thread.
class BatchMemory {
 public:
  BatchMemory(std::vector<FieldSpec> fields, std::int64_t batch_size, bool reuse);

  // Uninitialised memory for `size` samples, every field aligned to a cache line. Throws
  // std::bad_alloc.
  [[nodiscard]] Batch take(std::int64_t size) const;

 private:
  struct Pool;
  BatchLayout layout_;
  std::shared_ptr<Pool> pool_;  // null: fresh
};

}  // namespace stepbench::loader
