// SPDX-License-Identifier: Apache-2.0
// The order in which a graph is captured, that of torch.cuda.graph, on given calls: tests give
// scripted ones.
#pragma once

#include <exception>
#include <functional>

namespace stepbench::step {

struct GraphCapture {
  std::function<void()> work;
  std::function<void()> synchronize;
  // A capture allocates from a pool of its own: what the runs before it left cached would be
  // reserved beside it for as long as the process lives.
  std::function<void()> release_cached_memory;
  std::function<void()> begin;
  std::function<void()> end;
};

// Runs the work a few times, then once more while it is captured. A failed capture is ended, and
// the error of the work is thrown on.
inline void capture(const GraphCapture& calls) {
  constexpr int kWarmUpRuns = 3;
  for (int i = 0; i < kWarmUpRuns; ++i) calls.work();
  calls.synchronize();
  calls.release_cached_memory();
  calls.begin();
  try {
    calls.work();
  } catch (...) {
    try {
      calls.end();
    } catch (const std::exception&) {  // that it cannot be ended is a consequence
    }
    throw;
  }
  calls.end();
  calls.synchronize();
}

}  // namespace stepbench::step
