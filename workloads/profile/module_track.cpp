// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/module_track.h"

#include <unordered_map>

namespace stepbench::profile {

void ModuleTrack::enter(const void* module) noexcept {
  open_.push_back(module);
  changes_.push_back({now_(), module});
}

void ModuleTrack::leave() noexcept {
  if (!open_.empty()) open_.pop_back();
  changes_.push_back({now_(), open_.empty() ? nullptr : open_.back()});
}

void ModuleTrack::assign(ops::OpLog& log, std::uint32_t thread,
                         const std::function<std::int64_t(std::uint64_t)>& ns_of) const {
  std::unordered_map<const void*, std::uint32_t> index;
  for (const auto& [module, path] : names_) {
    if (index.emplace(module, static_cast<std::uint32_t>(log.modules.size())).second)
      log.modules.push_back(path);
  }
  std::size_t next = 0;
  std::uint32_t running = ops::kNoIndex;
  for (ops::OpEvent& op : log.ops) {
    if (op.thread != thread) continue;
    while (next < changes_.size() && ns_of(changes_[next].at) <= op.start_ns) {
      const auto found = index.find(changes_[next++].module);
      running = found == index.end() ? ops::kNoIndex : found->second;
    }
    op.module = running;
  }
}

}  // namespace stepbench::profile
