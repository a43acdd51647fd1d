// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "tests/testing.h"
#include "tests/unit/loading/scripted_pinned_memory.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/loader.h"

namespace stepbench::test {

// A device's memory, simulated by the values copied in: records copies and their threads, and live
// ones.
class ScriptedUpload final : public loader::BatchUpload {
 public:
  struct Copy {
    std::vector<std::int64_t> samples;
  };

  explicit ScriptedUpload(ScriptedPinnedMemory& memory) : memory_(memory) {}
  std::function<void(const Batch&)> before = {};  // before each copy; may throw

  void enter_thread() override { ++entered; }
  std::shared_ptr<const void> upload(const Batch& pinned) override {
    EXPECT_TRUE(memory_.holds(pinned.fields.at(0).data));
    if (before) before(pinned);
    {
      const std::lock_guard lock(mutex_);
      order_.push_back(pinned.index);
      threads_.insert(std::this_thread::get_id());
    }
    const std::int64_t now = ++*there_;
    if (now > most_) most_ = now;
    return {new Copy{indices(pinned)}, [there = there_](const Copy* copy) {
              delete copy;
              --*there;
            }};
  }

  [[nodiscard]] static const Copy& of(const Batch& batch) {
    return *static_cast<const Copy*>(batch.device_copy.get());
  }
  [[nodiscard]] std::vector<std::int64_t> order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }
  [[nodiscard]] std::set<std::thread::id> threads() {
    const std::lock_guard lock(mutex_);
    return threads_;
  }
  [[nodiscard]] std::int64_t there() const { return *there_; }  // live copies
  [[nodiscard]] std::int64_t most() const { return most_; }     // at the same time
  std::atomic<int> entered = 0;

 private:
  ScriptedPinnedMemory& memory_;
  std::mutex mutex_;
  std::vector<std::int64_t> order_;  // indices of the batches
  std::set<std::thread::id> threads_;
  std::shared_ptr<std::atomic<std::int64_t>> there_ =
      std::make_shared<std::atomic<std::int64_t>>(0);
  std::atomic<std::int64_t> most_ = 0;
};

// The samples of each batch in the order of arrival at the device.
inline std::vector<std::vector<std::int64_t>> uploaded_epoch(loader::Loader& loader,
                                                             std::int64_t number) {
  std::vector<std::vector<std::int64_t>> batches;
  loader.begin_epoch(number);
  while (const std::optional<Batch> batch = loader.next()) {
    EXPECT_NE(batch->device_copy, nullptr);
    EXPECT_EQ(ScriptedUpload::of(*batch).samples, indices(*batch));
    batches.push_back(ScriptedUpload::of(*batch).samples);
  }
  return batches;
}

}  // namespace stepbench::test
