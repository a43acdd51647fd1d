// SPDX-License-Identifier: Apache-2.0
// Names of tensor types. Pure; any thread.
#pragma once

#include <string>

#include "workloads/data/batch.h"

namespace stepbench::loader {

// torch's name, "float32".
[[nodiscard]] std::string dtype_name(DType dtype);

}  // namespace stepbench::loader
