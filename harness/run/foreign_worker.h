// SPDX-License-Identifier: Apache-2.0
// Questions to a worker program whose workloads are not linked into this one.
#pragma once

#include <filesystem>

#include "harness/catalogue/catalogue.h"
#include "harness/machine/devices.h"
#include "harness/plan/foreign_check.h"
#include "harness/run/worker_program.h"

namespace stepbench {

// What `WORKER describe` prints. Kept in `cache_dir` (empty: nowhere) by path, size, time of change
// and build id, so that a worker that takes seconds to start is asked once. Throws ConfigError
// naming the worker.
[[nodiscard]] Catalogue describe_worker(const WorkerProgram& worker,
                                        const std::filesystem::path& cache_dir);

// Asks `WORKER check`: one line `facts`, then one `case` line per case on its stdin; one answer per
// case on its stdout.
[[nodiscard]] ForeignCheck check_by(const WorkerProgram& worker);

// $XDG_CACHE_HOME/stepbench or ~/.cache/stepbench; empty without either.
[[nodiscard]] std::filesystem::path cache_directory(const Variables& variables);

}  // namespace stepbench
