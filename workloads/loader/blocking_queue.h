// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace stepbench {

// Many producers, one consumer. Waiting sleeps; nothing spins.
template <typename T>
class BlockingQueue {
 public:
  void push(T value) {
    {
      const std::lock_guard lock(mutex_);
      values_.push_back(std::move(value));
      size_.store(values_.size(), std::memory_order_relaxed);
    }
    filled_.notify_one();
  }

  [[nodiscard]] std::optional<T> try_pop() {
    const std::lock_guard lock(mutex_);
    return values_.empty() ? std::nullopt : std::optional<T>(take());
  }

  [[nodiscard]] T pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return !values_.empty(); });
    return take();
  }

  // Nothing after `limit`.
  [[nodiscard]] std::optional<T> pop_within(std::chrono::nanoseconds limit) {
    std::unique_lock lock(mutex_);
    if (!filled_.wait_for(lock, limit, [this] { return !values_.empty(); })) return std::nullopt;
    return take();
  }

  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  T take() {
    T value = std::move(values_.front());
    values_.pop_front();
    size_.store(values_.size(), std::memory_order_relaxed);
    return value;
  }

  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<T> values_;
  std::atomic<std::size_t> size_ = 0;  // readable without the lock
};

}  // namespace stepbench
