// SPDX-License-Identifier: Apache-2.0
// Data sets of mapped tensor files: sample i is row i of each tensor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "workloads/data/dataset.h"

namespace stepbench::data {

struct TensorFileOptions {
  std::filesystem::path path;
  bool as_float = false;     // convert the input to float32; uint8 is divided by 255
  std::int64_t classes = 0;  // targets must lie in [0, classes); 0: any
  bool skip_errors = false;
};

struct SafetensorsOptions {
  TensorFileOptions common;  // path: a file, or a folder with one .safetensors file
  std::string input = "image";
  std::string target = "label";  // empty: none
};
// Throws ConfigError naming file and offset, or the missing tensor and the existing ones.
[[nodiscard]] std::unique_ptr<Dataset> open_safetensors(const SafetensorsOptions& options);

struct RawTensorOptions {
  TensorFileOptions common;  // path: a file, or a folder with input.bin and optionally target.bin
  std::vector<std::int64_t> shape;  // of one sample
  DType stored = DType::kFloat32;
};
// Records without a header; target.bin holds one little-endian int64 per record.
[[nodiscard]] std::unique_ptr<Dataset> open_raw_tensor(const RawTensorOptions& options);
// Parses "3x32x32". Throws ConfigError("data.shape", ...).
[[nodiscard]] std::vector<std::int64_t> parse_shape(const std::string& text);

// Rows of data.kind.
[[nodiscard]] DataKind safetensors_kind();
[[nodiscard]] DataKind raw_tensor_kind();

}  // namespace stepbench::data
