// SPDX-License-Identifier: Apache-2.0
// Rules about launches: too many or too small kernels, late launches, a full launch queue.
#include <algorithm>
#include <vector>

#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/traces/rules.h"

namespace stepbench::traces {
namespace {

// Share of the step's time below which there is no wait that fewer launches would shorten.
constexpr double kMinLaunchWait = 0.05;
constexpr double kMinTinyKernels = 20;  // per step

void propose_fewer_launches(const RuleInput& in, Finding& finding) {
  in.propose(finding, "model.cuda_graph", "true");
  if (in.is_set_to("optimizer.implementation", std::string("single"))) {
    in.propose(finding, "optimizer.implementation", "fused");
  }
}

// Idle time in calls with rules of their own: allocations, and sets that the host waits for.
double other_rules_ns(const RuleInput& in) {
  double total_ns = 0;
  for (const IdlePlace& place : in.idle.places) {
    if (place.cause != IdleCause::kLaunch || place.call == ops::kNoIndex) continue;
    const TraceName& call = in.trace.names[place.call];
    if (call.facts.call == CallClass::kAllocate || is_blocking_set(call)) {
      total_ns += double(place.idle_ns);
    }
  }
  return total_ns;
}

// The causes of RuleInput::host_bound_ns.
bool prepares_work(const IdlePlace& place) {
  return place.cause == IdleCause::kLaunch || place.cause == IdleCause::kBackward ||
         place.cause == IdleCause::kHostOp || place.cause == IdleCause::kOtherThread;
}

const IdlePlace* largest_place(const RuleInput& in) {
  const IdlePlace* largest = nullptr;
  for (const IdlePlace& place : in.idle.places) {
    if (!prepares_work(place)) continue;
    if (largest == nullptr || place.idle_ns > largest->idle_ns) largest = &place;
  }
  return largest;
}

// Adds the longest pieces of idle time with these causes.
void add_longest_places(const RuleInput& in, Finding& finding) {
  std::vector<const IdlePlace*> places;
  for (const IdlePlace& place : in.idle.places) {
    if (prepares_work(place)) places.push_back(&place);
  }
  std::ranges::stable_sort(places, [](const IdlePlace* a, const IdlePlace* b) {
    return a->longest.length_ns() > b->longest.length_ns();
  });
  for (const IdlePlace* place : places) {
    // Skip places that are far smaller than the largest one.
    if (20 * place->longest.length_ns() < places.front()->longest.length_ns()) break;
    in.add_place(finding, *place);
  }
}

}  // namespace

RuleResult launch_bound(const RuleInput& in) {
  const double elsewhere_ns = other_rules_ns(in);
  const double total_ns = in.host_bound_ns() - elsewhere_ns;
  std::string text = formatted(
      "the device waits for the host to launch work {} of the time: calls that launch {}{}, "
      "backward {}, operators {}, other threads {} per step",
      text::percent_text(in.share(total_ns)),
      text::duration(in.per_step(in.idle_ns(IdleCause::kLaunch) - elsewhere_ns)),
      elsewhere_ns > 0 ? " (without those that allocate or set memory)" : "",
      text::duration(in.per_step(in.idle_ns(IdleCause::kBackward))),
      text::duration(in.per_step(in.idle_ns(IdleCause::kHostOp))),
      text::duration(in.per_step(in.idle_ns(IdleCause::kOtherThread))));
  const IdlePlace* most = largest_place(in);
  if (most != nullptr && most->name != ops::kNoIndex) {
    text += formatted("; most of all {}, {}", in.name(most->name),
                      text::duration(in.per_step(double(most->idle_ns))));
  }
  Finding finding = in.of_share(total_ns, std::move(text));
  finding.remedy =
      "Fewer, larger launches: CUDA graphs, torch.compile, fused operations and optimizers, larger "
      "batches.";
  propose_fewer_launches(in, finding);
  add_longest_places(in, finding);
  return finding;
}

RuleResult tiny_kernels(const RuleInput& in) {
  if (!in.analysis.kernels) return in.undecided(kNoDeviceRows);
  const Kernels& kernels = *in.analysis.kernels;
  double in_steps = 0;
  for (const KernelRow& row : kernels.rows) in_steps += double(row.step_calls);
  const double launching_ns = in.host_bound_ns();
  if (in.per_step(double(kernels.tiny_in_steps)) < kMinTinyKernels) return std::nullopt;
  if (in.share(launching_ns) < kMinLaunchWait) return std::nullopt;
  const double tiny_share = double(kernels.tiny_in_steps) / in_steps;
  Finding finding = in.of_value(
      tiny_share, Severity::kWarning,
      formatted("{} of {} kernels per step take less than 10 us, about what a launch costs the "
                "host; most often {}",
                text::with_separators(std::int64_t(in.per_step(double(kernels.tiny_in_steps)))),
                text::with_separators(std::int64_t(in.per_step(in_steps))),
                in.name(kernels.rows[kernels.by_calls.front()].name)));
  finding.remedy =
      "Operations on many small tensors can be batched or fused: foreach or fused optimizers, "
      "torch.compile, CUDA graphs.";
  propose_fewer_launches(in, finding);
  in.gain(finding, tiny_share * launching_ns);
  in.add_places(finding, IdleCause::kLaunch);
  return finding;
}

RuleResult launch_delay(const RuleInput& in) {
  if (!in.analysis.launches) return in.undecided(in.analysis.launches.reason());
  // Delays of microseconds between queued kernels are the device's own.
  std::vector<DelayedLaunch> late;
  double idle_ns = 0;
  for (const DelayedLaunch& each : in.analysis.launches->worst) {
    if (each.idle_ns <= Launches::kLongDelayNs) continue;
    late.push_back(each);
    idle_ns += double(each.idle_ns);
  }
  // The statistics cover only steps before the last one.
  const double steps = std::max(1.0, double(in.analysis.steps.steps.size()) - 1);
  const double share = idle_ns / steps / in.wall_ns();
  if (late.empty()) return std::nullopt;
  Finding finding = in.of_value(
      share, Severity::kInfo,
      formatted("{} or more began late although the device had nothing to do; at worst it waited "
                "{} for {}, whose launch call had ended",
                text::counted(std::ssize(late), "launch"),
                text::duration(double(late.front().idle_ns)), in.name(late.front().name)));
  finding.window = std::string(Launches::kWindow);
  finding.low_confidence = true;
  finding.remedy =
      "Locks in the driver, lazy loading of kernels or the profiler itself can be the cause: look "
      "at what the host does there.";
  for (const DelayedLaunch& each : late) {
    in.add_row(finding, in.name(each.name), each.work, in.analysis.steps.steps.size());
  }
  return finding;
}

RuleResult launch_queue_full(const RuleInput& in) {
  if (!in.analysis.queues) return std::nullopt;
  double worst = 0;
  for (const LaunchQueue& queue : *in.analysis.queues) worst = std::max(worst, queue.full_share);
  Finding finding = in.of_value(worst, Severity::kInfo,
                                formatted("the launch queue is full {} of the time: the host is "
                                          "far ahead, the device is what limits the step",
                                          text::percent_text(worst)));
  finding.window = std::string(Launches::kWindow);
  return finding;
}

}  // namespace stepbench::traces
