// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/idle.h"

#include <algorithm>
#include <numeric>

#include "harness/analyze/host_sets.h"
#include "harness/analyze/idle_places.h"

namespace stepbench::analyze {
namespace {

// Limits how many devices are distinguished, which bounds the cost of a malformed file.
constexpr std::size_t kMaxDevices = 64;

struct DeviceSets {
  IntervalSet compute;
  IntervalSet communication;
  IntervalSet copies;
};

DeviceSets device_sets(const Timeline& timeline, std::optional<int> device) {
  return {
      .compute = timeline.busy(
          device, [](const WorkRow& row) { return is_kernel(row) && !row.communication; }),
      .communication = timeline.busy(device, [](const WorkRow& row) { return row.communication; }),
      .copies = timeline.busy(device, [](const WorkRow& row) { return !is_kernel(row); })};
}

std::array<IntervalSet, kIdleCauses> by_cause(IntervalSet rest, const HostSets& host) {
  std::array<IntervalSet, kIdleCauses> idle;
  const std::array<const IntervalSet*, kIdleCauses - 1> explained = {
      &host.loading,  &host.synchronise, &host.copy_calls,   &host.other_calls,
      &host.backward, &host.ops,         &host.other_threads};
  for (std::size_t cause = 0; cause < explained.size(); ++cause) {
    idle[cause] = rest & *explained[cause];
    rest = rest - idle[cause];
  }
  idle.back() = std::move(rest);
  return idle;
}

class Attribution {
 public:
  Attribution(const Timeline& timeline, const Steps& steps)
      : timeline_(timeline),
        steps_(steps),
        windows_(steps.windows()),
        wall_(windows_),
        host_(*timeline.trace, steps.lane),
        places_(timeline, steps, host_) {}

  IdleReport report(IdleScope scope, std::optional<int> device) {
    IdleReport out;
    out.scope = scope;
    out.device = device;
    out.steps.resize(windows_.size());
    for (std::size_t i = 0; i < windows_.size(); ++i)
      out.steps[i].wall_ns = windows_[i].length_ns();

    const DeviceSets sets =
        scope == IdleScope::kHost ? DeviceSets{} : device_sets(timeline_, device);
    const IntervalSet kernels = sets.compute | sets.communication;
    add(out, sets.compute, &StepTime::compute_ns);
    add(out, sets.communication - sets.compute, &StepTime::communication_ns);
    add(out, sets.copies - kernels, &StepTime::copy_ns);
    add(out, host_.loading, &StepTime::data_loading_ns);

    IntervalSet rest = wall_ - (kernels | sets.copies);
    note_longest(rest, out);
    const std::array<IntervalSet, kIdleCauses> idle = by_cause(std::move(rest), host_);
    for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
      const std::vector<std::int64_t> lengths = idle[cause].lengths_in(windows_);
      for (std::size_t i = 0; i < lengths.size(); ++i) out.steps[i].idle_ns[cause] = lengths[i];
    }
    for (StepTime& step : out.steps) {
      step.data_hidden_ns = step.data_loading_ns - step.data_exposed_ns();
    }
    for (const std::size_t i : steps_.counted()) out.counted += out.steps[i];
    places_.fill(idle, out);
    return out;
  }

 private:
  void note_longest(const IntervalSet& rest, IdleReport& out) const {
    const std::vector<std::size_t> counted = steps_.counted();
    std::size_t at = 0;
    for (const TimeSpan& span : rest) {
      while (at < counted.size() && windows_[counted[at]].end_ns <= span.begin_ns) ++at;
      if (at == counted.size()) return;
      if (span.length_ns() <= out.longest_idle.length_ns()) continue;
      if (!windows_[counted[at]].contains(span.begin_ns)) continue;
      out.longest_idle = span;
      out.longest_idle_step = counted[at];
    }
  }

  void add(IdleReport& out, const IntervalSet& set, std::int64_t StepTime::*part) const {
    const std::vector<std::int64_t> lengths = set.lengths_in(windows_);
    for (std::size_t i = 0; i < lengths.size(); ++i) out.steps[i].*part = lengths[i];
  }

  const Timeline& timeline_;
  const Steps& steps_;
  std::vector<TimeSpan> windows_;
  IntervalSet wall_;
  HostSets host_;
  IdlePlaces places_;
};

}  // namespace

std::span<const StepPart> step_parts() {
  static constexpr std::array<StepPart, 3 + kIdleCauses> kParts = {{
      {"compute", [](const StepTime& step) { return step.compute_ns; }},
      {"communication", [](const StepTime& step) { return step.communication_ns; }},
      {"copy", [](const StepTime& step) { return step.copy_ns; }},
      {"idle_data_loading", [](const StepTime& step) { return step.of(IdleCause::kDataLoading); }},
      {"idle_synchronise", [](const StepTime& step) { return step.of(IdleCause::kSynchronise); }},
      {"idle_copy_call", [](const StepTime& step) { return step.of(IdleCause::kCopyCall); }},
      {"idle_launch", [](const StepTime& step) { return step.of(IdleCause::kLaunch); }},
      {"idle_backward", [](const StepTime& step) { return step.of(IdleCause::kBackward); }},
      {"idle_host_op", [](const StepTime& step) { return step.of(IdleCause::kHostOp); }},
      {"idle_other_thread", [](const StepTime& step) { return step.of(IdleCause::kOtherThread); }},
      {"idle_unattributed", [](const StepTime& step) { return step.of(IdleCause::kUnattributed); }},
  }};
  return kParts;
}

Summary IdleReport::summary(const Steps& of, std::int64_t (*part)(const StepTime&)) const {
  std::vector<std::int64_t> values;
  for (const std::size_t i : of.counted()) values.push_back(part(steps[i]));
  return summarise(values);
}

std::int64_t StepTime::idle_total_ns() const {
  return std::accumulate(idle_ns.begin(), idle_ns.end(), std::int64_t{0});
}

StepTime& StepTime::operator+=(const StepTime& other) {
  wall_ns += other.wall_ns;
  compute_ns += other.compute_ns;
  communication_ns += other.communication_ns;
  copy_ns += other.copy_ns;
  for (std::size_t i = 0; i < kIdleCauses; ++i) idle_ns[i] += other.idle_ns[i];
  data_loading_ns += other.data_loading_ns;
  data_hidden_ns += other.data_hidden_ns;
  return *this;
}

std::vector<IdleReport> attribute_idle(const Timeline& timeline, const Steps& steps) {
  Attribution attribution(timeline, steps);
  std::vector<IdleReport> reports;
  if (timeline.devices.empty()) {
    reports.push_back(attribution.report(IdleScope::kHost, std::nullopt));
    return reports;
  }
  for (std::size_t i = 0; i < std::min(kMaxDevices, timeline.devices.size()); ++i) {
    reports.push_back(attribution.report(IdleScope::kDevice, timeline.devices[i]));
  }
  if (timeline.devices.size() > 1) {
    reports.push_back(attribution.report(IdleScope::kAllDevices, std::nullopt));
  }
  return reports;
}

}  // namespace stepbench::analyze
