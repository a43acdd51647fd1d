// SPDX-License-Identifier: Apache-2.0
// Makers of the kinds whose files contain numbers.
#pragma once

#include "workloads/data/generate/maker.h"

namespace stepbench::data {

[[nodiscard]] const Maker& mnist_idx_maker();
[[nodiscard]] const Maker& cifar_bin_maker();
[[nodiscard]] const Maker& token_bin_maker();
[[nodiscard]] const Maker& safetensors_maker();
[[nodiscard]] const Maker& raw_tensor_maker();

}  // namespace stepbench::data
