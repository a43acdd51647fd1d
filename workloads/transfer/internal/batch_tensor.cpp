// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/internal/batch_tensor.h"

#include <ATen/ops/from_blob.h>

#include "harness/base/error.h"

namespace stepbench::transfer {
namespace {

at::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
      return at::kByte;
    case DType::kInt32:
      return at::kInt;
    case DType::kInt64:
      return at::kLong;
    case DType::kFloat32:
      return at::kFloat;
    case DType::kBool:
      return at::kBool;
    case DType::kInt16:
      return at::kShort;
    case DType::kFloat16:
      return at::kHalf;
    case DType::kBFloat16:
      return at::kBFloat16;
    case DType::kFloat64:
      return at::kDouble;
  }
  throw Error("a batch field has an unknown type");
}

}  // namespace

at::Tensor field_tensor(const Batch& batch, std::size_t field) {
  const BatchField& from = batch.fields.at(field);
  std::vector<std::int64_t> sizes{batch.size};
  sizes.insert(sizes.end(), from.spec->shape.begin(), from.spec->shape.end());
  return at::for_blob(from.data, sizes)
      .deleter([owner = batch.owner](void*) {})
      .options(at::TensorOptions(scalar_type(from.spec->dtype)).device(at::kCPU))
      .target_device(at::Device(at::kCPU))
      .make_tensor();
}

BatchTensors batch_tensors(const Batch& batch) {
  if (batch.fields.size() < 2) throw Error("a batch has no target: training needs two fields");
  return {field_tensor(batch, 0), field_tensor(batch, 1)};
}

}  // namespace stepbench::transfer
