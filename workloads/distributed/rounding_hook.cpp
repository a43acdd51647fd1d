// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/rounding_hook.h"

#include <utility>
#include <vector>

namespace stepbench::distributed {
namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

class RoundingHook final : public c10d::CppCommHookInterface<Group> {
 public:
  RoundingHook(Group group, at::ScalarType sent_as)
      : CppCommHookInterface(std::move(group)), sent_as_(sent_as) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    const at::Tensor gradients = bucket.getBuffer();
    std::vector<at::Tensor> sent{gradients.to(sent_as_).div_(state_->getSize())};
    const auto exchanged = state_->allreduce(sent)->getFuture();
    return exchanged->then(
        [gradients](c10::ivalue::Future& done) {
          gradients.copy_(c10d::detail::parseCppCommHookResult(done.value()));
          return c10::IValue(gradients);
        },
        c10::TensorType::get());
  }

 private:
  at::ScalarType sent_as_;
};

}  // namespace

std::unique_ptr<c10d::CommHookInterface> make_rounding_hook(Group group, at::ScalarType sent_as) {
  return std::make_unique<RoundingHook>(std::move(group), sent_as);
}

}  // namespace stepbench::distributed
