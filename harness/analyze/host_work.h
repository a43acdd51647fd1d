// SPDX-License-Identifier: Apache-2.0
// What costs a step thread time beside its large operators: many small ones, values that are read
// from tensors, and large blocks of memory that come fresh each time. In the counted steps, without
// what loads data. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/analyze/known.h"
#include "harness/analyze/steps.h"

namespace stepbench::analyze {

struct HostWork {
  static constexpr std::int64_t kTinyNs = 10'000;  // as tiny kernels
  static constexpr std::int64_t kLargeBytes = std::int64_t{1} << 20;
  static constexpr std::int64_t kPageBytes = 4096;

  struct Often {
    std::uint32_t name = ops::kNoIndex;  // Trace::names
    std::int64_t count = 0;
  };
  // Operators shorter than kTinyNs, each with all that it calls.
  std::int64_t tiny = 0;
  std::int64_t tiny_ns = 0;
  Often most_often = {};      // of them
  TimeSpan slowest_run = {};  // the longest series of them with no other operator between
  std::size_t slowest_run_step = 0;

  // Values that the host read from tensors: .item(), bool(tensor), print(tensor).
  std::int64_t reads = 0;
  Often most_reading = {};  // the outermost operator that did
  TimeSpan first_read = {};
  std::size_t first_read_step = 0;

  // Blocks of the host of at least kLargeBytes. Null where the trace has no memory rows.
  struct Allocations {
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    std::int64_t most_held = 0;  // bytes of such blocks of these steps, at one time
    Often most_often = {};       // the outermost operator that did
    TimeSpan first = {};         // of it
    std::size_t first_step = 0;
  };
  std::optional<Allocations> allocations = {};
};

[[nodiscard]] Known<HostWork> find_host_work(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::analyze
