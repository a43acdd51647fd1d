// SPDX-License-Identifier: Apache-2.0
// Host work that costs a step thread time apart from its large operators: waits for a device, many
// small operators, values read from tensors, and large blocks of memory that are newly allocated
// each time. Counted steps only, without data loading and without the waits that belong to a copy
// (own_waits). Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/traces/internal/copies.h"
#include "harness/traces/internal/steps.h"
#include "harness/traces/internal/summary.h"

namespace stepbench::traces {

struct HostWork {
  static constexpr std::int64_t kTinyNs = 10'000;  // as for tiny kernels
  static constexpr std::int64_t kLargeBytes = std::int64_t{1} << 20;
  static constexpr std::int64_t kPageBytes = 4096;
  // Upper bound of the time that the system takes to provide and zero a page.
  static constexpr std::int64_t kPageNs = 1000;
  // glibc's malloc returns blocks of at least this size to the system when they are freed, whatever
  // was freed before (DEFAULT_MMAP_THRESHOLD_MAX), so each allocation gets fresh pages.
  static constexpr std::int64_t kMappedBytes = std::int64_t{32} << 20;

  struct Often {
    std::uint32_t name = ops::kNoIndex;  // Trace::names
    std::int64_t count = 0;
  };
  // Operators shorter than kTinyNs, including all that they call, except those that read values.
  std::int64_t tiny = 0;
  std::int64_t tiny_ns = 0;
  // Time between two of them that are at most kTinyNs apart: their caller, mostly Python.
  std::int64_t between_ns = 0;
  Often most_often = {};      // most frequent of them
  TimeSpan slowest_run = {};  // longest run of them without another operator
  std::size_t slowest_run_step = 0;

  // Values that the host read from tensors: .item(), bool(tensor), print(tensor). Excludes the
  // optimizer's, whose step counters live on the host whatever the device.
  std::int64_t reads = 0;
  std::int64_t read_between_ns = 0;           // part of read_ns between the operators
  std::int64_t read_ns = 0;                   // time of these operators and between them, as above
  Often most_reading = {};                    // the outermost operator that read most often
  std::uint32_t read_python = ops::kNoIndex;  // the user's frame of most reads, if recorded
  TimeSpan first_read = {};
  std::size_t first_read_step = 0;

  // Host blocks of at least kLargeBytes. nullopt if the trace has no memory rows.
  struct Allocations {
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    // For blocks of at least kMappedBytes: upper bound of the time spent on their fresh pages,
    // limited by the time of the operators that may have touched them first.
    std::int64_t mapped_ns = 0;
    std::int64_t most_held = 0;  // peak bytes of such blocks that these steps allocated
    Often most_often = {};       // the outermost operator that allocated most often
    TimeSpan first = {};         // its first row
    std::size_t first_step = 0;
  };
  std::optional<Allocations> allocations = {};
};

[[nodiscard]] ValueOrReason<HostWork> find_host_work(const Timeline& timeline, const Steps& steps);

// Places where the host waits for a device: synchronising calls and copies that return small
// results, by operator and Python line.

// Names index Trace::names.
struct HostWaitPlace {
  std::uint32_t op = ops::kNoIndex;      // the outermost inside its annotation, such as aten::item
  std::uint32_t call = ops::kNoIndex;    // call of the longest wait
  std::uint32_t python = ops::kNoIndex;  // the user's frame; kNoIndex: no frames recorded
  bool reads = false;                    // waits for a small result
  std::int64_t count = 0;
  std::int64_t ns = 0;    // sum over all calls
  TimeSpan longest = {};  // longest call
  std::size_t longest_step = 0;
};

struct HostWaits {
  std::int64_t count = 0;                  // a copy and the call that waits for it count as one
  std::int64_t reads = 0;                  // those that copy small results
  std::vector<HostWaitPlace> places = {};  // sorted by time
};

[[nodiscard]] HostWaits find_host_waits(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::traces
