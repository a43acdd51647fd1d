// SPDX-License-Identifier: Apache-2.0
// Element types of tensors, as named by profilers and NCCL. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/base/enum_names.h"

namespace stepbench::ops {

enum class Dtype : std::uint8_t {
  kUnknown,
  kFp64,
  kFp32,
  kTf32,  // fp32 multiplied with fewer bits by tensor cores: a property of kernels, not of tensors
  kFp16,
  kBf16,
  kFp8,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kComplex64,
  kComplex128,
};
constexpr EnumNames<13> names_of(Dtype) {
  return {"unknown", "fp64",  "fp32",  "tf32", "fp16",      "bf16",      "fp8",
          "int64",   "int32", "int16", "int8", "complex64", "complex128"};
}

// Parses torch.profiler's "c10::BFloat16", "long int", NCCL's "BFloat16", "Long", and our "bf16".
[[nodiscard]] Dtype dtype_named(std::string_view text);
[[nodiscard]] std::int64_t element_bytes(Dtype dtype);  // 0: unknown

// Returns the text in the `index`th pair of quotation marks: "float" of ["long int", "float"] for
// 1. Empty if there are fewer.
[[nodiscard]] std::string_view quoted_text(std::string_view list, std::size_t index);

}  // namespace stepbench::ops
