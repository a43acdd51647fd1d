// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/step_graph.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "workloads/step/internal/graph_capture.h"
#include "workloads/step/torch_runtime.h"

namespace stepbench::step {
namespace {

class CapturedGraph final : public StepGraph {
 public:
  CapturedGraph(c10::Device device, const std::function<void()>& work) {
    // torch's own CUDA guards would need the runtime library at link time.
    const c10::impl::VirtualGuardImpl cuda(device.type());
    const c10::Stream stream = cuda.getStreamFromGlobalPool(device);
    cuda.synchronizeDevice(device.index());  // inputs of `work` were made on another stream
    const c10::StreamGuard on_stream(stream);
    capture({.work = work,
             .synchronize = [&] { cuda.synchronizeStream(stream); },
             .release_cached_memory = [&] { release_cached_memory(device); },
             // Checks only this thread's calls: loader threads may pin memory meanwhile.
             .begin =
                 [&] {
                   graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
                 },
             .end = [&] { graph_.capture_end(); }});
  }

  void replay() override { graph_.replay(); }

 private:
  at::cuda::CUDAGraph graph_;
};

}  // namespace

std::unique_ptr<StepGraph> capture_graph(c10::Device device, const std::function<void()>& work) {
  return std::make_unique<CapturedGraph>(device, work);
}

}  // namespace stepbench::step
