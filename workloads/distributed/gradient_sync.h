// SPDX-License-Identifier: Apache-2.0
// The ways of `distributed.sync`, over c10d. Each rank makes the same one at the same time. Main
// thread.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

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

// What `distributed.sync` says, of the group that `context` tells of: once rank 0 has given its
// weights to all.
[[nodiscard]] std::unique_ptr<step::GradientSync> make_sync(const ResolvedCase& resolved,
                                                            WorkerContext& context,
                                                            const Model& model, c10::Device device);

// The model of a rank, which is that of all ranks.
struct Replica {
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  std::vector<at::Tensor> parameters;  // that are trained
  std::unordered_map<std::size_t, std::string> names;
  // All tensors of the model, and those of them that are no parameters.
  std::vector<at::Tensor> state;
  std::vector<at::Tensor> buffers;
};
[[nodiscard]] Replica replica_of(const Model& model, c10::intrusive_ptr<c10d::ProcessGroup> group);

// As the constructor of DistributedDataParallel does. Throws c10::Error where another rank has
// other parameters.
void bring_from_first_rank(const Replica& replica);

// DistributedDataParallel's own words for them.
struct DdpOptions {
  std::int64_t bucket_bytes = 0;
  std::int64_t first_bucket_bytes = 0;
  bool gradient_as_bucket_view = false;
  bool find_unused_parameters = false;
  bool static_graph = false;
  std::optional<at::ScalarType> sent_as = {};  // comm_hook; nothing: the gradients' own type
};
[[nodiscard]] DdpOptions ddp_options(const ResolvedCase& resolved);

// torch's Reducer: buckets of gradients, each exchanged while the backward pass goes on, which
// waits for the last one. Buffers come from rank 0 in the forward pass.
[[nodiscard]] std::unique_ptr<step::GradientSync> make_ddp_sync(Replica replica,
                                                                const DdpOptions& options);

// One collective for each type of all gradients, behind the backward pass: phase grad_sync. Buffers
// as with DDP.
[[nodiscard]] std::unique_ptr<step::GradientSync> make_flat_sync(Replica replica);

}  // namespace stepbench::distributed
