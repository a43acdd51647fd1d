// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/categories.h"

#include <algorithm>
#include <array>
#include <string>

namespace stepbench::trace {

CategoryMeaning meaning_of(std::string_view category) {
  using Use = CategoryMeaning::Use;
  struct Known {
    std::string_view name;
    CategoryMeaning meaning;
  };
  constexpr std::array kKnown = {
      Known{"cpu_op", {Use::kUsed, EventKind::kOp}},
      Known{"operator", {Use::kByName, EventKind::kOp}},
      Known{"user_annotation", {Use::kUsed, EventKind::kAnnotation}},
      Known{"runtime", {Use::kUsed, EventKind::kRuntime}},
      Known{"driver", {Use::kUsed, EventKind::kDriver}},
      Known{"kernel", {Use::kUsed, EventKind::kKernel}},
      Known{"memcpy", {Use::kUsed, EventKind::kMemcpy}},
      Known{"gpu_memcpy", {Use::kUsed, EventKind::kMemcpy}},
      Known{"memset", {Use::kUsed, EventKind::kMemset}},
      Known{"gpu_memset", {Use::kUsed, EventKind::kMemset}},
      Known{"gpu_user_annotation", {Use::kUsed, EventKind::kGpuAnnotation}},
      Known{"cuda_sync", {Use::kUsed, EventKind::kSync}},
      Known{"cuda_event", {Use::kUsed, EventKind::kSync}},
      Known{"xpu_sync", {Use::kUsed, EventKind::kSync}},
      Known{"mtia_ccp_events", {Use::kUsed, EventKind::kKernel}},
      Known{"collective_comm", {Use::kUsed, EventKind::kKernel}},
      Known{"hpu_op", {Use::kUsed, EventKind::kRuntime}},
      Known{"python_function", {Use::kUsed, EventKind::kPython}},
      Known{"overhead", {Use::kUsed, EventKind::kOverhead}},
      Known{"trace", {Use::kUsed, EventKind::kSpan}},
      Known{"loader_worker", {Use::kUsed, EventKind::kWorker}},
      Known{"ac2g", {Use::kNotNeeded}},
      Known{"async", {Use::kNotNeeded}},
      Known{"async_cpu_to_gpu", {Use::kNotNeeded}},
      Known{"fwdbwd", {Use::kNotNeeded}},
      Known{"hardware_counters", {Use::kNotNeeded}},
      Known{"mtia_counters", {Use::kNotNeeded}},
      Known{"mtia_insight", {Use::kNotNeeded}},
      Known{"xpu_scope_profiler", {Use::kNotNeeded}},
  };
  std::string lower(category.substr(0, 64));
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const auto found = std::find_if(kKnown.begin(), kKnown.end(),
                                  [&](const Known& known) { return known.name == lower; });
  if (found != kKnown.end()) return found->meaning;
  // cuda_runtime, and the prefixes of other devices: hip_, xpu_, mtia_, privateuse1_, glow_.
  if (lower.ends_with("_runtime")) return {Use::kUsed, EventKind::kRuntime};
  if (lower.ends_with("_driver")) return {Use::kUsed, EventKind::kDriver};
  return {};
}

EventKind kind_of(const CategoryMeaning& category, const NameFacts& name) {
  if (category.use == CategoryMeaning::Use::kByName) {
    const bool annotation = name.step >= 0 || name.data_wait || name.optimizer;
    return annotation ? EventKind::kAnnotation : EventKind::kOp;
  }
  if (category.kind == EventKind::kKernel) {
    if (name.moves_memory) return EventKind::kMemcpy;
    if (name.sets_memory) return EventKind::kMemset;
    if (name.device_waits) return EventKind::kSync;
  }
  return category.kind;
}

}  // namespace stepbench::trace
