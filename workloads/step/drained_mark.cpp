// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/drained_mark.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace stepbench::step {

DrainedMark mark_now(const Clock& clock, c10::Device device) {
  DrainedMark mark{.host_ns = clock.now_ns()};
  if (device.is_cpu()) return mark;
  mark.passed = std::make_shared<c10::Event>(device.type(),
                                             c10::EventFlag::BACKEND_DEFAULT);  // with timing
  mark.passed->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  return mark;
}

std::int64_t ns_between(const DrainedMark& begin, const DrainedMark& end) {
  if (begin.passed == nullptr || end.passed == nullptr) return end.host_ns - begin.host_ns;
  end.passed->synchronize();
  const double ms = begin.passed->elapsedTime(*end.passed);
  return static_cast<std::int64_t>(ms * 1e6);
}

}  // namespace stepbench::step
