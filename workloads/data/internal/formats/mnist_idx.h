// SPDX-License-Identifier: Apache-2.0
// data.kind mnist_idx: the idx files of MNIST and similar data sets, mapped.
#pragma once

#include <filesystem>
#include <memory>

#include "workloads/data/dataset.h"

namespace stepbench::data {

struct ByteImageOptions {
  bool as_float = true;  // divided by 255; false: bytes as stored
  std::int64_t classes = 10;
  bool skip_errors = false;  // in samples; a damaged header is always an error
};

// The two files of MNIST and similar sets (Fashion-MNIST, EMNIST): images (1, rows, columns) and
// labels.
struct IdxFiles {
  std::filesystem::path images;
  std::filesystem::path labels;
};
// Finds the files by their published names. Throws ConfigError naming missing files.
[[nodiscard]] IdxFiles find_idx_files(const std::filesystem::path& folder, bool test);

// Throws ConfigError naming file and offset.
[[nodiscard]] std::unique_ptr<Dataset> open_mnist_idx(const IdxFiles& files,
                                                      const ByteImageOptions& options);

// The row of data.kind.
[[nodiscard]] DataKind mnist_idx_kind();

}  // namespace stepbench::data
