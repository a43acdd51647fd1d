// SPDX-License-Identifier: Apache-2.0
// What costs a step thread time beside its large operators: many small ones, values that are read
// from tensors, and large blocks of memory that come fresh each time. In the counted steps, without
// what loads data. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/analyze/steps.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

struct HostWork {
  static constexpr std::int64_t kTinyNs = 10'000;  // as tiny kernels
  static constexpr std::int64_t kLargeBytes = std::int64_t{1} << 20;
  static constexpr std::int64_t kPageBytes = 4096;
  // An upper bound of what the system takes to hand out a page and fill it with zeros.
  static constexpr std::int64_t kPageNs = 1000;
  // From here on malloc of glibc gives a block back to the system as soon as it is freed, whatever
  // was freed before (DEFAULT_MMAP_THRESHOLD_MAX): each time it comes as fresh pages.
  static constexpr std::int64_t kMappedBytes = std::int64_t{32} << 20;

  struct Often {
    std::uint32_t name = ops::kNoIndex;  // Trace::names
    std::int64_t count = 0;
  };
  // Operators shorter than kTinyNs, each with all that it calls, without those that read.
  std::int64_t tiny = 0;
  std::int64_t tiny_ns = 0;
  // Between two of them that follow each other within kTinyNs: what calls them, in Python mostly.
  std::int64_t between_ns = 0;
  Often most_often = {};      // of them
  TimeSpan slowest_run = {};  // the longest series of them with no other operator between
  std::size_t slowest_run_step = 0;

  // Values that the host read from tensors: .item(), bool(tensor), print(tensor). Not those of the
  // optimizer: its counters of steps live on the host whatever the device.
  std::int64_t reads = 0;
  std::int64_t read_between_ns = 0;  // of read_ns: between them
  std::int64_t read_ns = 0;          // of these operators, and of what is between them as above
  Often most_reading = {};           // the outermost operator that did
  std::uint32_t read_python = ops::kNoIndex;  // the user's frame of most of them, where recorded
  TimeSpan first_read = {};
  std::size_t first_read_step = 0;

  // Blocks of the host of at least kLargeBytes. Null where the trace has no memory rows.
  struct Allocations {
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    // Of blocks of at least kMappedBytes: the time of their fresh pages at most, which is not more
    // than that of the operators that may have touched them first.
    std::int64_t mapped_ns = 0;
    std::int64_t most_held = 0;  // bytes of such blocks of these steps, at one time
    Often most_often = {};       // the outermost operator that did
    TimeSpan first = {};         // of it
    std::size_t first_step = 0;
  };
  std::optional<Allocations> allocations = {};
};

[[nodiscard]] ValueOrReason<HostWork> find_host_work(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::analyze
