// SPDX-License-Identifier: Apache-2.0
// Versions of libtorch and its thread settings.
#pragma once

#include "harness/record/rows.h"

namespace stepbench::step {

// Versions and settings of libtorch for `hello`. Makes no CUDA call.
[[nodiscard]] Fields torch_software();
void set_torch_threads(int intra_op, int inter_op);

}  // namespace stepbench::step
