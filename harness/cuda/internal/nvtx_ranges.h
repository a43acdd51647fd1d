// SPDX-License-Identifier: Apache-2.0
// Marks every step of the window and its phases as NVTX ranges in the domain "stepbench", for
// Nsight.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cuda/cuda_api.h"
#include "harness/measure/instrument.h"

namespace stepbench::cuda {

struct NvtxOptions {
  std::vector<std::string> phase_names = {};  // in order of PhaseId
  // Wraps the window in cudaProfilerStart and cudaProfilerStop, so that `nsys profile
  // --capture-range=cudaProfilerApi --capture-range-end=stop` and ncu record nothing else. Without
  // the second option nsys ends the program with the window; `repeat:N` captures N windows.
  bool capture_range = false;
  std::optional<int> device = {};  // CUDA ordinal; nullopt: a case without a device
  std::string thread_name = {};    // main thread's name, such as "rank 1 of 2"; empty: unchanged
};

// Ranges "ProfilerStep#<index>" around "forward", "backward", ... Main thread only. `api`: nullopt
// without a CUDA runtime.
[[nodiscard]] std::unique_ptr<Instrument> make_nvtx_ranges(std::optional<CudaApi> api,
                                                           NvtxOptions options);

}  // namespace stepbench::cuda
