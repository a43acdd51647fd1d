// SPDX-License-Identifier: Apache-2.0
// Gradients that travel in a smaller type, as DistributedDataParallel's fp16_compress_hook and
// bf16_compress_hook have it: rounded, divided by the number of ranks, added up, and written back
// in their own type. For the Reducer, which calls it.
#pragma once

#include <torch/csrc/distributed/c10d/comm.hpp>

#include <memory>

namespace stepbench::distributed {

[[nodiscard]] std::unique_ptr<c10d::CommHookInterface> make_rounding_hook(
    c10::intrusive_ptr<c10d::ProcessGroup> group, at::ScalarType sent_as);

}  // namespace stepbench::distributed
