// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/dispatcher.h"

#include <algorithm>
#include <cassert>

namespace stepbench::loader {

Dispatcher::Dispatcher(int workers, std::int64_t prefetch_factor, bool in_order)
    : capacity_(prefetch_factor * workers),
      in_order_(in_order),
      workers_(static_cast<std::size_t>(workers)) {
  assert(workers >= 1 && prefetch_factor >= 1);
}

void Dispatcher::begin_epoch(std::int64_t tasks) {
  std::ranges::fill(workers_, Worker{});
  turn_ = 0;
  tasks_ = tasks;
  drawn_ = next_send_ = next_yield_ = 0;
  infos_.clear();
  given_.reset();
  outstanding_ = stashed_ = 0;
}

std::optional<Dispatcher::Task> Dispatcher::dispatch() {
  assert(outstanding_ < capacity_);
  if (drawn_ >= tasks_) return std::nullopt;
  ++drawn_;
  const std::int64_t alive = in_order_ ? 1 : std::ranges::count(workers_, true, &Worker::alive);
  for (std::size_t tried = 0; tried < workers_.size(); ++tried) {
    const std::size_t candidate = turn_;
    if (++turn_ == workers_.size()) turn_ = 0;
    Worker& worker = workers_[candidate];
    if (!worker.alive || (!in_order_ && worker.load >= capacity_ / alive)) continue;
    ++worker.load;
    ++outstanding_;
    infos_.push_back({.worker = static_cast<int>(candidate)});
    return Task{.index = next_send_++, .worker = static_cast<int>(candidate)};
  }
  return std::nullopt;
}

Dispatcher::State Dispatcher::state() {
  if (given_) return State::kYield;
  while (next_yield_ < next_send_) {
    const Info& next = infos_.front();
    if (next.batch_state == BatchState::kStashed) return State::kYield;
    if (next.batch_state == BatchState::kSent &&
        workers_[static_cast<std::size_t>(next.worker)].alive)
      return State::kReceive;
    infos_.pop_front();
    ++next_yield_;
  }
  return State::kEnd;
}

void Dispatcher::received(std::int64_t index) {
  assert(!given_ && index >= next_yield_ && index < next_send_ &&
         info(index).batch_state == BatchState::kSent);
  --outstanding_;
  ++stashed_;
  info(index).batch_state = BatchState::kStashed;
  if (!in_order_) given_ = index;
}

void Dispatcher::ended(int worker) {
  --outstanding_;
  workers_[static_cast<std::size_t>(worker)].alive = false;
}

Dispatcher::Task Dispatcher::yield() {
  const std::int64_t index = given_.value_or(next_yield_);
  given_.reset();
  Info& taken = info(index);
  assert(taken.batch_state == BatchState::kStashed);
  taken.batch_state = BatchState::kYielded;
  --stashed_;
  --workers_[static_cast<std::size_t>(taken.worker)].load;
  const Task task{.index = index, .worker = taken.worker};
  if (index == next_yield_) {
    infos_.pop_front();
    ++next_yield_;
  }
  return task;
}

}  // namespace stepbench::loader
