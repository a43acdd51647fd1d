// SPDX-License-Identifier: Apache-2.0
// Replaces nccl.cpp if torch was built without CUDA, or the headers of CUDA or NCCL are missing.
#include "harness/base/error.h"
#include "workloads/distributed/internal/process_group.h"

namespace stepbench::distributed {

c10::intrusive_ptr<c10d::Backend> make_nccl(const Membership&) {
  throw Error("this worker was built without the headers of CUDA and NCCL, and knows no nccl");
}

}  // namespace stepbench::distributed
