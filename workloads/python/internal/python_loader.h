// SPDX-License-Identifier: Apache-2.0
// loader.engine: python. Puts torch.utils.data.DataLoader behind the interface of loader.h; and
// converts loader options to a dict, also for engine iterable.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "harness/base/resolved_case.h"
#include "workloads/loader/loader.h"
#include "workloads/python/internal/in_python.h"
#include "workloads/python/internal/python_dataset.h"

namespace stepbench {

struct WorkerContext;

}  // namespace stepbench

namespace stepbench::python {

// All arguments must outlive it. `gil` counts the time that next() waits for the interpreter's
// lock; `stacks` is an object of stepbench_user_code/stacks.py, or empty. A worker's wait to hand
// over a batch counts as idle time, as Python does not report it. Whether a batch was ready is
// known from the workers' records: it may still have been in the pipe.
[[nodiscard]] std::unique_ptr<loader::Loader> make_python_loader(
    const PythonDataset& dataset, const loader::LoaderOptions& options,
    const WorkerContext& context, GilWait& gil, const OwnedPyObject& stacks);

// As stepbench_user_code/loader_options.py makes them. Requires the interpreter's lock.
[[nodiscard]] pybind11::dict options_for_python(const loader::LoaderOptions& options,
                                                const ResolvedCase& resolved);

}  // namespace stepbench::python
