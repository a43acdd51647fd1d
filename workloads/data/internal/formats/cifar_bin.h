// SPDX-License-Identifier: Apache-2.0
// data.kind cifar_bin: the binary version of CIFAR-10 and CIFAR-100, mapped.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "workloads/data/dataset.h"
#include "workloads/data/internal/formats/mnist_idx.h"

namespace stepbench::data {

// The files of CIFAR's binary version below `path`, or `path` itself if it is a file. Throws
// ConfigError naming missing files.
[[nodiscard]] std::vector<std::filesystem::path> find_cifar_files(const std::filesystem::path& path,
                                                                  bool hundred, bool test);

// Records are a label and 3 x 32 x 32 bytes; with `hundred` a coarse label, a fine label, which is
// used, and the image. Throws ConfigError naming file and offset.
[[nodiscard]] std::unique_ptr<Dataset> open_cifar_bin(
    const std::vector<std::filesystem::path>& files, bool hundred, const ByteImageOptions& options);

// The row of data.kind.
[[nodiscard]] DataKind cifar_bin_kind();

}  // namespace stepbench::data
