// SPDX-License-Identifier: Apache-2.0
// The sequence of a graph capture, as in torch.cuda.graph, on injected calls that tests script.
#pragma once

#include <exception>
#include <functional>

namespace stepbench::step {

struct GraphCapture {
  std::function<void()> work;
  std::function<void()> synchronize;
  // A capture allocates from its own pool: memory cached by the runs before it would otherwise stay
  // reserved as well for the rest of the process.
  std::function<void()> release_cached_memory;
  std::function<void()> begin;
  std::function<void()> end;
};

// Runs the work a few times, then captures it. Ends a failed capture and rethrows the error of the
// work.
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
    } catch (const std::exception&) {  // a consequence of the first error
    }
    throw;
  }
  calls.end();
  calls.synchronize();
}

}  // namespace stepbench::step
