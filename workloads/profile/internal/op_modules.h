// SPDX-License-Identifier: Apache-2.0
// The module of the model to which each operation belongs: for operations of the backward pass, and
// for an engine that records no modules.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/ops/op_log.h"
#include "workloads/model/module_scope.h"

namespace stepbench::profile {

// Operations without a module get that of the enclosing op; backward functions get that of their
// forward op: the last one that began with the same sequence number on their forward thread. Ops
// must be grouped by thread, in order of start.
void spread_modules(ops::OpLog& log);

// Timeline of the modules on one thread, for an engine that records no modules.
class ModuleTrack final : public ModuleListener {
 public:
  explicit ModuleTrack(std::uint64_t (*now)()) : now_(now) {}
  void names(ModuleNames names) override { names_ = std::move(names); }
  void enter(const void* module) noexcept override;
  void leave() noexcept override;

  // Fills OpLog::modules and assigns each op of `thread` the module that was running at its begin.
  // The ops of a thread must be in order of start.
  void assign(ops::OpLog& log, std::uint32_t thread,
              const std::function<std::int64_t(std::uint64_t)>& ns_of) const;

 private:
  struct Change {
    std::uint64_t at = 0;
    const void* module = nullptr;  // from this time on
  };

  std::uint64_t (*now_)();
  ModuleNames names_;
  std::vector<const void*> open_;
  std::vector<Change> changes_;
};

}  // namespace stepbench::profile
