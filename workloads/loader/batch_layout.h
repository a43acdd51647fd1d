// SPDX-License-Identifier: Apache-2.0
// Memory layout of the fields of a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/data/batch.h"

namespace stepbench::loader {

// Lays out the fields of a batch in one block of memory, one after the other, each aligned to a
// cache line.
class BatchLayout {
 public:
  BatchLayout(std::vector<FieldSpec> fields, std::int64_t batch_size);

  // Returns a batch of `size` samples over `memory`, which must have room for bytes() or be null.
  [[nodiscard]] Batch place(std::byte* memory, std::int64_t size,
                            std::shared_ptr<void> owner) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }  // of a full batch
  [[nodiscard]] std::int64_t batch_size() const { return batch_size_; }
  [[nodiscard]] const std::vector<SharedSpec>& fields() const { return fields_; }

 private:
  std::vector<SharedSpec> fields_;
  std::vector<std::size_t> offsets_;
  std::int64_t batch_size_;
  std::size_t bytes_ = 0;
};

}  // namespace stepbench::loader
