// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/trace.h"

#include <algorithm>

namespace stepbench::trace {

std::string_view kind_text(EventKind kind) {
  switch (kind) {
    case EventKind::kSpan:
      return "Trace";
    case EventKind::kAnnotation:
      return "user_annotation";
    case EventKind::kPython:
      return "python_function";
    case EventKind::kOp:
      return "cpu_op";
    case EventKind::kRuntime:
      return "cuda_runtime";
    case EventKind::kDriver:
      return "cuda_driver";
    case EventKind::kWorker:
      return "loader_worker";
    case EventKind::kOverhead:
      return "overhead";
    case EventKind::kKernel:
      return "kernel";
    case EventKind::kMemcpy:
      return "gpu_memcpy";
    case EventKind::kMemset:
      return "gpu_memset";
    case EventKind::kSync:
      return "cuda_sync";
    case EventKind::kGpuAnnotation:
      return "gpu_user_annotation";
  }
  return "?";
}

const OpDetail* Trace::op_detail(const TraceEvent& event) const {
  const bool has = event.kind == EventKind::kOp || event.kind == EventKind::kAnnotation;
  return has && event.detail != ops::kNoIndex ? &ops[event.detail] : nullptr;
}

const KernelDetail* Trace::kernel_detail(const TraceEvent& event) const {
  const bool has = event.kind == EventKind::kKernel;
  return has && event.detail != ops::kNoIndex ? &kernels[event.detail] : nullptr;
}

const SyncDetail* Trace::sync_detail(const TraceEvent& event) const {
  const bool has = event.kind == EventKind::kSync;
  return has && event.detail != ops::kNoIndex ? &syncs[event.detail] : nullptr;
}

const ops::TraceDevice* Trace::device(int id) const {
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const ops::TraceDevice& each) { return each.id == id; });
  return found == devices.end() ? nullptr : &*found;
}

std::string_view Trace::own_fact(std::string_view key) const {
  const auto found = std::find_if(own_facts.begin(), own_facts.end(),
                                  [&](const auto& each) { return each.first == key; });
  return found == own_facts.end() ? std::string_view{} : std::string_view(found->second);
}

std::int64_t Trace::count(EventKind kind) const {
  std::int64_t found = 0;
  for (const TraceLane& lane : lanes) {
    found += std::count_if(lane.events.begin(), lane.events.end(),
                           [&](const TraceEvent& event) { return event.kind == kind; });
  }
  return found;
}

}  // namespace stepbench::trace
