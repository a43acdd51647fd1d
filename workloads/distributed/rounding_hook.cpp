// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/rounding_hook.h"

#include <vector>

namespace stepbench::distributed {

c10::intrusive_ptr<c10::ivalue::Future> RoundingHook::runHook(c10d::GradBucket& bucket) {
  const at::Tensor gradients = bucket.getBuffer();
  std::vector<at::Tensor> sent{gradients.to(sent_as_).div_(state_->getSize())};
  const auto exchanged = state_->allreduce(sent)->getFuture();
  return exchanged->then(
      [gradients](c10::ivalue::Future& done) {
        const at::Tensor sum = c10d::detail::parseCppCommHookResult(done.value());
        gradients.copy_(sum);
        return c10::IValue(gradients);
      },
      c10::TensorType::get());
}

}  // namespace stepbench::distributed
