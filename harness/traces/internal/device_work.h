// SPDX-License-Identifier: Apache-2.0
// What ran on the devices: kernels, copies, communication, and how efficient they were. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/ops/op_work.h"
#include "harness/traces/internal/steps.h"
#include "harness/traces/internal/summary.h"
#include "harness/traces/internal/timeline.h"

namespace stepbench::traces {

// Use of each device: its kernels by name and how well they fill it, when it was busy, and the peak
// memory of its allocator.

struct DeviceUse {
  int device = 0;
  // Estimates, from the start of the first step to the end of the last work that the steps
  // launched; absent if no kernel records them.
  std::optional<double> sm_efficiency = {};      // share of multiprocessors with a block, 0..1
  std::optional<double> occupancy_percent = {};  // mean over kernel time
  // Busy share, 0..1, of each of kChunks equal parts between the device's first and last row. Empty
  // if that range is shorter than kChunks ns.
  static constexpr std::int64_t kChunks = 30;
  std::vector<double> busy_over_time = {};
};

// One entry per device that ran work.
[[nodiscard]] std::vector<DeviceUse> find_device_use(const Timeline& timeline, const Steps& steps);

struct MemoryPeak {
  int device = -1;  // -1: the host
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = 0;               // peak, possibly at another moment
  std::int64_t at_ns = 0;                        // time of the allocated_bytes peak
  std::optional<std::int64_t> total_bytes = {};  // capacity of the device, if recorded
};

// Sorted by device, host first. Absent if memory was not recorded or lacks totals (traces of 2021).
[[nodiscard]] ValueOrReason<std::vector<MemoryPeak>> memory_peaks(const Trace& trace);

struct KernelRow {
  std::uint32_t name = ops::kNoIndex;  // Trace::names
  std::int64_t calls = 0;              // in the whole trace
  std::int64_t total_ns = 0;           // sum of durations; kernels of several streams may overlap
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  std::int64_t step_calls = 0;  // launched in the counted steps
  std::int64_t step_ns = 0;
  // Means over time; absent if no row records them.
  std::optional<double> blocks_per_sm = {};
  std::optional<double> occupancy_percent = {};
  // Judged by its name; absent if the name is inconclusive or the device may not be NVIDIA's.
  std::optional<bool> tensor_cores = {};
  bool probably_tensor_cores = false;         // a name of newer libraries, which is not certain
  std::optional<bool> communication = false;  // absent if unclear from the name
};

struct Kernels {
  std::vector<KernelRow> rows = {};        // sorted by total time
  std::vector<std::size_t> by_calls = {};  // indices of rows, sorted by calls
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  std::optional<std::int64_t> tensor_core_ns = {};  // part of total_ns; absent as for rows
  std::int64_t probably_tensor_core_ns = 0;         // part of total_ns under newer, uncertain names
  Summary duration = {};                            // duration of a single kernel, in ns
  // Kernels shorter than kTinyKernelNs, which is about the host's cost of a launch.
  std::int64_t tiny = 0;
  std::int64_t tiny_in_steps = 0;  // launched in the counted steps
};
inline constexpr std::int64_t kTinyKernelNs = 10'000;

[[nodiscard]] ValueOrReason<Kernels> list_kernels(const Timeline& timeline, const Steps& steps);

// Copies between host and device: size, bandwidth and waits of the host.

// All copies of one name, such as "Memcpy HtoD (Pageable -> Device)". Copies that return small
// results to the host, as .item() does, form a separate group: they are waits in any memory.
struct CopyGroup {
  std::uint32_t name = ops::kNoIndex;  // Trace::names
  bool reads = false;
  ops::CopyKind direction = ops::CopyKind::kNone;
  MemoryKind host = MemoryKind::kUnknown;  // kDevice: both ends are on devices
  std::int64_t count = 0;
  std::int64_t in_steps = 0;  // launched in the counted steps, as for all members below
  std::optional<std::int64_t> bytes = {};  // bytes of these; absent: not recorded (ROCm)
  std::int64_t device_ns = 0;              // sum of the rows
  std::int64_t exposed_ns = 0;             // part of their union during which no kernel runs
  Summary bytes_per_ns = {};               // GB/s of each row with a duration > 0
  // Time of their host calls, including calls that wait for the copy inside the same operation:
  // torch's copy_ calls cudaMemcpyAsync and then cudaStreamSynchronize unless it is non_blocking.
  std::int64_t call_ns = 0;
  std::int64_t own_wait_ns = 0;       // part of call_ns spent in these waits
  std::int64_t own_wait_idle_ns = 0;  // part of own_wait_ns during which the device was idle
  // Copies whose call returned only when the copy was done, within 100 us or 5 % of its duration:
  // all calls that are not Async, and copies of pageable memory. A pinned copy blocks if its call,
  // or the wait in the same operation, outlasts it.
  std::int64_t blocking = 0;
  // Time by which these calls outlasted their copies, while the device was busy or idle.
  std::int64_t wait_busy_ns = 0;
  std::int64_t wait_idle_ns = 0;
  TimeSpan longest_call = {};
  std::uint32_t longest_name = ops::kNoIndex;  // name of longest_call
  std::uint32_t longest_op = ops::kNoIndex;  // operator around it; kNoIndex: outside all operators
  std::size_t longest_step = 0;              // index of the step
};

// Larger copies are treated as intended results.
inline constexpr std::int64_t kSmallReadBytes = std::int64_t{64} << 10;

// Returns whether this copy brings a small result to the waiting host. `call` may be null.
[[nodiscard]] bool reads_result(const Trace& trace, const TraceEvent& copy, const CallRow* call);

// For each of Timeline::calls: the call in the same operation that waits for the copy it started;
// null if there is none. Copies that bring small results are waits themselves.
[[nodiscard]] std::vector<const CallRow*> own_waits(const Timeline& timeline);

struct Copies {
  std::vector<CopyGroup> groups = {};  // sorted by time on the device
};

[[nodiscard]] ValueOrReason<Copies> find_copies(const Timeline& timeline, const Steps& steps);

// Communication of one rank: size, type, group and bandwidth. Sizes and bandwidths follow
// nccl-tests (NVIDIA/nccl-tests, doc/PERFORMANCE.md).
//
// In the trace of a single rank, a collective's duration includes waiting for the other ranks. The
// exchange alone can be timed only with the traces of all ranks: compare_traces.h.

// Facts read from the rows. Collectives with equal facts do the same amount of work.
struct ExchangeFacts {
  std::string name = {};         // "allreduce", "_allgather_base", or the row's name
  std::string group = {};        // the group's name and ranks; empty: unknown
  std::int64_t group_size = -1;  // number of ranks in the group; -1: unknown
  ops::Dtype dtype = ops::Dtype::kUnknown;
  // Size as nccl-tests defines it: bytes that a rank sends; for a gather, bytes of its result; for
  // a scatter, bytes of its input. -1: unknown.
  std::int64_t bytes = -1;

