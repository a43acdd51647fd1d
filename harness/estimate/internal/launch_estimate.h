// SPDX-License-Identifier: Apache-2.0
// The numbers of one launch: its columns as one table over all cycles or part of them, and the
// estimates from them. Holds views into the launch, which must outlive it. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/record/result_file.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::estimate {

class StepColumns {
 public:
  explicit StepColumns(const record::Launch& launch);

  [[nodiscard]] std::size_t steps() const { return steps_; }
  // In order of first appearance.
  [[nodiscard]] const std::vector<std::string_view>& names() const { return names_; }
  // True if every step has a value.
  [[nodiscard]] bool complete(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::int64_t sum(std::string_view name) const;
  // Values of the steps that have one, in order.
  [[nodiscard]] std::vector<double> values(std::string_view name) const;
  // One value per step; 0 for cycles without the column.
  [[nodiscard]] std::vector<std::int64_t> filled(std::string_view name) const;

  // Restricts each cycle to whole epochs: from its first to its last step with `border` in its
  // flags. Returns false and changes nothing if a cycle has fewer than two such steps.
  bool cut_to_epochs(std::int64_t border);

 private:
  struct Part {
    const record::CycleSamples* samples = nullptr;
    std::size_t from = 0;
    std::size_t to = 0;
    [[nodiscard]] std::span<const std::int64_t> column(std::string_view name) const;
  };
  std::vector<Part> parts_;
  std::vector<std::string_view> names_;
  std::size_t steps_ = 0;
};

// Estimates from the samples of one launch. The step estimate is time / steps over the whole
// windows: the mean is right whatever the distribution of steps, whereas with several workers
// delivering at once the median is the time to take a ready batch. Quantiles are descriptive; only
// latencies are judged by them.

// The clock of the windows' time.
enum class StepClock : std::uint8_t {
  kHost,     // from step to step on the host; for cases without a device
  kDrained,  // kDevice for some launches; for others the host, from idle to idle device
  kDevice    // CUDA events on the compute stream, from the end of a step to the end of the next
};
constexpr EnumNames<3> names_of(StepClock) { return {"host", "drained", "device"}; }

struct PhaseTime {
  std::string name;     // "data_wait"
  std::int64_t ns = 0;  // over all steps of the estimate
};

// Steps with one bit of the `flags` column set. A step may have several.
struct FlaggedSteps {
  std::string_view flag;  // "epoch border"
  std::int64_t steps = 0;
};

inline constexpr std::size_t kMinStepsForP99 = 300;

// Quantiles of host step times, or of latencies if these were requested.
struct StepQuantiles {
  double p50_ns = 0;
  double p90_ns = 0;
  std::optional<double> p99_ns;  // from 300 steps on; with fewer it is biased low
  double any_p99_ns = 0;         // whatever the number of steps
  double iqr_ns = 0;
};

// With schedule.sync=step: time of a step without its wait for data, or of a request if steps
// answer requests.
struct Latency {
  double p50_ns = 0;
  std::optional<stats::Interval> interval_ns = {};  // 95 %, from the medians of ten blocks of steps
};

// First batches of epochs, for loaders that stop between epochs. Workers that start together
// deliver in turns, so that the steps after a border find their batches ready: a border's wait is
// summed over a whole turn and compared with turns elsewhere.
struct EpochBorders {
  std::int64_t steps = 0;
  double gap_ns = 0;  // mean extra wait of a turn that starts an epoch; may be < 0
};

struct LaunchEstimate {
  std::int64_t steps = 0;
  std::int64_t host_ns = 0;                // sum of step_ns
  std::optional<std::int64_t> drained_ns;  // on the host, until the device is idle
  std::optional<std::int64_t> device_ns;   // set if every step has a device time
  bool on_device = false;
  // A file before 1.3: device_ns sums the spans of steps, without the gaps between them.
  bool device_spans = false;
  // A file before 1.3 whose window is not a whole number of epochs: the mean depends on its
  // position.
  bool uneven = false;
  bool no_rates = false;  // runs on a device, but its completion time is unknown

  std::vector<PhaseTime> phases;         // host clock, in column order, `other` last
  std::vector<PhaseTime> device_phases;  // on the compute stream, `other` last
  std::vector<PhaseTime> side_phases;    // on other streams; not part of the step
  std::optional<std::int64_t> samples;
  std::optional<std::int64_t> tokens;
  std::optional<std::int64_t> bytes;  // copied to the device
  // Mean FLOPs of the model per step; partial batches have fewer.
  std::optional<double> flops_per_step;
  std::optional<double> device_peak_flops;  // per second

  StepQuantiles quantiles;
  std::optional<Latency> latency;
  std::vector<FlaggedSteps> flagged;  // only flags that occurred
  std::optional<EpochBorders> borders;
  std::optional<double> device_span_ns;  // median of step_device_ns
  std::optional<double> host_lead_ns;    // median lead of the host over the device
};

// nullopt without samples.
[[nodiscard]] std::optional<LaunchEstimate> estimate_of(const record::Launch& launch);

// The values behind its quantiles, one per counted step, in order: host step times, or latencies if
// these were requested. Empty without samples.
[[nodiscard]] std::vector<double> quantile_times(const record::Launch& launch);

// The best clock available in the launch.
[[nodiscard]] StepClock clock_of(const LaunchEstimate& launch);
// The clock on which two launches can be compared.
[[nodiscard]] StepClock common(StepClock a, StepClock b);
[[nodiscard]] std::int64_t window_ns(const LaunchEstimate& launch, StepClock clock);
[[nodiscard]] double step_ns(const LaunchEstimate& launch, StepClock clock);
struct ModelRate {
  double flops_per_s = 0;
  std::optional<double> mfu = {};  // share of the device's peak
  bool refused = false;            // it would be above 1: the peak or the operation count is wrong
};
[[nodiscard]] ModelRate model_rate(double flops_per_step, std::optional<double> device_peak_flops,
                                   double step_ns);
// The launch's main number in tables and verdicts: latency if it was requested, else the step.
[[nodiscard]] double headline_ns(const LaunchEstimate& launch, StepClock clock);

enum class PhasePlace : std::uint8_t {
  kHost,           // <phase>_ns: phases sum to step_ns
  kComputeStream,  // <phase>_device_ns: phases sum to period_device_ns
  kSideStream      // <phase>_side_device_ns: concurrent with the step
};

struct PhaseColumn {
  std::string name;  // "data_wait"
  PhasePlace place = PhasePlace::kHost;
};

// nullopt if the column is not a phase.
[[nodiscard]] std::optional<PhaseColumn> phase_of(const record::Launch& launch,
                                                  std::string_view column);

}  // namespace stepbench::estimate
