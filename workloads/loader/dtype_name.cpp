// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/dtype_name.h"

namespace stepbench::loader {

std::string dtype_name(DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
      return "uint8";
    case DType::kInt32:
      return "int32";
    case DType::kInt64:
      return "int64";
    case DType::kFloat32:
      return "float32";
    case DType::kBool:
      return "bool";
    case DType::kInt16:
      return "int16";
    case DType::kFloat16:
      return "float16";
    case DType::kBFloat16:
      return "bfloat16";
    case DType::kFloat64:
      return "float64";
  }
  return {};
}

}  // namespace stepbench::loader
