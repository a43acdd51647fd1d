// SPDX-License-Identifier: Apache-2.0
// Implementations of `distributed.sync` over c10d. All ranks create the same one at the same time.
// Main thread.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/base/resolved_case.h"
#include "workloads/model/model.h"
#include "workloads/step/gradient_sync.h"

namespace stepbench::distributed {

// Creates the implementation named by `distributed.sync` for the group in `context`, after
// broadcasting the weights of rank 0.
[[nodiscard]] std::unique_ptr<step::GradientSync> make_sync(const ResolvedCase& resolved,
                                                            WorkerContext& context,
                                                            const Model& model, c10::Device device);

// The model of one rank; equal on all ranks.
struct Replica {
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  std::vector<at::Tensor> parameters;  // trainable ones
  std::unordered_map<std::size_t, std::string> names;
  // All tensors of the model, and those that are not parameters.
  std::vector<at::Tensor> state;
  std::vector<at::Tensor> buffers;
};
[[nodiscard]] Replica replica_of(const Model& model, c10::intrusive_ptr<c10d::ProcessGroup> group);

// Broadcasts all state from rank 0, as the constructor of DistributedDataParallel does. Throws
// c10::Error if another rank has different parameters.
void broadcast_from_first_rank(const Replica& replica);

// Named as in DistributedDataParallel.
struct DdpOptions {
  std::int64_t bucket_bytes = 0;
  std::int64_t first_bucket_bytes = 0;
  bool gradient_as_bucket_view = false;
  bool find_unused_parameters = false;
  bool static_graph = false;
  std::optional<at::ScalarType> sent_as = {};  // comm_hook; nullopt: the gradients' own type
};
[[nodiscard]] DdpOptions ddp_options(const ResolvedCase& resolved);

// torch's Reducer: exchanges buckets of gradients during the backward pass, which waits for the
// last one. Buffers come from rank 0 in the forward pass.
[[nodiscard]] std::unique_ptr<step::GradientSync> make_ddp_sync(Replica replica,
                                                                const DdpOptions& options);

// One collective per type for all gradients, after the backward pass: phase grad_sync. Buffers as
// with DDP.
[[nodiscard]] std::unique_ptr<step::GradientSync> make_flat_sync(Replica replica);

// Exchange of gradients in a smaller type, like DistributedDataParallel's fp16_compress_hook and
// bf16_compress_hook: rounded, divided by the number of ranks, summed, and written back in their
// own type. Called by the Reducer.

[[nodiscard]] std::unique_ptr<c10d::CommHookInterface> make_rounding_hook(
    c10::intrusive_ptr<c10d::ProcessGroup> group, at::ScalarType sent_as);

}  // namespace stepbench::distributed
