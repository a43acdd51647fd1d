// SPDX-License-Identifier: Apache-2.0
// The options of a loader as a dict, for Python's side of engines python and iterable.
#pragma once

#include <pybind11/pybind11.h>

#include "harness/base/resolved_case.h"
#include "workloads/loader/loader.h"

namespace stepbench::python {

// By their names in LoaderOptions, with start_method and sharing_strategy of `resolved`. batch_size
// is None where it is left to the data. With the interpreter's lock held.
[[nodiscard]] pybind11::dict options_for_python(const loader::LoaderOptions& options,
                                                const ResolvedCase& resolved);

}  // namespace stepbench::python
