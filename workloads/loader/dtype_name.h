// SPDX-License-Identifier: Apache-2.0
// Types of tensors by name. Pure; any thread.
#pragma once

#include <string>

#include "workloads/data/batch.h"

namespace stepbench::loader {

// "float32", as torch calls it.
[[nodiscard]] std::string dtype_name(DType dtype);

}  // namespace stepbench::loader
