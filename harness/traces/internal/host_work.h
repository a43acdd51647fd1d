// SPDX-License-Identifier: Apache-2.0
// What ran on the host: operators, calls and launches, waits, and data loading. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/traces/internal/steps.h"
#include "harness/traces/internal/summary.h"

namespace stepbench::traces {

// The operators of a trace by name, counted as TensorBoard's plug-in does: host and device time of
// all calls, self and total.
//
// Rows nest per thread by time. An op whose only child has the same name counts as one call.
// Runtime calls belong to the innermost op and are excluded from its self host time. Steps, data
// fetches, the optimizer's rows and the forward of (Distributed)DataParallel serve only as parents.

struct OperatorRow {
  std::uint32_t name = ops::kNoIndex;  // Trace::names
  std::int64_t calls = 0;
  std::int64_t host_ns = 0;
  std::int64_t self_host_ns = 0;
  std::int64_t device_ns = 0;  // sum of kernels, copies and sets; streams may overlap
  std::int64_t self_device_ns = 0;
  std::int64_t tensor_core_ns = 0;
  std::int64_t self_tensor_core_ns = 0;
  std::int64_t launches = 0;    // device rows that its own calls started
  std::int64_t step_calls = 0;  // calls that begin in the counted steps
  std::int64_t step_self_host_ns = 0;
  std::int64_t step_self_device_ns = 0;
  bool eligible = false;  // mixed precision casts it
};

struct Operators {
  ValueOrReason<std::vector<OperatorRow>> rows = {};  // by device time, then by self host time
  // Share, 0..1, of all operators' kernel time launched by the innermost eligible operators: those
  // that mixed precision casts or that use tensor cores. Absent without kernels.
  std::optional<double> eligible_share = {};
};

[[nodiscard]] Operators list_operators(const Timeline& timeline, const Steps& steps);

// Calls of the CUDA or HIP runtime and driver, and how they launched device work: how long calls
// took, how long work waited behind them, and how much was queued. A long delay on a busy device is
// healthy queueing; it only costs time if the device was otherwise idle.

// Returns indices of Timeline::work, sorted by start, of the rows launched before the last step
// began, because the last step's work may be incomplete. All rows with fewer than two steps.
[[nodiscard]] std::vector<std::size_t> rows_before_last_step(const Timeline& timeline,
                                                             const Steps& steps);

// A row that began late although its device was idle.
struct DelayedLaunch {
  TimeSpan call = {};
  TimeSpan work = {};
  std::uint32_t name = ops::kNoIndex;  // Trace::names: name of the work
  std::uint32_t op = ops::kNoIndex;    // Trace::names; kNoIndex: outside all operators
  // Part of the time from the end of the call to the start of the work with an idle device.
  std::int64_t idle_ns = 0;
};

struct Launches {
  static constexpr std::string_view kWindow = "before_last_step";  // as printed
  static constexpr std::int64_t kLongDelayNs = 100'000;
  static constexpr std::int64_t kLongCallNs = 50'000;

  std::int64_t calls = 0;        // calls that started device rows: launches, graphs, copies, sets
  std::int64_t rows = 0;         // device rows that they started
  Summary call = {};             // duration of these calls, in ns
  Summary delay = {};            // per row, in ns; 0 if it began before its call returned
  std::int64_t long_delays = 0;  // longer than kLongDelayNs
  std::int64_t long_calls = 0;   // longer than kLongCallNs
  // Kernels shorter than their call, for calls of at most kLongCallNs.
  std::int64_t short_kernels = 0;
  std::int64_t idle_delay_ns = 0;         // sum of DelayedLaunch::idle_ns over all rows
  std::vector<DelayedLaunch> worst = {};  // rows with a long delay, sorted by idle time
};

[[nodiscard]] ValueOrReason<Launches> launch_statistics(const Timeline& timeline,
                                                        const Steps& steps);

// Work launched but not yet begun on one stream.
struct LaunchQueue {
  static constexpr std::int64_t kFull = 1024;  // length at which CUDA blocks the launching call

