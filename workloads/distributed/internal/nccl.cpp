// SPDX-License-Identifier: Apache-2.0
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "workloads/distributed/internal/process_group.h"

namespace stepbench::distributed {

c10::intrusive_ptr<c10d::Backend> make_nccl(const Membership& membership) {
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = kPatience;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(membership.store, membership.rank,
                                                     membership.world, options);
}

}  // namespace stepbench::distributed
