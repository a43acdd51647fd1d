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

// One tensor of a safetensors file: u64 header length, JSON header, data. The tensor's bytes lie
// within the file and are as many as shape and type say.
struct StoredTensor {
  std::string name;
  std::string type;                 // "F32", "BF16", ...
  std::optional<DType> dtype = {};  // nullopt: a batch cannot hold this type
  std::vector<std::int64_t> shape = {};
  std::uint64_t begin = 0;  // from the file's start
  std::uint64_t bytes = 0;
};

// All tensors of a file in the order of their data. Throws ConfigError naming file and offset.
[[nodiscard]] std::vector<StoredTensor> read_safetensors(const MappedFile& file);

// The bytes before the data of these tensors, which follow each other; `begin` and `dtype` are not
// read.
[[nodiscard]] std::string safetensors_header(std::span<const StoredTensor> tensors);

}  // namespace stepbench::data
