// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/trace.h"

#include <algorithm>

namespace stepbench::traces {

const OpDetail* Trace::op_detail(const TraceEvent& event) const {
  const bool has = is_op_or_annotation(event.kind);
  return has && event.detail != ops::kNoIndex ? &ops[event.detail] : nullptr;
}

const KernelDetail* Trace::kernel_detail(const TraceEvent& event) const {
  const bool has = event.kind == EventKind::kKernel;
  return has && event.detail != ops::kNoIndex ? &kernels[event.detail] : nullptr;
}

const ops::TraceDevice* Trace::device(int id) const {
  const auto found = std::ranges::find(devices, id, &ops::TraceDevice::id);
  return found == devices.end() ? nullptr : &*found;
}

std::string_view Trace::own_fact(std::string_view key) const {
  const auto found =
      std::ranges::find_if(own_facts, [&](const auto& each) { return each.first == key; });
  return found == own_facts.end() ? std::string_view{} : std::string_view(found->second);
}

std::int64_t Trace::count(EventKind kind) const {
  std::int64_t found = 0;
  for (const TraceLane& lane : lanes) {
    found += std::ranges::count(lane.events, kind, &TraceEvent::kind);
  }
  return found;
}

}  // namespace stepbench::traces
