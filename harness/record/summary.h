// SPDX-License-Identifier: Apache-2.0
// What the samples of one launch say, by the one declared rule: a step is steady when its flags are
// 0; estimates are taken over steady steps, and over all steps (with `no_steady_steps` set) when
// there are none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/reader.h"

namespace stepbench {

struct PhaseSummary {
  std::string name;  // "data_wait"
  double median_ns = 0;
  double share = 0;  // of the sum of step times
};

// Steps that carry one bit of the `flags` column. A step may carry several.
struct FlaggedSteps {
  std::string_view flag;  // "epoch border"
  std::int64_t steps = 0;
};

struct LaunchSummary {
  std::int64_t steps = 0;
  std::int64_t steady_steps = 0;
  std::vector<FlaggedSteps> flagged;  // why the others were left out; only flags that occurred
  bool no_steady_steps = false;
  double step_median_ns = 0;
  double step_p90_ns = 0;
  double step_p99_ns = 0;
  double step_iqr_ns = 0;
  std::vector<PhaseSummary> phases;  // in column order, `other` last
  // By CUDA events; empty without them. Shares are of device_step_ns; phases on side streams and
  // `overlap` come on top.
  std::vector<PhaseSummary> device;
  std::optional<double> device_step_ns;
  std::optional<double> host_lead_ns;  // median: how far the host runs ahead of the device
  double data_wait_share = 0;
  std::optional<double> samples_per_s;
  std::optional<double> tokens_per_s;
  std::optional<double> achieved_flops_per_s;  // where the launch reports model_flops_per_step
  std::optional<double> mfu;                   // and device_peak_flops
  std::optional<double> epoch_gap_ns;          // median extra wait of epoch-border steps
};

[[nodiscard]] std::optional<LaunchSummary> summarise(
    const Launch& launch);  // nothing without samples

}  // namespace stepbench
