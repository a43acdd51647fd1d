// SPDX-License-Identifier: Apache-2.0
// How efficiently matrix products, convolutions and attention use the device, by operator and
// shape: FLOP/s and bandwidth relative to the device's peaks (harness/ops/op_work.h), and the
// time lost relative to the roofline. Pure; any thread.
//
// An operator's time is that of the device work its calls launched; without a device, its time on
// the host. If an operator with a formula calls another one (conv2d, convolution), only the
// innermost counts. The masked half of causal attention, which kernels skip, is not counted here,
// although MFU counts it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/ops/op_work.h"
#include "harness/traces/internal/steps.h"
#include "harness/traces/internal/summary.h"

namespace stepbench::traces {

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
