// SPDX-License-Identifier: Apache-2.0
// Converts loader options to a dict, for the Python side of engines python and iterable.
#pragma once

#include <pybind11/pybind11.h>

#include "harness/base/resolved_case.h"
#include "workloads/loader/loader.h"

namespace stepbench::python {

// Keys are the names in LoaderOptions, plus start_method and sharing_strategy of `resolved`.
// batch_size is None if the data determines it. Requires the interpreter's lock.
[[nodiscard]] pybind11::dict options_for_python(const loader::LoaderOptions& options,
                                                const ResolvedCase& resolved);

}  // namespace stepbench::python
