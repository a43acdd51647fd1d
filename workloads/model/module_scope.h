// SPDX-License-Identifier: Apache-2.0
// Tracks the running module of a model for collectors. Without a listener, as in timed launches, a
// scope costs one load of a thread-local pointer and one branch.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace stepbench {

using ModuleNames = std::vector<std::pair<const void*, std::string>>;  // module, "layer3.1.conv2"

// Called on the thread where it is installed.
class ModuleListener {
 public:
  ModuleListener() = default;
  ModuleListener(const ModuleListener&) = delete;
  ModuleListener& operator=(const ModuleListener&) = delete;
  virtual ~ModuleListener() = default;
  virtual void names(ModuleNames names) = 0;  // before the modules run
  virtual void enter(const void* module) noexcept = 0;
  virtual void leave() noexcept = 0;
};

// Thread-local because torch's forward() takes no context. Set by a collector around the steps that
// it records, on the main thread; otherwise null.
inline constinit thread_local ModuleListener* module_listener = nullptr;

class [[nodiscard]] ModuleScope {
 public:
  explicit ModuleScope(const void* module) : listener_(module_listener) {
    if (listener_ != nullptr) listener_->enter(module);
  }
  ModuleScope(const ModuleScope&) = delete;  // assign it to a name; a scope has one owner
  ModuleScope& operator=(const ModuleScope&) = delete;
  ~ModuleScope() {
    if (listener_ != nullptr) listener_->leave();
  }

 private:
  ModuleListener* listener_;
};

}  // namespace stepbench
