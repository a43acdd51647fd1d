// SPDX-License-Identifier: Apache-2.0
// loader.engine: python. torch.utils.data.DataLoader behind the interface of loader.h.
#pragma once

#include <memory>

#include "workloads/loader/loader.h"
#include "workloads/python/python_dataset.h"

namespace stepbench {

struct WorkerContext;

// `dataset` and `context` must outlive it. What a worker waits to hand a batch over is part of its
// idle time: Python does not tell. Whether a batch was ready is what the workers have noted: it may
// still be on its way through the pipe.
[[nodiscard]] std::unique_ptr<Loader> make_python_loader(const PythonDataset& dataset,
                                                         const LoaderOptions& options,
                                                         const WorkerContext& context);

}  // namespace stepbench
