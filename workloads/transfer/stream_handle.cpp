// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/stream_handle.h"

#ifdef STEPBENCH_CUDA_STREAM_HEADER
#include <c10/cuda/CUDAStream.h>
#endif

namespace stepbench {

void* stream_handle(const c10::Stream& stream) {
#ifdef STEPBENCH_CUDA_STREAM_HEADER
  if (stream.device_type() == c10::DeviceType::CUDA) return c10::cuda::CUDAStream(stream).stream();
#endif
  (void)stream;
  return nullptr;
}

}  // namespace stepbench