  // Returns bus bandwidth / algorithm bandwidth: 2 (n - 1) / n for all-reduce, (n - 1) / n for
  // gathers, scatters and all-to-all, 1 otherwise. nullopt if the name or group size is unknown.
  [[nodiscard]] std::optional<double> bus_factor() const;
  // In bytes per ns (= GB/s). nullopt if the size or the group size is unknown.
  [[nodiscard]] std::optional<double> algorithm_bandwidth(double duration_ns) const;
  [[nodiscard]] std::optional<double> bus_bandwidth(double duration_ns) const;

  friend bool operator<(const ExchangeFacts& a, const ExchangeFacts& b) {
    return std::tie(a.name, a.group, a.group_size, a.dtype, a.bytes) <
           std::tie(b.name, b.group, b.group_size, b.dtype, b.bytes);
  }
};

// A collective or a point-to-point message as seen by one rank.
struct ExchangeRow {
  // Name and group, or the two ranks of a message; equal on all of them. Empty: unknown peers.
  std::string key = {};
  TimeSpan at = {};
  std::int64_t placed_by_ns = 0;  // start of its launch, else its own: decides its step
  ExchangeFacts facts = {};
};

// Returns the communication kernels of the device or, if there are none, the host rows of a backend
// such as Gloo; sorted by start.
[[nodiscard]] std::vector<ExchangeRow> exchanges_of(const Timeline& timeline);

// All exchanges with equal facts.
struct CollectiveRow {
  ExchangeFacts facts = {};
  Summary duration = {};  // in ns, over the whole trace
  InSteps in_steps = {};
  // Part of in_steps.ns during which no kernel computes (on the host: all of it).
  std::int64_t step_exposed_ns = 0;
};

// Sorted by time in the counted steps, then by total time.
[[nodiscard]] ValueOrReason<std::vector<CollectiveRow>> list_collectives(const Timeline& timeline,
                                                                         const Steps& steps);

// How efficiently matrix products, convolutions and attention use the device, by operator and
// shape: FLOP/s and bandwidth relative to the device's peaks (harness/ops/op_work.h), and the
// time lost relative to the roofline.
//
// An operator's time is that of the device work its calls launched; without a device, its time on
// the host. If an operator with a formula calls another one (conv2d, convolution), only the
// innermost counts. The masked half of causal attention, which kernels skip, is not counted here,
// although MFU counts it.

// All calls of an operator with equal inputs.
struct EfficiencyRow {
  std::uint32_t name = ops::kNoIndex;    // Trace::names
  std::uint32_t shapes = ops::kNoIndex;  // Trace::texts, like `arguments`
  std::uint32_t arguments = ops::kNoIndex;
  bool backward = false;  // judged by its name, or called by autograd
  ops::OpWork work = {};  // work of one call
  // kTf32 if the kernels indicate it; kUnknown if the trace has no types.
  ops::Dtype dtype = ops::Dtype::kUnknown;
  std::int64_t calls = 0;  // in the whole trace
  std::int64_t time_ns = 0;
  InSteps in_steps = {};

