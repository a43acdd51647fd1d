// SPDX-License-Identifier: Apache-2.0
// Reads files as a whole: the bytes into reused memory, a digest of them, or the tensors of a
// safetensors file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workloads/data/batch.h"
#include "workloads/data/internal/mapped_file.h"

namespace stepbench::data {

// Reads a whole regular file into `bytes`, reusing its memory. The Error that it throws does not
// name the file.
void read_file(const std::string& path, std::size_t max_bytes, std::vector<std::byte>& bytes);

// Digest of a file, to detect whether two cases read the same one.

// The first 16 hex digits of XXH3-128 of a file's content, read in blocks. Throws Error naming the
// file.
[[nodiscard]] std::string file_digest(const std::string& path);

// The header of a safetensors file.

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
