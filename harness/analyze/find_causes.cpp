// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/analyze/rule_input.h"
#include "harness/base/error.h"
#include "harness/findings/finding.h"
#include "harness/text/words.h"

namespace stepbench::analyze {
namespace {

struct RuleEntry {
  TraceRule rule;
  RuleResult (*decide)(const RuleInput&);
};

constexpr std::array<RuleEntry, 26> kRules = {{
    {{"trace.data_exposed", 0.05, "ratio", "the device (on a CPU: the step) waits for a batch", ""},
     data_exposed},
    {{"trace.slow_first_batch", 5, "ratio", "the first batch takes longer than the later ones", ""},
     slow_first_batch},
    {{"trace.loader_workers", 0.05, "ratio", "what limits the loader's workers", ""},
     loader_workers},
    {{"trace.pageable_copies", 0.01, "ratio",
      "copies from or to pageable memory delay the step, even asynchronous ones",
      "cuda_memcpy_async"},
     pageable_copies},
    {{"trace.blocking_copies", 0.01, "ratio", "synchronous copies delay the step",
      "cuda_memcpy_sync"},
     blocking_copies},
    {{"trace.copy_exposed", 0.05, "ratio", "copies without overlapping kernels", ""}, copy_exposed},
    {{"trace.blocking_sets", 0.01, "ratio", "synchronous memset calls", "cuda_memset_sync"},
     blocking_sets},
    {{"trace.launch_bound", 0.1, "ratio", "the device waits for the host to launch work", ""},
     launch_bound},
    {{"trace.tiny_kernels", 0.5, "ratio",
      "share of kernels shorter than 10 us, while the device waits for launches", ""},
     tiny_kernels},
    {{"trace.launch_delay", 0.01, "ratio", "launched work starts late although its device is idle",
      ""},
     launch_delay},
    {{"trace.launch_queue_full", 0.01, "ratio",
      "the launch queue is full (1,024 launches): the host has to wait", ""},
     launch_queue_full},
    {{"trace.sync_bound", 0.02, "ratio", "the device waits while the host synchronises",
      "cuda_api_sync"},
     sync_bound},
    {{"trace.allocations", 0.01, "ratio", "calls that allocate or free memory of the device", ""},
     allocations},
    {{"trace.tiny_operators", 0.1, "ratio",
      "on a CPU: operators that take less than 10 us, by time", ""},
     tiny_operators},
    {{"trace.host_reads", 1, "per step",
      "on a CPU: values that the step reads from tensors, as .item() does", ""},
     host_reads},
    {{"trace.host_allocations", 0.01, "ratio",
      "on a CPU: fresh pages of large blocks that are allocated again and again", ""},
     host_allocations},
    {{"trace.communication_exposed", 0.1, "ratio", "communication without overlapping compute", ""},
     communication_exposed},
    {{"trace.low_gpu_utilization", 0.5, "ratio", "share of the time in which a kernel runs",
      "gpu_time_util"},
     low_utilization},
    {{"trace.gpu_gaps", 500e6, "ns", "the longest idle time of the device", "gpu_gaps"}, gpu_gaps},
    {{"trace.low_occupancy", 25, "percent", "resident warps of the kernels, by time", ""},
     low_occupancy},
    {{"trace.tensor_cores_unused", 0.2, "ratio",
      "kernel time of operations that could use tensor cores, where no kernel does", ""},
     tensor_cores_unused},
    {{"trace.memory_near_limit", 0.9, "ratio", "peak of allocated memory of the device", ""},
     memory_near_limit},
    {{"trace.unstable_steps", 0.1, "ratio", "spread of the steps: interquartile range / median",
      ""},
     unstable_steps},
    {{"trace.edge_step_bias", 0.1, "ratio", "the first or last step differs from the others", ""},
     edge_step_bias},
    {{"trace.unattributed", 0.05, "ratio", "unexplained idle time", ""}, unattributed},
    {{"trace.profiler_overhead", 0.01, "ratio", "the profiler's own work within the steps", ""},
     profiler_overhead},
}};

void check_thresholds(const RuleOptions& options) {
  std::vector<std::string> known;
  for (const RuleEntry& entry : kRules) known.emplace_back(entry.rule.id);
  for (const auto& [id, threshold] : options.thresholds) {
    if (std::find(known.begin(), known.end(), id) != known.end()) continue;
    throw ConfigError("--threshold", "unknown rule '" + id + "'" + text::did_you_mean(id, known));
  }
}

// Appends to the text of a gain that it is part of another one, because the two do not add up.
void note_overlapping_gains(std::vector<Finding>& findings) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kPartOf = {
      {{"trace.tiny_kernels", "trace.launch_bound"}}};
  const auto made = [&](std::string_view id) {
    return std::find_if(findings.begin(), findings.end(), [&](const Finding& each) {
      return each.id == id && each.undecided.empty();
    });
  };
  for (const auto& [part, whole] : kPartOf) {
    const auto found = made(part);
    if (found == findings.end() || made(whole) == findings.end()) continue;
    found->text += "; this gain is included in that of " + std::string(whole);
  }
}

bool ranks_before(const Finding& a, const Finding& b) {
  if (a.undecided.empty() != b.undecided.empty()) return a.undecided.empty();
  if (a.gain_ns.value_or(0) != b.gain_ns.value_or(0)) {
    return a.gain_ns.value_or(0) > b.gain_ns.value_or(0);
  }
  return a.severity > b.severity;
}

}  // namespace

std::span<const TraceRule> trace_rules() {
  static constexpr auto kTable = [] {
    std::array<TraceRule, kRules.size()> table;
    for (std::size_t i = 0; i < kRules.size(); ++i) table[i] = kRules[i].rule;
    return table;
  }();
  return kTable;
}

std::vector<Finding> find_causes(const trace::Trace& trace, const Analysis& analysis,
                                 const RuleOptions& options) {
  check_thresholds(options);
  const IdleReport* idle = analysis.idle_of(options.device);
  const std::size_t steps = analysis.steps.counted().size();
  if (idle == nullptr || steps == 0 || idle->counted.wall_ns <= 0) return {};
  std::vector<Finding> findings;
  for (const RuleEntry& entry : kRules) {
    const auto chosen = options.thresholds.find(entry.rule.id);
    const RuleInput input{
        .trace = trace,
        .analysis = analysis,
        .idle = *idle,
        .options = options,
        .rule = &entry.rule,
        .threshold = chosen == options.thresholds.end() ? entry.rule.threshold : chosen->second,
        .steps = double(steps)};
    if (RuleResult result = entry.decide(input)) findings.push_back(std::move(*result));
  }
  note_overlapping_gains(findings);
  std::stable_sort(findings.begin(), findings.end(), ranks_before);
  return findings;
}

}  // namespace stepbench::analyze
