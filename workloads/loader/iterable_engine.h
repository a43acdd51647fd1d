// SPDX-License-Identifier: Apache-2.0
// What is known without Python of engine iterable: any Python iterable of batches, which loader()
// in the user's file returns. Its loader is made by PythonParts.
#pragma once

#include "workloads/loader/engine.h"

namespace stepbench::loader {

inline constexpr const char* kIterableName = "iterable";

[[nodiscard]] Engine iterable_engine();
// Whether batches are made by code of the user's: it reads data.kind: python, and nothing else.
[[nodiscard]] bool runs_python(const Engine& engine);

}  // namespace stepbench::loader
