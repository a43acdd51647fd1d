// SPDX-License-Identifier: Apache-2.0
// Types of tensors' elements, as profilers and NCCL write them. Pure; any thread.
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
  kTf32,  // fp32 that tensor cores multiply with fewer bits: a kernel says so, no tensor
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

// torch.profiler: "c10::BFloat16", "long int"; NCCL's rows: "BFloat16", "Long"; here "bf16".
[[nodiscard]] Dtype dtype_named(std::string_view text);
[[nodiscard]] std::int64_t element_bytes(Dtype dtype);  // 0: unknown

// The text in the `index`th pair of quotation marks: "float" of ["long int", "float"] for 1; empty
// if there are fewer.
[[nodiscard]] std::string_view quoted_text(std::string_view list, std::size_t index);

}  // namespace stepbench::ops
