// SPDX-License-Identifier: Apache-2.0
// What is known without Python of engine python, which is torch.utils.data.DataLoader itself. Its
// loader is made by PythonParts.
#pragma once

#include "workloads/loader/engine.h"

namespace stepbench::loader {

[[nodiscard]] Engine python_engine();

}  // namespace stepbench::loader
