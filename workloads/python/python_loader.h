// SPDX-License-Identifier: Apache-2.0
// loader.engine: python. torch.utils.data.DataLoader behind the interface of loader.h.
#pragma once

#include <memory>

#include "workloads/loader/loader.h"
#include "workloads/python/in_python.h"
#include "workloads/python/python_dataset.h"

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

}  // namespace stepbench::python
