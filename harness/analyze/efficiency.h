// SPDX-License-Identifier: Apache-2.0
// How well matrix products, convolutions and attention use the device, by operator and shape:
// FLOP/s and bandwidth against its peaks (harness/ops/device_peaks.h), and the time lost against
// the best that its arithmetic and its memory allow. Pure; any thread.
//
// An operator's time is that of the device work that its calls launched; without a device that of
// the operator on the host. Where one with a formula calls another (conv2d, convolution), the
// innermost counts. Of causal attention the half that kernels leave out is not counted here, though
// MFU counts it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/value_or_reason.h"
#include "harness/ops/device_peaks.h"
#include "harness/ops/op_work.h"

namespace stepbench::analyze {

// All calls of an operator with the same inputs.
struct EfficiencyRow {
  std::uint32_t name = ops::kNoIndex;    // Trace::names
  std::uint32_t shapes = ops::kNoIndex;  // Trace::texts, as the next
  std::uint32_t arguments = ops::kNoIndex;
  bool backward = false;  // by its name, or called by autograd
  ops::OpWork work = {};  // of one call
  // kTf32 where kernels say so; kUnknown where the trace has no types.
  ops::Dtype dtype = ops::Dtype::kUnknown;
  std::int64_t calls = 0;  // in the whole trace
  std::int64_t time_ns = 0;
  InSteps in_steps = {};

  [[nodiscard]] std::int64_t flops() const { return work.flops - work.masked_flops; }
  // The least that a call moves; absent where types or shapes do not tell.
  [[nodiscard]] std::optional<std::int64_t> bytes() const;
  [[nodiscard]] double flops_per_s() const;
  [[nodiscard]] std::optional<double> bytes_per_s() const;
  [[nodiscard]] std::optional<double> intensity() const;  // FLOP per byte

  // Against the device's peaks; absent where these are not known.
  std::optional<double> peak_flops = {};      // per second, of this type
  std::optional<double> peak_share = {};      // of it
  std::optional<double> ridge = {};           // FLOP per byte from which on arithmetic is the bound
  std::optional<double> roofline_share = {};  // of what arithmetic or memory allows at most
  std::optional<double> lost_ns = {};         // beyond that, of time_ns
  std::optional<double> step_lost_ns = {};    // of in_steps.ns
};

// Calls of operators with a formula that could not be counted.
struct UncountedWork {
  std::string reason = {};
  std::int64_t calls = 0;
  std::int64_t time_ns = 0;
};

struct Efficiency {
  bool on_host = false;                  // no device: times are of operators on the host
  std::vector<EfficiencyRow> rows = {};  // by time lost in steps, then by time
  std::vector<UncountedWork> uncounted = {};
  std::int64_t work_ns = 0;   // all work of the devices that computes, in the whole trace
  std::int64_t known_ns = 0;  // of it in `rows`
  std::int64_t fused_ns = 0;  // of it in kernels that Triton made, whose work has no formula
  double step_flops = 0;      // of `rows`, in the counted steps
  std::string device = {};    // by the trace; empty: it does not say
  std::optional<ops::DevicePeaks> peaks = {};
  std::string no_peaks = {};  // why there are none
};

// `untyped`: the type of operators whose types the trace does not have.
[[nodiscard]] ValueOrReason<Efficiency> find_efficiency(const Timeline& timeline,
                                                        const Steps& steps, ops::Dtype untyped);

}  // namespace stepbench::analyze
