// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/step_graph.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace stepbench::step {
namespace {

constexpr int kWarmUpRuns = 3;

class CapturedGraph final : public StepGraph {
 public:
  CapturedGraph(c10::Device device, const std::function<void()>& work) {
    // torch's own guards for CUDA would ask for the runtime library at link time.
    const c10::impl::VirtualGuardImpl cuda(device.type());
    const c10::Stream stream = cuda.getStreamFromGlobalPool(device);
    cuda.synchronizeDevice(device.index());  // what `work` reads was made on another stream
    {
      const c10::StreamGuard on_stream(stream);
      for (int i = 0; i < kWarmUpRuns; ++i) work();
      cuda.synchronizeStream(stream);
      // Only this thread's calls are watched: loader threads may pin memory meanwhile.
      graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
      try {
        work();
      } catch (...) {
        end_failed_capture();
        throw;
      }
      graph_.capture_end();
    }
    cuda.synchronizeStream(stream);
  }

  void replay() override { graph_.replay(); }

 private:
  // The first error explains; that the capture cannot be ended is its consequence.
  void end_failed_capture() noexcept {
    try {
      graph_.capture_end();
    } catch (const std::exception&) {
    }
  }

  at::cuda::CUDAGraph graph_;
};

}  // namespace

std::unique_ptr<StepGraph> capture_graph(c10::Device device, const std::function<void()>& work) {
  return std::make_unique<CapturedGraph>(device, work);
}

}  // namespace stepbench::step
