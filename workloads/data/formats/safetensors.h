// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workloads/data/batch.h"
#include "workloads/data/formats/mapped_file.h"

namespace stepbench::data {

// One tensor of a safetensors file, which is a u64 header length, a JSON header, and data. The
// tensor's bytes lie within the file and match shape and type.
struct StoredTensor {
  std::string name;
  std::string type;                 // "F32", "BF16", ...
  std::optional<DType> dtype = {};  // nullopt: a batch cannot hold this type
  std::vector<std::int64_t> shape = {};
  std::uint64_t begin = 0;  // offset in the file
  std::uint64_t bytes = 0;
};

// Returns all tensors in the order of their data. Throws ConfigError naming file and offset.
[[nodiscard]] std::vector<StoredTensor> read_safetensors(const MappedFile& file);

// Returns the bytes before the data of these tensors, which are stored back to back; ignores
// `begin` and `dtype`.
[[nodiscard]] std::string safetensors_header(std::span<const StoredTensor> tensors);

}  // namespace stepbench::data
