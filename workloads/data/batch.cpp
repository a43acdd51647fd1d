// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/batch.h"

#include <cassert>

namespace stepbench {

std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
      return 1;
    case DType::kInt32:
    case DType::kFloat32:
      return 4;
    case DType::kInt64:
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

std::size_t Batch::bytes() const {
  std::size_t sum = 0;
  for (const BatchField& field : fields)
    sum += field.spec->bytes() * static_cast<std::size_t>(size);
  return sum;
}

}  // namespace stepbench
