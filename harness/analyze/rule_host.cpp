// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/analyze/rule_input.h"
#include "harness/text/numbers.h"

namespace stepbench::analyze {
namespace {

constexpr const char* kNoWork = "the trace has no device rows";

struct CallsOfClass {
  double total_ns = 0;  // in the counted steps
  double calls = 0;
  const RuntimeCallRow* worst = nullptr;
};

CallsOfClass calls_of(const RuleInput& in, trace::CallClass wanted) {
  CallsOfClass out;
  if (!in.analysis.runtime_calls) return out;
  for (const RuntimeCallRow& row : *in.analysis.runtime_calls) {
    if (in.trace.names[row.name].facts.call != wanted || row.step_calls == 0) continue;
    out.total_ns += double(row.step_ns);
    out.calls += double(row.step_calls);
    if (out.worst == nullptr || row.step_ns > out.worst->step_ns) out.worst = &row;
  }
  return out;
}

const IdlePlace* first_place(const RuleInput& in, IdleCause cause) {
  const auto found = std::find_if(in.idle.places.begin(), in.idle.places.end(),
                                  [&](const IdlePlace& place) { return place.cause == cause; });
  return found == in.idle.places.end() ? nullptr : &*found;
}

}  // namespace

Ruling sync_bound(const RuleInput& in) {
  if (!in.on_device()) return in.undecided(kNoWork);
  const double idle_ns = in.idle_ns(IdleCause::kSynchronise);
  const CallsOfClass calls = calls_of(in, trace::CallClass::kSynchronize);
  // While the host waits for the device it prepares nothing: what the device waits for afterwards
  // is lost by the same call.
  const double busy_ns = std::max(0.0, calls.total_ns - idle_ns);
  const double held_up_ns = idle_ns + std::min(busy_ns, in.host_bound_ns());
  if (calls.worst == nullptr || in.share(idle_ns) < in.threshold) return std::nullopt;
  const IdlePlace* place = first_place(in, IdleCause::kSynchronise);
  std::string text = "the host waits for the device " +
                     text::short_number(in.per_step(calls.calls), 1) +
                     " times per step, and the device then waits for the host (" +
                     in.each_step(idle_ns) + "): " + in.name(calls.worst->name);
  if (place != nullptr) text += " in " + in.name(place->name);
  Finding finding = in.of_share(idle_ns, std::move(text));
  finding.remedy =
      "Read results of the device later or less often: .item(), .cpu(), print(tensor) and "
      "torch.cuda.synchronize() stop the host until all work is done.";
  in.gain(finding, held_up_ns);
  in.add_places(finding, IdleCause::kSynchronise);
  return finding;
}

Ruling allocations(const RuleInput& in) {
  if (!in.on_device()) return in.undecided(kNoWork);
  const CallsOfClass calls = calls_of(in, trace::CallClass::kAllocate);
  if (calls.worst == nullptr || in.share(calls.total_ns) < in.threshold) return std::nullopt;
  Finding finding = in.of_share(
      calls.total_ns, "memory is allocated or freed inside the steps: " +
                          text::short_number(in.per_step(calls.calls), 1) + " calls per step, " +
                          in.each_step(calls.total_ns) + "; mostly " + in.name(calls.worst->name) +
                          " in " + in.name(calls.worst->longest_op));
  finding.remedy =
      "A warmed-up caching allocator makes no such calls: keep shapes alike, do not empty the "
      "cache "
      "in the loop, try PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, pin memory once.";
  in.gain(finding, calls.total_ns);
  in.add_place(finding, calls.worst->name, calls.worst->longest, calls.worst->longest_step);
  return finding;
}

Ruling unattributed(const RuleInput& in) {
  const double idle_ns = in.idle_ns(IdleCause::kUnattributed);
  if (in.share(idle_ns) < in.threshold) return std::nullopt;
  std::string text = text::percent_text(in.share(idle_ns)) + " of the step (" +
                     in.each_step(idle_ns) + ") lies under no recorded row";
  if (!in.idle.gaps.empty()) {
    const IdleGap& longest = in.idle.gaps.front();
    text += "; the longest gap, " + text::duration(double(longest.at.length_ns()));
    if (longest.before != ops::kNoIndex) text += ", comes after " + in.name(longest.before);
    if (longest.python != ops::kNoIndex) text += ", in " + in.name(longest.python);
  }
  Finding finding = in.of_share(idle_ns, std::move(text));
  finding.remedy =
      "Plain Python or C++ between the operators: record stacks (with_stack=True), or put "
      "record_function around suspected parts.";
  in.gain(finding, idle_ns);
  for (const IdleGap& gap : in.idle.gaps) {
    in.add_place(finding, gap.python != ops::kNoIndex ? gap.python : gap.before, gap.at, gap.step);
  }
  return finding;
}

Ruling profiler_overhead(const RuleInput& in) {
  const auto total_ns = double(in.analysis.profiler_overhead_ns);
  if (in.share(total_ns) < in.threshold) return std::nullopt;
  Finding finding =
      in.of_value(in.share(total_ns), Severity::kWarning,
                  "the profiler's own work takes " + text::percent_text(in.share(total_ns)) +
                      " of the steps (" + in.each_step(total_ns) + ')');
  finding.remedy =
      "Take the time of a step from a run without a profiler, and only the causes from here.";
  return finding;
}

}  // namespace stepbench::analyze
