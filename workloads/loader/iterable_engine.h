// SPDX-License-Identifier: Apache-2.0
// The Python-free part of engine iterable: any Python iterable of batches, returned by loader() in
// the user's file. PythonParts makes its loader.
#pragma once

#include "workloads/loader/engine.h"

namespace stepbench::loader {

inline constexpr const char* kIterableName = "iterable";

[[nodiscard]] Engine iterable_engine();
// Returns true if the user's Python code makes the batches, from data.kind: python only.
[[nodiscard]] bool runs_python(const Engine& engine);

}  // namespace stepbench::loader
