// SPDX-License-Identifier: Apache-2.0
// The Python-free part of engine python, which is torch.utils.data.DataLoader itself. PythonParts
// makes its loader.
#pragma once

#include "workloads/loader/engine.h"

namespace stepbench::loader {

[[nodiscard]] Engine python_engine();

}  // namespace stepbench::loader
