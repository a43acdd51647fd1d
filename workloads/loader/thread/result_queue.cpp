// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/thread/result_queue.h"

#include <utility>

namespace stepbench::loader {

void ResultQueue::push(LoaderResult&& result) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    wake = std::exchange(waiting_, false);
    results_.push_back(std::move(result));
    size_.store(results_.size() - first_, std::memory_order_relaxed);
  }
  if (wake) arrived_.notify_one();
}

void ResultQueue::interrupt() {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    wake = std::exchange(waiting_, false);
  }
  if (wake) arrived_.notify_one();
}

bool ResultQueue::wait(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds limit) {
  if (results_.size() == first_ && !interrupted_) {
    waiting_ = true;
    const auto woken = [this] { return !waiting_; };
    if (limit.count() == 0) {
      arrived_.wait(lock, woken);
    } else if (!arrived_.wait_for(lock, limit, woken)) {
      waiting_ = false;
      return false;
    }
  }
  return !std::exchange(interrupted_, false);
}

void ResultQueue::take(std::vector<LoaderResult>& into, std::chrono::nanoseconds limit) {
  std::unique_lock lock(mutex_);
  if (wait(lock, limit)) move_all(into);
}

void ResultQueue::try_take(std::vector<LoaderResult>& into) {
  const std::lock_guard lock(mutex_);
  move_all(into);
}

std::optional<LoaderResult> ResultQueue::take_one(std::chrono::nanoseconds limit) {
  std::unique_lock lock(mutex_);
  if (!wait(lock, limit)) return std::nullopt;
  return move_first();
}

std::optional<LoaderResult> ResultQueue::try_take_one() {
  const std::lock_guard lock(mutex_);
  if (results_.size() == first_) return std::nullopt;
  return move_first();
}

void ResultQueue::clear() {
  std::vector<LoaderResult> dropped;  // batches return to their pool outside the lock
  try_take(dropped);
}

void ResultQueue::move_all(std::vector<LoaderResult>& into) {
  if (first_ > 0) results_.erase(results_.begin(), results_.begin() + static_cast<long>(first_));
  first_ = 0;
  results_.swap(into);
  size_.store(0, std::memory_order_relaxed);
}

LoaderResult ResultQueue::move_first() {
  LoaderResult result = std::move(results_[first_++]);
  if (2 * first_ >= results_.size()) {
    results_.erase(results_.begin(), results_.begin() + static_cast<long>(first_));
    first_ = 0;
  }
  size_.store(results_.size() - first_, std::memory_order_relaxed);
  return result;
}

}  // namespace stepbench::loader
