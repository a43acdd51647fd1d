// SPDX-License-Identifier: Apache-2.0
// The ranks of a launch as a process group of torch's c10d. The only header that includes c10d:
// Gloo's and NCCL's own headers are confined to one file each. Main thread.
#pragma once

#include <c10/core/Device.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "harness/workload.h"

namespace stepbench::distributed {

struct Membership {
  c10::intrusive_ptr<c10d::Store> store;  // shared by all ranks
  int rank = 0;
  int world = 1;
};

// Waits until all ranks have joined. Throws ConfigError if the launcher gives no rendezvous
// address, c10::Error if ranks are missing after one minute.
[[nodiscard]] Membership meet(const WorkerContext& context);

[[nodiscard]] c10::intrusive_ptr<c10d::Backend> make_gloo(const Membership& membership);
// Throws Error in a worker built without CUDA's and NCCL's headers.
[[nodiscard]] c10::intrusive_ptr<c10d::Backend> make_nccl(const Membership& membership);

// Gloo between CPUs, NCCL between CUDA devices, in the form that torch's components take.
[[nodiscard]] c10::intrusive_ptr<c10d::ProcessGroup> make_group(const Membership& membership,
                                                                c10::DeviceType device);

}  // namespace stepbench::distributed