  [[nodiscard]] std::int64_t flops() const { return work.flops - work.masked_flops; }
  // Minimum bytes that a call moves; absent if types or shapes are unknown.
  [[nodiscard]] std::optional<std::int64_t> bytes() const;
  [[nodiscard]] double flops_per_s() const;
  [[nodiscard]] std::optional<double> bytes_per_s() const;
  [[nodiscard]] std::optional<double> intensity() const;  // FLOP per byte

  // Relative to the device's peaks; absent if these are unknown.
  std::optional<double> peak_flops = {};      // FLOP/s for this type
  std::optional<double> peak_share = {};      // flops_per_s() / peak_flops
  std::optional<double> ridge = {};           // FLOP per byte above which arithmetic is the bound
  std::optional<double> roofline_share = {};  // share of the roofline limit
  std::optional<double> lost_ns = {};         // part of time_ns beyond the roofline time
  std::optional<double> step_lost_ns = {};    // the same for in_steps.ns
};

// Calls of operators with a formula that could not be counted.
struct UncountedWork {
  std::string reason = {};
  std::int64_t calls = 0;
  std::int64_t time_ns = 0;
};

struct Efficiency {
  bool on_host = false;                  // no device: times of operators on the host
  std::vector<EfficiencyRow> rows = {};  // sorted by lost time in the steps, then by time
  std::vector<UncountedWork> uncounted = {};
  std::int64_t work_ns = 0;   // all device work that computes, in the whole trace
  std::int64_t known_ns = 0;  // part of work_ns in `rows`
  std::int64_t fused_ns = 0;  // part of work_ns in Triton kernels, whose work has no formula
  double step_flops = 0;      // FLOP of `rows` in the counted steps
  std::string device = {};    // name from the trace; empty: unknown
  std::optional<ops::DevicePeaks> peaks = {};
  std::string no_peaks = {};  // why `peaks` is absent
};

// `untyped`: type assumed for operators without recorded types.
[[nodiscard]] ValueOrReason<Efficiency> find_efficiency(const Timeline& timeline,
                                                        const Steps& steps, ops::Dtype untyped);

}  // namespace stepbench::traces
