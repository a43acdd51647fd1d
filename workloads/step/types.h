// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stepbench {

// The built-in workloads behind worker_main: the whole of stepbench-worker's main().
[[nodiscard]] int stepbench_worker_main(int argc, char** argv);

}  // namespace stepbench