  int device = 0;
  std::int64_t stream = 0;
  std::int64_t changes = 0;
  double mean_at_changes = 0;
  std::int64_t max = 0;
  double mean = 0;  // over time, like the quantiles; from the first change to the last
  double median = 0;
  double p95 = 0;
  std::int64_t full_ns = 0;
  double full_share = 0;      // share of the window
  std::int64_t negative = 0;  // changes after which the length was negative: damaged times
};

[[nodiscard]] ValueOrReason<std::vector<LaunchQueue>> launch_queues(const Timeline& timeline,
                                                                    const Steps& steps);

struct RuntimeCallRow {
  std::uint32_t name = ops::kNoIndex;  // Trace::names, whose facts give the class of the call
  bool driver = false;
  std::int64_t calls = 0;       // in the whole trace
  std::int64_t step_calls = 0;  // begun in the counted steps, as for all members below
  std::int64_t step_ns = 0;     // sum of durations, on any thread
  TimeSpan longest = {};
  std::size_t longest_step = 0;              // index of the step
  std::uint32_t longest_op = ops::kNoIndex;  // Trace::names: the op that made it
};

// Sorted by time in the steps, then by calls.
[[nodiscard]] ValueOrReason<std::vector<RuntimeCallRow>> list_runtime_calls(
    const Timeline& timeline, const Steps& steps);

// Host work that costs a step thread time apart from its large operators: waits for a device, many
// small operators, values read from tensors, and large blocks of memory that are newly allocated
// each time. Counted steps only, without data loading and without the waits that belong to a copy
// (own_waits).

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

// Data loading in a trace: how long each fetch on the step thread took, what the loader's workers
// did for it, and how much of both the step and the device waited for.

struct LoaderCall {
  TimeSpan at = {};
  std::uint32_t name = ops::kNoIndex;  // Trace::names; iterator_class() of it says what reads
};

struct DataLoading {
  std::vector<LoaderCall> calls = {};  // sorted by time, including those outside all steps
  std::int64_t first_ns = 0;           // duration of the first call, which starts the workers
  Summary later = {};                  // durations of all other calls, in ns
  Summary interval = {};               // between the starts of consecutive calls, in ns
};

// Absent if the step thread fetches no data.
[[nodiscard]] ValueOrReason<DataLoading> find_data_loading(const Timeline& timeline,
                                                           const Steps& steps);

// Workers are only visible in stepbench's own traces, in which each batch has rows.

enum class LoaderPart : std::uint8_t {
  kFetch,
  kDecode,
  kCollate,
  kHandOver  // no worker was making a batch: it was in transit, or not begun
};
constexpr EnumNames<4> names_of(LoaderPart) { return {"fetch", "decode", "collate", "hand_over"}; }
inline constexpr std::size_t kLoaderPartCount = 4;

struct LoaderWork {
  using Parts = std::array<std::int64_t, kLoaderPartCount>;

  bool in_step_thread = false;  // no workers: the step thread reads the batches itself
  std::int64_t workers = 0;     // workers that made a batch; 1 for the step thread
  Summary batch = {};           // time of one batch in a worker, for batches that end in the steps
  Parts work_ns = {};           // sum over these batches; kHandOver is 0
  // Activity of the workers while the step waited for data, in the counted steps. Workers that make
  // batches at the same time share the moment. Sums exactly to the exposed data loading.
  Parts exposed_ns = {};
  // Busy share of the workers' time, in the counted steps and while the step waited. The time after
  // a worker's last batch is excluded, because what it made then never arrived.
  double busy_share = 0;
  double busy_share_waiting = 0;

  [[nodiscard]] std::int64_t exposed_total_ns() const;
  [[nodiscard]] LoaderPart largest_exposed() const;
};

[[nodiscard]] ValueOrReason<LoaderWork> find_loader_work(const Timeline& timeline,
                                                         const Steps& steps,
                                                         const ValueOrReason<DataLoading>& loading);

}  // namespace stepbench::traces
