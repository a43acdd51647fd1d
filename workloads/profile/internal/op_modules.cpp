// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/internal/op_modules.h"

#include <unordered_map>

namespace stepbench::profile {
namespace {

std::uint64_t forward_key(std::uint32_t thread, std::int64_t sequence) {
  return (static_cast<std::uint64_t>(thread) << 48U) ^ static_cast<std::uint64_t>(sequence);
}

using Forwards = std::unordered_map<std::uint64_t, std::uint32_t>;

// An op that creates no node has the number of the next one that does, so the last one counts.
Forwards forward_modules(const ops::OpLog& log) {
  Forwards modules;
  for (const ops::OpEvent& op : log.ops) {
    if (op.scope != ops::OpScope::kFunction || op.sequence < 0 ||
        op.forward_thread != ops::kNoIndex)
      continue;
    if (op.module != ops::kNoIndex)
      modules.insert_or_assign(forward_key(op.thread, op.sequence), op.module);
    else
      modules.erase(forward_key(op.thread, op.sequence));
  }
  return modules;
}

}  // namespace

void spread_modules(ops::OpLog& log) {
  if (log.modules.empty()) return;
  const Forwards forwards = forward_modules(log);
  std::vector<const ops::OpEvent*> open;
  std::uint32_t thread = ops::kNoIndex;
  for (ops::OpEvent& op : log.ops) {
    if (op.thread != thread) open.clear();
    thread = op.thread;
    while (!open.empty() && open.back()->end_ns <= op.start_ns) open.pop_back();
    if (op.forward_thread != ops::kNoIndex && op.sequence >= 0) {
      const auto found = forwards.find(forward_key(op.forward_thread, op.sequence));
      if (found != forwards.end()) op.module = found->second;
    }
    if (op.module == ops::kNoIndex && !open.empty()) op.module = open.back()->module;
    open.push_back(&op);
  }
}

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
