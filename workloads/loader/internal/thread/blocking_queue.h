// SPDX-License-Identifier: Apache-2.0
// A blocking queue with a single consumer.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace stepbench::loader {

// Many producers, one consumer. Waiting sleeps, never spins. T must be default-constructible.
// Memory grows to the longest queue so far and is not released.
template <typename T>
class BlockingQueue {
 public:
  void push(T value) {
    {
      const std::lock_guard lock(mutex_);
      const std::size_t count = size_.load(std::memory_order_relaxed);
      if (count == ring_.size()) grow();
      ring_[(head_ + count) & (ring_.size() - 1)] = std::move(value);
      size_.store(count + 1, std::memory_order_relaxed);
    }
    filled_.notify_one();
  }

  [[nodiscard]] std::optional<T> try_pop() {
    const std::lock_guard lock(mutex_);
    return size() == 0 ? std::nullopt : std::optional<T>(take());
  }

  [[nodiscard]] T pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return size() > 0; });
    return take();
  }

  // Returns nullopt after `limit`.
  [[nodiscard]] std::optional<T> pop_within(std::chrono::nanoseconds limit) {
    std::unique_lock lock(mutex_);
    if (!filled_.wait_for(lock, limit, [this] { return size() > 0; })) return std::nullopt;
    return take();
  }

  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  T take() {
    T value = std::move(ring_[head_]);
    head_ = (head_ + 1) & (ring_.size() - 1);
    size_.store(size() - 1, std::memory_order_relaxed);
    return value;
  }
  void grow() {
    std::vector<T> larger(2 * ring_.size());
    for (std::size_t i = 0; i < ring_.size(); ++i) {
      larger[i] = std::move(ring_[(head_ + i) & (ring_.size() - 1)]);
    }
    ring_ = std::move(larger);
    head_ = 0;
  }

  std::mutex mutex_;
  std::condition_variable filled_;
  std::vector<T> ring_ = std::vector<T>(4);  // size: a power of two
  std::size_t head_ = 0;
  std::atomic<std::size_t> size_ = 0;  // written under the lock, read without it
};

}  // namespace stepbench::loader
