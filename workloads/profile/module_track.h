// SPDX-License-Identifier: Apache-2.0
// The modules that ran on one thread, as a track of time, for an engine that records no modules.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/ops/op_log.h"
#include "workloads/model/module_scope.h"

namespace stepbench::profile {

class ModuleTrack final : public ModuleListener {
 public:
  explicit ModuleTrack(std::uint64_t (*now)()) : now_(now) {}
  void names(ModuleNames names) override { names_ = std::move(names); }
  void enter(const void* module) noexcept override;
  void leave() noexcept override;

  // Fills OpLog::modules and gives each op of `thread` the module that ran when it began. Expects
  // the ops of a thread in order of start.
  void assign(ops::OpLog& log, std::uint32_t thread,
              const std::function<std::int64_t(std::uint64_t)>& ns_of) const;

 private:
  struct Change {
    std::uint64_t at = 0;
    const void* module = nullptr;  // from now on
  };

  std::uint64_t (*now_)();
  ModuleNames names_;
  std::vector<const void*> open_;
  std::vector<Change> changes_;
};

}  // namespace stepbench::profile
