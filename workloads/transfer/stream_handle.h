// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Stream.h>

namespace stepbench {

// The cudaStream_t of a stream of a CUDA device; null for the default stream and where libtorch was
// built without CUDA.
[[nodiscard]] void* stream_handle(const c10::Stream& stream);

}  // namespace stepbench
