// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batch_layout.h"

#include <utility>

namespace stepbench::loader {
namespace {

constexpr std::size_t kCacheLine = 64;

}  // namespace

BatchLayout::BatchLayout(std::vector<FieldSpec> fields, std::int64_t batch_size)
    : batch_size_(batch_size) {
  for (FieldSpec& field : fields) {
    offsets_.push_back(bytes_);
    const std::size_t bytes = field.bytes() * static_cast<std::size_t>(batch_size);
    bytes_ += (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
    fields_.push_back(std::make_shared<const FieldSpec>(std::move(field)));
  }
}

Batch BatchLayout::place(std::byte* memory, std::int64_t size, std::shared_ptr<void> owner) const {
  Batch batch{.fields = {},
              .size = size,
              .index = 0,
              .partial = size < batch_size_,
              .owner = std::move(owner)};
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    batch.fields.emplace_back(memory == nullptr ? nullptr : memory + offsets_[i], fields_[i]);
  }
  return batch;
}

}  // namespace stepbench::loader
