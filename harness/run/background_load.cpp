// SPDX-License-Identifier: Apache-2.0
#include "harness/run/background_load.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <functional>
#include <stop_token>

#include "harness/run/internal/launch_limits.h"

namespace stepbench::run {
namespace {

constexpr std::int64_t kTurnNs = 10'000'000;  // each thread is busy for its share of each turn
constexpr int kRoundsBetweenLooks = 2000;     // takes some microseconds

std::int64_t own_cpu_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * kNsPerS + time.tv_nsec;
}

void compute() {
  volatile double value = 1;
  for (int i = 0; i < kRoundsBetweenLooks; ++i) value = value * 0.999 + 1;
}

// Work missed in one turn on a busy machine is not made up for in later turns.
void burn_cpu(const std::stop_token& stop, double share, const Clock& clock,
              std::atomic<std::int64_t>& cpu_ns) {
  const auto busy_ns = static_cast<std::int64_t>(share * static_cast<double>(kTurnNs));
  std::int64_t turn_ns = clock.now_ns();
  while (!stop.stop_requested()) {
    const std::int64_t until_ns = own_cpu_ns() + busy_ns;
    while ((cpu_ns = own_cpu_ns()) < until_ns && !stop.stop_requested()) compute();
    turn_ns = std::max(turn_ns + kTurnNs, clock.now_ns());
    if (share < 1) std::this_thread::sleep_for(std::chrono::nanoseconds{turn_ns - clock.now_ns()});
  }
}

}  // namespace

BackgroundLoad::BackgroundLoad(double cpus, const Clock& clock)
    : clock_(clock), begin_ns_(clock.now_ns()) {
  // Keeps signals on the main thread.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  for (; cpus > 0; cpus -= 1) {
    threads_.emplace_back(burn_cpu, std::min(cpus, 1.0), std::cref(clock_),
                          std::ref(cpu_ns_.emplace_back(0)));
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Requests all stops before the first join.
BackgroundLoad::~BackgroundLoad() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

Fields BackgroundLoad::facts() const {
  if (threads_.empty()) return {};
  double used_ns = 0;
  for (const auto& cpu_ns : cpu_ns_) used_ns += static_cast<double>(cpu_ns.load());
  const std::int64_t wall_ns = std::max<std::int64_t>(clock_.now_ns() - begin_ns_, 1);
  return {{"background_cpus", used_ns / static_cast<double>(wall_ns)}};
}

}  // namespace stepbench::run
