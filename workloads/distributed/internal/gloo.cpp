// SPDX-License-Identifier: Apache-2.0
// Compiled with declared/ in the include path: torch's wheel contains Gloo without its headers.
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "workloads/distributed/internal/process_group.h"

namespace stepbench::distributed {

c10::intrusive_ptr<c10d::Backend> make_gloo(const Membership& membership) {
  return c10::make_intrusive<c10d::ProcessGroupGloo>(
      membership.store, membership.rank, membership.world,
      c10d::ProcessGroupGloo::Options::create_default(kPatience));
}

}  // namespace stepbench::distributed
