// SPDX-License-Identifier: Apache-2.0
// The makers behind the rows of makers(); values have been checked against their ranges.
#pragma once

#include "workloads/data/make_jpeg_folder.h"
#include "workloads/data/makers.h"

namespace stepbench {

[[nodiscard]] JpegFolderPlan photograph_plan(const MakerValues& values);

[[nodiscard]] MadeFolder make_mnist_idx(const MakerValues& values, const MakeProgress& progress);
[[nodiscard]] MadeFolder make_cifar_bin(const MakerValues& values, const MakeProgress& progress);
[[nodiscard]] MadeFolder make_token_bin(const MakerValues& values, const MakeProgress& progress);
[[nodiscard]] MadeFolder make_safetensors(const MakerValues& values, const MakeProgress& progress);
[[nodiscard]] MadeFolder make_raw_tensor(const MakerValues& values, const MakeProgress& progress);
[[nodiscard]] MadeFolder make_webdataset(const MakerValues& values, const MakeProgress& progress);

}  // namespace stepbench
