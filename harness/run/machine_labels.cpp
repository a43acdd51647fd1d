// SPDX-License-Identifier: Apache-2.0
#include "harness/run/machine_labels.h"

#include <algorithm>
#include <map>

#include "harness/base/launch_flags.h"
#include "harness/base/value.h"
#include "harness/measure/step_recorder.h"
#include "harness/text/numbers.h"

namespace stepbench::run {
namespace {

constexpr double kMuch = 0.01;
constexpr double kMuchBesideABackground = 0.05;  // below it, that load is what was waited for

}  // namespace

std::int64_t label_throttled_steps(std::vector<record::CycleSamples>& samples,
                                   std::span<const std::int64_t> window_begins,
                                   std::span<const machine::DeviceSampler::Span> throttled) {
  if (throttled.empty()) return 0;
  std::int64_t labelled = 0;
  std::map<std::int64_t, std::int64_t> reached_ns;  // of each cycle: it may come in parts
  for (record::CycleSamples& part : samples) {
    const auto cycle = static_cast<std::size_t>(part.cycle);
    const std::vector<std::int64_t>* step_ns = part.steps.find("step_ns");
    std::vector<std::int64_t>* flags = part.steps.find("flags");
    if (cycle >= window_begins.size() || step_ns == nullptr || flags == nullptr) continue;
    std::int64_t& now_ns = reached_ns.try_emplace(part.cycle, window_begins[cycle]).first->second;
    for (std::size_t i = 0; i < step_ns->size(); ++i) {
      const std::int64_t end_ns = now_ns + (*step_ns)[i];
      const bool slowed = std::any_of(throttled.begin(), throttled.end(),
                                      [&](const machine::DeviceSampler::Span& span) {
                                        return span.begin_ns < end_ns && now_ns < span.end_ns;
                                      });
      if (slowed) {
        (*flags)[i] |= kThrottled;
        ++labelled;
      }
      now_ns = end_ns;
    }
  }
  return labelled;
}

void label_machine(const Fields& machine, std::int64_t wall_ns, record::LaunchReport& report) {
  const auto label = [&](std::string_view flag, std::string note) {
    report.flags.emplace_back(flag);
    report.notes.push_back(std::move(note));
  };
  const auto waited = number_of(machine, "window_run_queue_wait_ns");
  const double share = waited ? *waited / number_of(machine, "window_ns").value_or(1)
                              : number_of(machine, "run_queue_wait_ns").value_or(0) /
                                    static_cast<double>(std::max<std::int64_t>(wall_ns, 1));
  const auto others = number_of(machine, "others_cpu_share");
  const bool alone = others && *others < kMuch;
  // Of a launch too short for others to be known the load that was asked for explains the wait.
  const bool as_asked =
      machine.contains("background_cpus") && others.value_or(0) < kMuchBesideABackground;
  if (share > kMuch && !as_asked) {
    label(
        launch_flag::kWaitedForCpu,
        (alone ? "more threads than CPUs: " : "the machine was busy: ") +
            ("the training thread waited " + text::percent_text(share) + " of its time for a CPU") +
            (alone    ? ", and nothing else ran"
             : others ? "; other programs used " + text::percent_text(*others) + " of the CPUs"
                      : ""));
  }
  if (number_of(machine, "steal_share").value_or(0) > kMuch) {
    label(launch_flag::kSteal, "the hypervisor took more than 1 % of the machine's CPU time");
  }
  if (number_of(machine, "cgroup_throttled_ns").value_or(0) > 0) {
    label(launch_flag::kCpuQuota, "the control group's CPU quota stopped the worker");
  }
  if (machine.contains("gpu.lost")) {
    report.notes.emplace_back(
        "the GPU was lost while this launch ran: it answers nothing more (dmesg names the Xid); "
        "restart the machine, or take another device");
  }
  if (const auto errors = number_of(machine, "gpu.memory_errors")) {
    report.notes.push_back("the GPU had " + text::short_number(*errors) +
                           " memory errors during this launch that could not be repaired: its "
                           "results may be wrong (stepbench doctor says what to do)");
  }
  const auto reasons = machine.find("gpu.throttled");
  if (reasons != machine.end() && reasons->second != Value(std::string("no"))) {
    label(launch_flag::kThrottled, "the GPU was slowed down: " + to_text(reasons->second));
  }
}

}  // namespace stepbench::run
