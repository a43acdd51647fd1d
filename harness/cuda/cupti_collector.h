// SPDX-License-Identifier: Apache-2.0
// The activity collector on injected interfaces, which tests script.
#pragma once

#include <memory>

#include "harness/cuda/activity_collector.h"
#include "harness/cuda/cuda_api.h"
#include "harness/cuda/cupti_api.h"

namespace stepbench::cuda {

struct CuptiCollectorOptions {
  int device = 0;  // CUDA ordinal
  std::size_t buffer_bytes = std::size_t{4} << 20;
  std::size_t most_bytes = std::size_t{2} << 30;  // for all buffers; drops records beyond
};

[[nodiscard]] std::unique_ptr<ActivityCollector> make_cupti_collector(
    CuptiApi cupti, CudaApi cuda, CuptiCollectorOptions options = {});

}  // namespace stepbench::cuda
