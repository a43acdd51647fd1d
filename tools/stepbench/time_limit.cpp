// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/time_limit.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <utility>

#include "harness/base/exit_status.h"

namespace stepbench::cli {
namespace {

double process_cpu_s() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

TimeLimit::TimeLimit(double cpu_s, std::function<void()> over)
    : watch_([until_s = process_cpu_s() + cpu_s, over = std::move(over)](std::stop_token stop) {
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
          const double left_s = until_s - process_cpu_s();
          if (left_s <= 0) {
            over();
            std::_Exit(kExitUsage);
          }
          // The limit cannot be reached earlier by one core; the loop checks again.
          ended.wait_for(lock, stop, std::chrono::duration<double>(left_s), [] { return false; });
        }
      }) {}

}  // namespace stepbench::cli
