// SPDX-License-Identifier: Apache-2.0
// CPU load of known size during a launch, to measure how much a step slows down when it shares its
// CPUs (option background.busy_cpus).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/value.h"

namespace stepbench::run {

// Threads of this program, so that their time is not attributed to other programs. They run on this
// program's CPUs with its priority until the object is destroyed. Main thread.
class BackgroundLoad {
 public:
  // Requests the time of `cpus` CPUs: with 1.5, one thread is always busy and another half of the
  // time. 0: no threads. `clock` must outlive the object.
  BackgroundLoad(double cpus, const Clock& clock);
  BackgroundLoad(const BackgroundLoad&) = delete;
  BackgroundLoad& operator=(const BackgroundLoad&) = delete;
  ~BackgroundLoad();

  // background_cpus: CPUs obtained on average, fewer than requested if busy. Empty without load.
  [[nodiscard]] Fields facts() const;

 private:
  const Clock& clock_;
  std::int64_t begin_ns_;
  std::deque<std::atomic<std::int64_t>> cpu_ns_;  // one per thread
  std::vector<std::jthread> threads_;
};

}  // namespace stepbench::run
