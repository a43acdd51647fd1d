// SPDX-License-Identifier: Apache-2.0
// The part of engines torch_cpp, python and iterable that needs neither torch nor Python, for
// programs that plan.
#pragma once

#include "workloads/loader/engine.h"

namespace stepbench::loader {

[[nodiscard]] Engine torch_cpp_engine();

// Engine python is torch.utils.data.DataLoader itself. PythonParts makes its loader.

[[nodiscard]] Engine python_engine();

// Engine iterable takes any Python iterable of batches, returned by loader() in the user's file.
// PythonParts makes its loader.

inline constexpr const char* kIterableName = "iterable";

[[nodiscard]] Engine iterable_engine();
// Returns true if the user's Python code makes the batches, from data.kind: python only.
[[nodiscard]] bool runs_python(const Engine& engine);

}  // namespace stepbench::loader
