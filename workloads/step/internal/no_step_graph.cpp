// SPDX-License-Identifier: Apache-2.0
// Replaces step_graph.cpp if torch was built without CUDA, or CUDA's headers are missing.
#include "harness/base/error.h"
#include "workloads/step/internal/step_graph.h"

namespace stepbench::step {

std::unique_ptr<StepGraph> capture_graph(c10::Device, const std::function<void()>&) {
  throw Error("this worker was built without CUDA's headers, so that it cannot capture a graph");
}

}  // namespace stepbench::step
