// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/analyze/rule_input.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::analyze {
namespace {

constexpr const char* kNoDevice = "the trace has no device rows";

// While a call waits for its own copy, the device computes nothing else. If it waited for earlier
// work, the host lost the lead that would have hidden its own time later.
double gain_of(const RuleInput& in, const HostStall& stall) {
  return stall.idle_ns + std::min(stall.lost_lead_ns, in.host_bound_ns());
}
std::string describe(const RuleInput& in, const HostStall& stall) {
  std::string text = text::short_number(in.per_step(double(stall.copies)), 1) + " per step";
  if (stall.bytes > 0) text += ", " + text::byte_text(in.per_step(stall.bytes));
  return text + ", calls of " + in.each_step(stall.call_ns) + "; mostly " +
         in.name(stall.worst->name) + ", by " +
         in.call_in(stall.worst->longest_name, stall.worst->longest_op);
}

void finish(const RuleInput& in, const HostStall& stall, Finding& finding) {
  in.gain(finding, gain_of(in, stall));
  if (stall.worst->longest_name == ops::kNoIndex) return;
  in.add_call(finding, stall.worst->longest_name, stall.worst->longest_op,
              stall.worst->longest_call, stall.worst->longest_step, stall.worst->name);
}

// Copies that read results are host waits and counted by sync_bound.
bool is_pageable(const CopyGroup& group) {
  return group.host == trace::MemoryKind::kPageable && !group.reads;
}

// Copies by drivers other than NVIDIA's.
bool is_of_unknown_memory(const CopyGroup& group) {
  return group.host == trace::MemoryKind::kUnknown && !group.reads &&
         (group.direction == ops::CopyKind::kHostToDevice ||
          group.direction == ops::CopyKind::kDeviceToHost);
}

}  // namespace

HostStall stall_of(const RuleInput& in, bool (*chosen)(const CopyGroup&)) {
  HostStall out;
  if (!in.analysis.copies) return out;
  for (const CopyGroup& group : in.analysis.copies->groups) {
    if (group.in_steps == 0 || !chosen(group)) continue;
    out.idle_ns += double(group.exposed_ns + group.wait_idle_ns);
    out.lost_lead_ns += double(group.wait_busy_ns);
    out.copies += group.in_steps;
    out.call_ns += double(group.call_ns);
    out.bytes += double(group.bytes.value_or(0));
    if (out.worst == nullptr || group.call_ns > out.worst->call_ns) out.worst = &group;
  }
  return out;
}

RuleResult pageable_copies(const RuleInput& in) {
  if (!in.analysis.copies) return in.undecided(in.analysis.copies.reason());
  const HostStall stall = stall_of(in, is_pageable);
  if (stall.worst == nullptr && stall_of(in, is_of_unknown_memory).worst != nullptr) {
    return in.undecided("the copies do not record whether host memory is pinned");
  }
  if (stall.worst == nullptr || in.share(gain_of(in, stall)) < in.threshold) return std::nullopt;
  Finding finding =
      in.of_share(gain_of(in, stall), "copies from or to pageable memory: " + describe(in, stall));
  finding.remedy =
      "Pinned memory makes them asynchronous: DataLoader(pin_memory=True) and "
      "tensor.to(device, non_blocking=True). Results that come back can be read later, in one "
      "copy.";
  in.propose(finding, "loader.pin_memory", "true");
  in.propose(finding, "transfer.non_blocking", "true");
  finish(in, stall, finding);
  return finding;
}

RuleResult blocking_copies(const RuleInput& in) {
  if (!in.analysis.copies) return in.undecided(in.analysis.copies.reason());
  const HostStall stall = stall_of(in, [](const CopyGroup& group) {
    return group.host != trace::MemoryKind::kPageable && !group.reads && group.blocking > 0;
  });
  if (stall.worst == nullptr || in.share(gain_of(in, stall)) < in.threshold) return std::nullopt;
  Finding finding = in.of_share(gain_of(in, stall),
                                "the host waits inside calls that copy: " + describe(in, stall));
  finding.remedy =
      "Copy with non_blocking=True and synchronise once, late, where the result is needed.";
  in.propose(finding, "transfer.non_blocking", "true");
  finish(in, stall, finding);
  return finding;
}

RuleResult copy_exposed(const RuleInput& in) {
  if (!in.on_device()) return in.undecided(kNoDevice);
  const auto exposed_ns = double(in.idle.counted.copy_ns);
  if (in.share(exposed_ns) < in.threshold) return std::nullopt;
  Finding finding = in.of_share(exposed_ns, "copies without overlapping kernels, " +
                                                text::percent_text(in.share(exposed_ns)) +
                                                " of the step (" + in.each_step(exposed_ns) + ')');
  if (in.analysis.copies) {
    const auto& groups = in.analysis.copies->groups;
    const auto most = std::max_element(
        groups.begin(), groups.end(),
        [](const CopyGroup& a, const CopyGroup& b) { return a.exposed_ns < b.exposed_ns; });
    if (most != groups.end()) {
      finding.text += "; mostly " + in.name(most->name);
      if (most->bytes_per_ns.n > 0) {
        finding.text += " at " + text::significant(most->bytes_per_ns.median) + " GB/s";
      }
    }
  }
  finding.remedy =
      "Copy the next batch on a stream of its own while this one is computed (two buffers), or "
      "move "
      "less: smaller types, augmentation on the device.";
  if (!in.is_set_to("transfer.placement", std::string("pin_thread"))) {
    in.propose(finding, "transfer.placement", "prefetch_stream");
  }
  in.gain(finding, exposed_ns);
  return finding;
}

RuleResult blocking_sets(const RuleInput& in) {
  if (!in.on_device() || !in.analysis.runtime_calls) return in.undecided(kNoDevice);
  double total_ns = 0;
  double calls = 0;
  const RuntimeCallRow* worst = nullptr;
  for (const RuntimeCallRow& row : *in.analysis.runtime_calls) {
    const trace::TraceName& name = in.trace.names[row.name];
    if (name.facts.call != trace::CallClass::kSet || name.text.find("Async") != std::string::npos)
      continue;
    total_ns += double(row.step_ns);
    calls += double(row.step_calls);
    if (worst == nullptr || row.step_ns > worst->step_ns) worst = &row;
  }
  if (worst == nullptr || in.share(total_ns) < in.threshold) return std::nullopt;
  Finding finding = in.of_share(
      total_ns, "synchronous memset calls: " + text::short_number(in.per_step(calls), 1) +
                    " per step, " + in.each_step(total_ns) + "; " + in.name(worst->name) + " in " +
                    in.name(worst->longest_op));
  finding.remedy = "Set memory asynchronously, on the stream that uses it (cudaMemsetAsync).";
  in.gain(finding, total_ns);
  in.add_call(finding, worst->name, worst->longest_op, worst->longest, worst->longest_step);
  return finding;
}

}  // namespace stepbench::analyze
