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

std::int64_t FieldSpec::elements() const {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  return elements;
}

std::size_t FieldSpec::bytes() const {
  return static_cast<std::size_t>(elements()) * size_of(dtype);
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

std::int64_t Batch::elements() const {
  return fields.empty() ? 0 : fields[0].spec->elements() * size;
}

void set_length(Batch& batch, std::int64_t length) {
  for (BatchField& field : batch.fields) {
    FieldSpec spec = *field.spec;
    spec.shape.at(0) = length;
    field.spec = std::make_shared<const FieldSpec>(std::move(spec));
  }
}

}  // namespace stepbench
