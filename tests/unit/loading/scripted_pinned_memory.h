// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "tests/testing.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/loader.h"

namespace stepbench::test {

// malloc memory that records live allocations and requesting threads.
class ScriptedPinnedMemory final : public loader::PinnedMemory {
 public:
  std::function<void()> before = {};  // before each allocation; may throw

  void enter_thread() override { ++entered; }
  std::shared_ptr<void> allocate(std::size_t bytes) override {
    if (before) before();
    void* memory = std::malloc(bytes);
    const std::lock_guard lock(mutex_);
    out_.insert(memory);
    threads_.insert(std::this_thread::get_id());
    return {memory, [this](void* back) {
              const std::lock_guard give_back(mutex_);
              out_.erase(back);
              std::free(back);
            }};
  }
  [[nodiscard]] bool holds(const void* memory) {
    const std::lock_guard lock(mutex_);
    return out_.contains(const_cast<void*>(memory));
  }
  [[nodiscard]] std::size_t out() {
    const std::lock_guard lock(mutex_);
    return out_.size();
  }
  [[nodiscard]] std::set<std::thread::id> threads() {
    const std::lock_guard lock(mutex_);
    return threads_;
  }
  std::atomic<int> entered = 0;

 private:
  std::mutex mutex_;
  std::set<void*> out_;
  std::set<std::thread::id> threads_;
};

// The samples of each batch, checking that all are in `memory`.
inline std::vector<std::vector<std::int64_t>> pinned_epoch(loader::Loader& loader,
                                                           std::int64_t number,
                                                           ScriptedPinnedMemory& memory) {
  std::vector<std::vector<std::int64_t>> batches;
  loader.begin_epoch(number);
  while (const std::optional<Batch> batch = loader.next()) {
    EXPECT_TRUE(memory.holds(batch->fields.at(0).data));
    batches.push_back(indices(*batch));
  }
  return batches;
}

}  // namespace stepbench::test
