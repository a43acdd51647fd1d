// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/batch.h"

#include <cassert>
#include <stdexcept>

namespace stepbench {

std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
    case DType::kBool:
      return 1;
    case DType::kInt16:
    case DType::kFloat16:
    case DType::kBFloat16:
      return 2;
    case DType::kInt32:
    case DType::kFloat32:
      return 4;
    case DType::kInt64:
    case DType::kFloat64:
      return 8;
  }
  assert(false);
  return 0;
}

std::size_t FieldSpec::bytes() const {
  std::size_t elements = 1;
  for (const std::int64_t extent : shape) elements *= static_cast<std::size_t>(extent);
  return elements * size_of(dtype);
}

void BatchFields::push_back(BatchField field) {
  if (size_ < kFew) {
    few_[size_++] = std::move(field);
    return;
  }
  if (many_.empty()) many_.assign(few_.begin(), few_.end());
  many_.push_back(std::move(field));
  ++size_;
}

const BatchField& BatchFields::at(std::size_t field) const {
  if (field >= size_) throw std::out_of_range("a batch of " + std::to_string(size_) + " fields");
  return begin()[field];
}

std::size_t Batch::bytes() const {
  std::size_t sum = 0;
  for (const BatchField& field : fields)
    sum += field.spec->bytes() * static_cast<std::size_t>(size);
  return sum;
}

}  // namespace stepbench
