// SPDX-License-Identifier: Apache-2.0
#include "tools/gbench/launch_hand_over.h"

#include <utility>

namespace stepbench::gbench {

std::optional<record::Launch> LaunchHandOver::measure(const run::Job& job) {
  std::unique_lock lock(mutex_);
  if (ended_) return std::nullopt;
  asked_ = job;
  changed_.notify_all();
  changed_.wait(lock, [this] { return measured_ || ended_; });
  return std::exchange(measured_, std::nullopt);
}

void LaunchHandOver::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool LaunchHandOver::wait_for_first() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return asked_ || closed_; });
  return asked_.has_value();
}

std::optional<run::Job> LaunchHandOver::next(const record::Results& finished) {
  std::unique_lock lock(mutex_);
  if (std::exchange(under_way_, false) && finished.launches.size() > seen_) {
    measured_ = finished.launches.back();
    changed_.notify_all();
  }
  seen_ = finished.launches.size();
  changed_.wait(lock, [this] { return asked_ || closed_; });
  if (!asked_) return std::nullopt;
  under_way_ = true;
  return std::exchange(asked_, std::nullopt);
}

void LaunchHandOver::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

}  // namespace stepbench::gbench
