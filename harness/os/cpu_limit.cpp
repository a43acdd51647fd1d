// SPDX-License-Identifier: Apache-2.0
#include "harness/os/cpu_limit.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <utility>

namespace stepbench::os {
namespace {

double process_cpu_s() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

CpuLimit::CpuLimit(double cpu_s, int status, std::function<void()> over)
    : watch_([until_s = process_cpu_s() + cpu_s, status,
              over = std::move(over)](std::stop_token stop) {
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
          const double left_s = until_s - process_cpu_s();
          if (left_s <= 0) {
            over();
            std::_Exit(status);
          }
          // The limit cannot be reached earlier by one core; the loop checks again.
          ended.wait_for(lock, stop, std::chrono::duration<double>(left_s), [] { return false; });
        }
      }) {}

}  // namespace stepbench::os
