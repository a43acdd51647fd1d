// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/loading/dispatch_model.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/loader.h"

namespace stepbench::test {

// Virtual time for an engine whose workers are real threads. Reading a batch and consuming one are
// waits that the conductor ends, one at a time and in the order of their ends, each when every
// thread that can be busy is. Batches hold one sample and come in order.
class Conductor {
 public:
  // How many workers are busy, of the batches that are sent and of those that are finished.
  using Busy =
      std::function<std::int64_t(std::int64_t sent, const std::set<std::int64_t>& finished)>;

  Conductor(const Dispatch& dispatch, std::int64_t samples, Busy busy)
      : dispatch_(dispatch), samples_(samples), busy_(std::move(busy)) {}

  // For IndexDataset: on the thread of a worker.
  void read(const data::SampleKey& key) {
    const std::int64_t batch = key.epoch * samples_ + key.index;
    std::unique_lock lock(mutex_);
    if (over_) return;
    reading_[batch] = now_ + dispatch_.cost_ns(batch);
    changed_.notify_all();
    changed_.wait(lock, [&] { return over_ || finished_.contains(batch); });
  }

  // When the consumer gets each batch.
  [[nodiscard]] std::vector<std::int64_t> run(loader::Loader& loader, std::int64_t batches) {
    std::thread consumer([&] { consume(loader, batches); });
    {
      std::unique_lock lock(mutex_);
      while (std::ssize(got_) < batches) {
        changed_.wait(lock, [&] { return quiet(); });
        if (std::ssize(got_) < batches) end_the_next_wait();
      }
      over_ = true;
      changed_.notify_all();
    }
    consumer.join();
    return got_;
  }

 private:
  void consume(loader::Loader& loader, std::int64_t batches) {
    std::int64_t epoch = 0;
    loader.begin_epoch(epoch);
    for (std::int64_t i = 0; i < batches; ++i) {
      while (!loader.next()) loader.begin_epoch(++epoch);
      std::unique_lock lock(mutex_);
      got_.push_back(now_);
      consuming_until_ = now_ + dispatch_.consumer_ns;
      consuming_ = true;
      changed_.notify_all();
      changed_.wait(lock, [&] { return over_ || !consuming_; });
    }
  }

  [[nodiscard]] bool quiet() const {
    return (consuming_ || !finished_.contains(std::ssize(got_))) &&
           std::ssize(reading_) == busy_(sent(), finished_);
  }

  // Batches, as soon as the consumer has come to rest.
  [[nodiscard]] std::int64_t sent() const {
    const std::int64_t taken = std::ssize(got_);
    const std::int64_t ahead = dispatch_.workers * dispatch_.prefetch_factor;
    if (dispatch_.epoch == 0) return taken + ahead;
    const std::int64_t of_epoch = taken % dispatch_.epoch;
    if (of_epoch == 0 && consuming_) return taken;  // the next epoch has not begun
    return taken - of_epoch + std::min(of_epoch + ahead, dispatch_.epoch);
  }

  void end_the_next_wait() {
    const auto first =
        std::min_element(reading_.begin(), reading_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (consuming_ && (first == reading_.end() || consuming_until_ < first->second)) {
      now_ = consuming_until_;
      consuming_ = false;
    } else {
      now_ = first->second;
      finished_.insert(first->first);
      reading_.erase(first);
    }
    changed_.notify_all();
  }

  const Dispatch& dispatch_;
  std::int64_t samples_;
  Busy busy_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t now_ = 0;
  std::map<std::int64_t, std::int64_t> reading_;  // batch to its end
  std::set<std::int64_t> finished_;
  bool consuming_ = false;
  std::int64_t consuming_until_ = 0;
  std::vector<std::int64_t> got_;
  bool over_ = false;
};

}  // namespace stepbench::test
