// SPDX-License-Identifier: Apache-2.0
// Times two implementations in turn in one run: the ratio holds on a busy machine, where times of
// two runs would not.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <vector>

#include "harness/stats/order_statistics.h"

namespace stepbench {

// Each iteration of `state` runs both, alternating the order, and counts as the time of `ours`.
// Counters: median of the ratios ours / theirs with its 95 % interval by order statistics, and the
// median time of `theirs` in ms. One untimed pair runs first.
template <typename Ours, typename Theirs>
void time_in_turn(benchmark::State& state, const Ours& ours, const Theirs& theirs) {
  const auto seconds = [](const auto& run) {
    const auto began = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  (void)seconds(ours);
  (void)seconds(theirs);
  std::vector<double> ratios;
  std::vector<double> other;
  bool ours_first = true;
  for (auto _ : state) {
    double a = 0;
    if (ours_first) a = seconds(ours);
    const double b = seconds(theirs);
    if (!ours_first) a = seconds(ours);
    ours_first = !ours_first;
    ratios.push_back(a / b);
    other.push_back(1e3 * b);
    state.SetIterationTime(a);
  }
  state.counters["ratio"] = stats::median(ratios);
  if (const auto interval = stats::median_interval(ratios, 0.95)) {
    state.counters["low"] = interval->low;
    state.counters["high"] = interval->high;
  }
  state.counters["theirs_ms"] = stats::median(other);
}

}  // namespace stepbench
