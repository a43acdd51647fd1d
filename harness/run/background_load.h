// SPDX-License-Identifier: Apache-2.0
// A load of known size beside a launch: how much slower a step is where its CPUs are shared (option
// background.busy_cpus).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/value.h"

namespace stepbench::run {

// Threads of this program, so that what they use is not taken for other programs'. They run on the
// CPUs that this program may use, with its priority, until the object ends. Main thread.
class BackgroundLoad {
 public:
  // They want the time of `cpus` CPUs from now on: of 1.5, one thread is always busy and another
  // half of its time. 0: there are none. `clock` outlives the object.
  BackgroundLoad(double cpus, const Clock& clock);
  BackgroundLoad(const BackgroundLoad&) = delete;
  BackgroundLoad& operator=(const BackgroundLoad&) = delete;
  ~BackgroundLoad();

  // background_cpus, that they had so far in the mean: fewer than they want where all are busy.
  // Nothing of no load.
  [[nodiscard]] Fields facts() const;

 private:
  const Clock& clock_;
  std::int64_t begin_ns_;
  std::deque<std::atomic<std::int64_t>> cpu_ns_;  // of each thread
  std::vector<std::jthread> threads_;
};

}  // namespace stepbench::run
