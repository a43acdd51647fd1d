// SPDX-License-Identifier: Apache-2.0
// Exchanges gradients in a smaller type, like DistributedDataParallel's fp16_compress_hook and
// bf16_compress_hook: rounded, divided by the number of ranks, summed, and written back in their
// own type. Called by the Reducer.
#pragma once

#include <torch/csrc/distributed/c10d/comm.hpp>

#include <memory>

namespace stepbench::distributed {

[[nodiscard]] std::unique_ptr<c10d::CommHookInterface> make_rounding_hook(
    c10::intrusive_ptr<c10d::ProcessGroup> group, at::ScalarType sent_as);

}  // namespace stepbench::distributed
