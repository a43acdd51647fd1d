// SPDX-License-Identifier: Apache-2.0
// Gradients that travel in a smaller type, as DistributedDataParallel's fp16_compress_hook and
// bf16_compress_hook have it: rounded, divided by the number of ranks, added up, and written back
// in their own type. Called by the Reducer.
#pragma once

#include <torch/csrc/distributed/c10d/comm.hpp>

namespace stepbench::distributed {

class RoundingHook final
    : public c10d::CppCommHookInterface<c10::intrusive_ptr<c10d::ProcessGroup>> {
 public:
  RoundingHook(c10::intrusive_ptr<c10d::ProcessGroup> group, at::ScalarType sent_as)
      : CppCommHookInterface(std::move(group)), sent_as_(sent_as) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override;

 private:
  at::ScalarType sent_as_;
};

}  // namespace stepbench::distributed
