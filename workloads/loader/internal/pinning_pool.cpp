// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/pinning_pool.h"

#include <pthread.h>

#include <utility>

#include "workloads/loader/internal/worker_cpus.h"

namespace stepbench::loader {

PinningPool::PinningPool(std::unique_ptr<WorkerPool> workers, PinnedMemory& memory,
                         BatchUpload* upload, const Clock& clock)
    : workers_(std::move(workers)), memory_(memory), upload_(upload), clock_(clock) {
  start();
}

PinningPool::~PinningPool() { stop(); }

void PinningPool::start() {
  stopping_ = false;
  thread_ = std::thread([this] { pin_results(); });
}

void PinningPool::stop() noexcept {
  stopping_ = true;
  workers_->interrupt();
  thread_.join();
}

void PinningPool::pin_results() {
  ::pthread_setname_np(::pthread_self(), "sb_data_pin");
  cap_threads_of_this_thread(1);
  try {
    memory_.enter_thread();
    if (upload_ != nullptr) upload_->enter_thread();
    while (!stopping_) {
      std::optional<LoaderResult> result = workers_->receive(std::chrono::nanoseconds(0));
      if (!result) continue;
      result->take_over_ns = 0;  // not the consumer's time
      if (!result->error && result->data.size > 0) pin(*result);
      pinned_.push({.result = std::move(result), .broken = {}});
    }
  } catch (...) {
    pinned_.push({.result = {}, .broken = std::current_exception()});
  }
}

void PinningPool::pin(LoaderResult& result) {
  const auto timed = [&](const auto& work) {
    const std::int64_t began_ns = clock_.now_ns();
    try {
      work();
    } catch (...) {
      result.error = std::current_exception();
      result.data = {};
    }
    return clock_.now_ns() - began_ns;
  };
  result.pin_ns = timed([&] { result.data = pinned_copy(result.data, memory_); });
  if (upload_ == nullptr || result.error) return;
  result.upload_ns = timed([&] { result.data.device_copy = upload_->upload(result.data); });
}

std::optional<LoaderResult> PinningPool::opened(std::optional<Answer> answer) {
  if (!answer) return std::nullopt;
  if (answer->broken) broken_ = answer->broken;
  if (broken_) std::rethrow_exception(broken_);
  return std::move(answer->result);
}

std::optional<LoaderResult> PinningPool::try_receive() {
  if (broken_) std::rethrow_exception(broken_);
  return opened(pinned_.try_pop());
}

std::optional<LoaderResult> PinningPool::receive(std::chrono::nanoseconds limit) {
  if (broken_) std::rethrow_exception(broken_);
  return opened(limit.count() == 0 ? pinned_.pop() : pinned_.pop_within(limit));
}

std::int64_t PinningPool::results() const {
  return workers_->results() + static_cast<std::int64_t>(pinned_.size());
}

void PinningPool::drain() {
  stop();
  while (const std::optional<Answer> left = pinned_.try_pop()) {
    if (left->broken) std::rethrow_exception(left->broken);
  }
  workers_->drain();
  start();
}

}  // namespace stepbench::loader
