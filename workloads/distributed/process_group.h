// SPDX-License-Identifier: Apache-2.0
// The ranks of a launch as one group of torch's c10d. The only header with c10d in it: Gloo's and
// NCCL's own are seen by one file each. Main thread.
#pragma once

#include <c10/core/Device.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "harness/workload.h"

namespace stepbench::distributed {

struct Membership {
  c10::intrusive_ptr<c10d::Store> store;  // which all ranks see
  int rank = 0;
  int world = 1;
};

// Waits until all ranks are there. Throws ConfigError where the launcher does not say where they
// meet, c10::Error where they do not come within a minute.
[[nodiscard]] Membership meet(const WorkerContext& context);

[[nodiscard]] c10::intrusive_ptr<c10d::Backend> make_gloo(const Membership& membership);
// Throws Error in a worker that was built without CUDA's and NCCL's headers.
[[nodiscard]] c10::intrusive_ptr<c10d::Backend> make_nccl(const Membership& membership);

// Gloo between CPUs, NCCL between CUDA devices; as the parts of torch want it that are handed a
// group.
[[nodiscard]] c10::intrusive_ptr<c10d::ProcessGroup> make_group(const Membership& membership,
                                                                c10::DeviceType device);

}  // namespace stepbench::distributed
