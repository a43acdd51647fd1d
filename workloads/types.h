// SPDX-License-Identifier: Apache-2.0
// The workloads of stepbench-worker: the table of their makers, and its main().
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/workload.h"

namespace stepbench {

// The built-in workloads, for programs that add their own.
[[nodiscard]] std::span<const WorkloadType> built_in_workloads();

// Arguments of a worker's main function from its host.
struct WorkerHost {
  // Null: no interpreter in this process; `no_python` has the reason.
  data::PythonParts* python = nullptr;
  std::string no_python = {};
  std::string build_id = {};  // WorkerFacts::build_id
  std::vector<std::pair<std::string, std::string>> variables =
      {};  // environment; empty: the process's own
};

// The built-in workloads with worker_main: all of stepbench-worker's main().
[[nodiscard]] int stepbench_worker_main(int argc, char** argv, const WorkerHost& host = {});

}  // namespace stepbench
