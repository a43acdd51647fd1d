// SPDX-License-Identifier: Apache-2.0
// A step captured as a CUDA graph, for model.cuda_graph.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>

namespace stepbench::step {

// Work captured once as a CUDA graph. Main thread.
class StepGraph {
 public:
  StepGraph() = default;
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;
  virtual ~StepGraph() = default;

  virtual void replay() = 0;  // on the current stream; does not wait
};

// Runs `work` a few times on its own stream, so that libraries have chosen their kernels and
// optimizer state exists, then captures it there. Inputs and outputs must keep their addresses.
// Waits for the device. Throws Error if this build or torch does not support it.
[[nodiscard]] std::unique_ptr<StepGraph> capture_graph(c10::Device device,
                                                       const std::function<void()>& work);

}  // namespace stepbench::step
