// SPDX-License-Identifier: Apache-2.0
// The native collector's records and its hooks into torch. For files of this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "workloads/model/module_scope.h"
#include "workloads/profile/internal/op_collector.h"
#include "workloads/profile/internal/thread_log.h"
#include "workloads/profile/internal/tick_clock.h"

namespace c10 {
class DebugInfoGuard;
}

namespace stepbench::profile {

class NativeRecorder final : public ModuleListener {
 public:
  NativeRecorder(const OpCollectorOptions& options, OpListener* listener, bool tsc);
  ~NativeRecorder() override;

  void install();
  void watch_memory();  // records the allocators' changes on this thread
  void remove() noexcept;
  [[nodiscard]] ThreadLog& open_log();  // calling thread's log; takes a lock
  [[nodiscard]] ThreadLog& main_log() { return *threads_.front(); }

  void names(ModuleNames names) override { module_names = std::move(names); }
  void enter(const void* module) noexcept override;
  void leave() noexcept override;

  const OpCollectorOptions options;
  OpListener* const listener;
  const bool tsc;
  const std::uint64_t id;  // unique in this process, never reused
  TickMap map;
  std::uint64_t window_begin = 0;
  std::uint64_t window_end = 0;
  ModuleNames module_names;
  std::vector<std::vector<std::uint32_t>> op_of_ordinal;  // by thread; set by make_op_log()

  [[nodiscard]] std::span<const std::unique_ptr<ThreadLog>> threads() const { return threads_; }
  [[nodiscard]] bool has_open_ops() const;

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<ThreadLog>> threads_;
  std::vector<const void*> modules_;  // open modules of the main thread
  std::uint64_t callback_ = 0;        // at::CallbackHandle; 0: none
  std::unique_ptr<c10::DebugInfoGuard> memory_guard_;
};

[[nodiscard]] ops::OpLog make_op_log(NativeRecorder& recorder);

}  // namespace stepbench::profile
