// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stepbench {

enum class DType : std::uint8_t { kUInt8, kInt32, kInt64, kFloat32 };
[[nodiscard]] std::size_t size_of(DType dtype);

// Shape and type of one field of a sample, without the batch dimension: image {3, 224, 224}
// kFloat32, label {} kInt64.
struct FieldSpec {
  std::string name;
  std::vector<std::int64_t> shape;
  DType dtype = DType::kFloat32;
  [[nodiscard]] std::size_t bytes() const;
};

using SharedSpec = std::shared_ptr<const FieldSpec>;  // one for all batches of a loader

// One field of a batch: `data` holds size * spec->bytes() bytes, first dimension = sample,
// row-major.
struct BatchField {
  BatchField(std::byte* memory, SharedSpec shared) : data(memory), spec(std::move(shared)) {}
  BatchField(std::byte* memory, FieldSpec own)
      : BatchField(memory, std::make_shared<const FieldSpec>(std::move(own))) {}

  std::byte* data;
  SharedSpec spec;
};

// A collated batch. Memory belongs to `owner`: it goes back to its pool or is freed when the last
// copy of the pointer is gone, on any thread.
struct Batch {
  std::vector<BatchField> fields;
  std::int64_t size = 0;   // samples; the last batch of an epoch may be smaller
  std::int64_t index = 0;  // position in the epoch's order
  bool partial = false;    // size < batch_size
  std::shared_ptr<void> owner;
  // Left by the loader's pin thread where it copies to a device (BatchUpload). May be released on
  // any thread, also while that copy is under way.
  std::shared_ptr<const void> device_copy = {};
  [[nodiscard]] std::size_t bytes() const;
};

}  // namespace stepbench
