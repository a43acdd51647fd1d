// SPDX-License-Identifier: Apache-2.0
// What the samples of one launch say. The estimate of its step is time / steps over the whole of
// its windows: a mean is right whatever the shape of the steps, where a median is the time to take
// a ready batch once several workers deliver at the same time. Quantiles describe; nothing is
// judged by them, but for latency. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/record/reader.h"
#include "harness/stats/interval.h"

namespace stepbench::estimate {

// Which clock gave the time of the windows.
enum class StepClock : std::uint8_t {
  kHost,     // from step to step on the host, for cases without a device
  kDrained,  // some launches by kDevice, others on the host: from an idle device until it is idle
  kDevice  // CUDA events on the stream that computes, from the end of a step to the end of the next
};
constexpr EnumNames<3> names_of(StepClock) { return {"host", "drained", "device"}; }

struct PhaseTime {
  std::string name;     // "data_wait"
  std::int64_t ns = 0;  // over all steps of the estimate
};

// Steps that carry one bit of the `flags` column. A step may carry several.
struct FlaggedSteps {
  std::string_view flag;  // "epoch border"
  std::int64_t steps = 0;
};

inline constexpr std::size_t kMinStepsForP99 = 300;

// Of the host's step times; of latencies where these are asked for.
struct StepQuantiles {
  double p50_ns = 0;
  double p90_ns = 0;
  std::optional<double> p99_ns;  // from 300 steps: of fewer it is read off too low
  double any_p99_ns = 0;         // of however few steps
  double iqr_ns = 0;
};

// schedule.sync: step. The time of a step without the wait for its data; of a request, where steps
// answer some.
struct Latency {
  double p50_ns = 0;
  std::optional<stats::Interval> interval_ns = {};  // 95 %, of the medians of ten blocks of steps
};

// The first batches of epochs, where the loader stops between them. Workers that start together
// deliver in turns, so that the steps after a border find their batches ready: a border's wait is
// taken over a whole turn, and compared with turns elsewhere.
struct EpochBorders {
  std::int64_t steps = 0;
  double gap_ns = 0;  // mean wait of a turn that starts an epoch beyond that of others; may be < 0
};

struct LaunchEstimate {
  std::int64_t steps = 0;
  std::int64_t host_ns = 0;                // sum of step_ns
  std::optional<std::int64_t> drained_ns;  // on the host, until the device was idle
  std::optional<std::int64_t> device_ns;   // where every step has a time on the device
  bool on_device = false;
  // A file before 1.3: device_ns sums up spans of steps, without what lies between two of them.
  bool device_spans = false;
  // A file before 1.3 whose window is no whole number of epochs: its mean depends on where it lies.
  bool uneven = false;
  bool no_rates = false;  // on a device, and nothing tells when it had finished

  std::vector<PhaseTime> phases;         // of the host, in column order, `other` last
  std::vector<PhaseTime> device_phases;  // on the stream that computes, `other` last
  std::vector<PhaseTime> side_phases;    // on other streams; not part of the step
  std::optional<std::int64_t> samples;
  std::optional<std::int64_t> tokens;
  std::optional<std::int64_t> bytes;  // copied to the device
  // The model's operations in a step, on average: partial batches have fewer.
  std::optional<double> flops_per_step;
  std::optional<double> device_peak_flops;  // per second

  StepQuantiles quantiles;
  std::optional<Latency> latency;
  std::vector<FlaggedSteps> flagged;  // only flags that occurred
  std::optional<EpochBorders> borders;
  std::optional<double> device_span_ns;  // median of step_device_ns
  std::optional<double> host_lead_ns;    // median: how far the host runs ahead of the device
};

// Nothing without samples.
[[nodiscard]] std::optional<LaunchEstimate> estimate_of(const record::Launch& launch);

// What its quantiles are of, one for each step that they count, in order: the host's step times, or
// latencies where these are asked for. Empty without samples.
[[nodiscard]] std::vector<double> quantile_times(const record::Launch& launch);

// The best clock that the launch has.
[[nodiscard]] StepClock clock_of(const LaunchEstimate& launch);
// Numbers of two launches stand beside each other on one clock only.
[[nodiscard]] StepClock common(StepClock a, StepClock b);
[[nodiscard]] std::int64_t window_ns(const LaunchEstimate& launch, StepClock clock);
[[nodiscard]] double step_ns(const LaunchEstimate& launch, StepClock clock);
// The model's operations per second.
struct ModelRate {
  double flops_per_s = 0;
  std::optional<double> mfu = {};  // share of the device's peak
  bool refused = false;            // it would be above 1: the peak or the count is wrong
};
[[nodiscard]] ModelRate model_rate(double flops_per_step, std::optional<double> device_peak_flops,
                                   double step_ns);
// What stands for the launch in tables and verdicts: its latency where that is asked for, else its
// step.
[[nodiscard]] double headline_ns(const LaunchEstimate& launch, StepClock clock);

}  // namespace stepbench::estimate
