// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace stepbench::data {
namespace {

constexpr unsigned kMaxThreads = 16;

class Team {
 public:
  Team(std::int64_t count, const std::function<void(std::int64_t)>& work)
      : count_(count), work_(work) {}

  void run(const std::function<void(std::int64_t)>& progress) {
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    const auto size = std::min<std::int64_t>(std::min(cores, kMaxThreads), count_);
    std::vector<std::jthread> threads;
    for (std::int64_t i = 0; i < size; ++i) threads.emplace_back([this] { take(); });
    std::unique_lock lock(mutex_);
    for (std::int64_t shown = 0; !error_ && shown < count_;) {
      changed_.wait(lock, [&] { return error_ || done_ != shown; });
      shown = done_;
      lock.unlock();
      if (progress) progress(shown);
      lock.lock();
    }
    lock.unlock();
    threads.clear();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void take() {
    for (;;) {
      const std::int64_t index = next_++;
      if (index >= count_) return;
      try {
        work_(index);
        const std::lock_guard lock(mutex_);
        ++done_;
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_ = count_;
      }
      changed_.notify_one();
    }
  }

  std::int64_t count_;
  const std::function<void(std::int64_t)>& work_;
  std::atomic<std::int64_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t done_ = 0;
  std::exception_ptr error_;
};

}  // namespace

void in_parallel(std::int64_t count, const std::function<void(std::int64_t)>& work,
                 const std::function<void(std::int64_t)>& progress) {
  Team(count, work).run(progress);
}

}  // namespace stepbench::data
