// SPDX-License-Identifier: Apache-2.0
// Every step of the window and its phases as NVTX ranges in the domain "stepbench", for Nsight.
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
  // The window lies between cudaProfilerStart and cudaProfilerStop: `nsys profile
  // --capture-range=cudaProfilerApi --capture-range-end=stop` and ncu see nothing else. Without the
  // second option nsys ends the program with the window; `repeat:N` captures N windows.
  bool capture_range = false;
  std::optional<int> device = {};  // CUDA ordinal; nothing: the steps run on no device
  std::string thread_name = {};    // of the main thread, as "rank 1 of 2"; empty: its own
};

// Ranges "ProfilerStep#<index>" around "forward", "backward", ... Main thread only. `api`: nullopt
// if there is no CUDA runtime.
[[nodiscard]] std::unique_ptr<Instrument> make_nvtx_ranges(std::optional<CudaApi> api,
                                                           NvtxOptions options);

}  // namespace stepbench::cuda
