// SPDX-License-Identifier: Apache-2.0
#include "harness/record/warmup_fields.h"

#include <string>
#include <vector>

#include "harness/base/launch_outcome.h"

namespace stepbench::record {
namespace {

const std::vector<std::int64_t>& period_of(const Series& cycle) {
  const std::vector<std::int64_t>* on_device = cycle.find("period_device_ns");
  return on_device != nullptr ? *on_device : cycle.column("step_ns");
}

}  // namespace

schedule::WarmupVerdict judge_windows(std::span<const Series> cycles, std::int64_t block_steps) {
  schedule::WarmupVerdict worst;
  for (const Series& cycle : cycles) {
    const std::vector<std::int64_t> none(cycle.steps(), 0);
    const std::vector<std::int64_t>* flags = cycle.find("flags");
    worst = schedule::worse(
        worst,
        schedule::judge_warmup(period_of(cycle), flags != nullptr ? *flags : none, block_steps));
  }
  return worst;
}

void put_warmup(const schedule::WarmupVerdict& verdict, LaunchReport& report) {
  report.schedule["warmup_verdict"] = std::string(name_of(verdict.kind));
  report.schedule["warmup_more"] = verdict.more_steps;
  report.schedule["warmup_change"] = verdict.change;
  if (verdict.kind == schedule::WarmupVerdict::Kind::kTooShort) {
    report.flags.emplace_back(launch_flag::kWarmupTooShort);
  }
  if (verdict.kind == schedule::WarmupVerdict::Kind::kDrifting) {
    report.flags.emplace_back(launch_flag::kDrifting);
  }
  if (verdict.first_step_slow) report.flags.emplace_back(launch_flag::kFirstStepSlow);
}

}  // namespace stepbench::record
