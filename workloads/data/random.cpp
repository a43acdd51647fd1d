// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/random.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <numbers>

namespace stepbench::data {
namespace {

constexpr double kLateUs = 150;  // longest delay expected when the kernel wakes a sleeper

}  // namespace

double standard_normal(Philox& random) {
  const double radius = std::sqrt(-2 * std::log1p(-random.uniform()));  // Box-Muller
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables", 2000.
double unit_gamma(Philox& random, double k) {
  const double boosted = k < 1 ? k + 1 : k;
  const double d = boosted - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  double drawn = 0;
  for (;;) {
    const double x = standard_normal(random);
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    if (std::log1p(-random.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      drawn = d * v;
      break;
    }
  }
  if (k < 1) drawn *= std::pow(1 - random.uniform(), 1 / k);
  return drawn / k;
}

void sleep_us(double us) {
  const auto ns = static_cast<std::int64_t>(us * 1e3);
  timespec left{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0) {
  }
}

void sleep_exactly_us(double us) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::nanoseconds(std::llround(us * 1e3));
  if (us > kLateUs) sleep_us(us - kLateUs);
  while (std::chrono::steady_clock::now() < end) {
  }
}

void spin_us(double us) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
  };
  const double end = now() + us;
  while (now() < end) {
  }
}

}  // namespace stepbench::data
