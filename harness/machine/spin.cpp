// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/spin.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/stats/order.h"

namespace stepbench::machine {

double Spin::median_ns() const { return times_ns.empty() ? 0 : stats::median(times_ns); }

double Spin::variation() const {
  if (times_ns.size() < 2) return 0;
  const auto n = static_cast<double>(times_ns.size());
  const double mean = std::accumulate(times_ns.begin(), times_ns.end(), 0.0) / n;
  double squares = 0;
  for (const double time : times_ns) squares += (time - mean) * (time - mean);
  return mean > 0 ? std::sqrt(squares / (n - 1)) / mean : 0;
}

double Spin::slowest() const {
  if (times_ns.empty()) return 1;
  std::vector<double> sorted = times_ns;
  std::sort(sorted.begin(), sorted.end());
  return sorted[(sorted.size() - 1) * 99 / 100] / median_ns();
}

Spin spin(const Clock& clock, const std::function<void()>& work, std::int64_t total_ns) {
  constexpr int kWarmUp = 5;
  for (int i = 0; i < kWarmUp; ++i) work();
  Spin result;
  const std::int64_t begin_ns = clock.now_ns();
  for (std::int64_t now_ns = begin_ns; now_ns - begin_ns < total_ns;) {
    work();
    const std::int64_t end_ns = clock.now_ns();
    result.times_ns.push_back(static_cast<double>(end_ns - now_ns));
    now_ns = end_ns;
  }
  return result;
}

void spin_work() {
  volatile std::uint64_t result = 0;
  std::uint64_t state = 88172645463325252ULL;
  constexpr int kRounds = 1'500'000;  // xorshift, three dependent steps each
  for (int i = 0; i < kRounds; ++i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
  }
  result = state;
  (void)result;
}

}  // namespace stepbench::machine
