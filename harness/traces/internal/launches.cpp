// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/host_work.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace stepbench::traces {
namespace {

constexpr std::size_t kMaxWorst = 8;

std::string no_launches(const Timeline& timeline) {
  if (timeline.work.empty()) return "the trace has no device rows";
  return timeline.calls.empty() ? "the trace has no calls of the runtime or the driver"
                                : "no device row has a launch call";
}

void keep_worst(std::vector<DelayedLaunch>& worst) {
  const auto graver = [](const DelayedLaunch& a, const DelayedLaunch& b) {
    return a.idle_ns > b.idle_ns;
  };
  std::ranges::stable_sort(worst, graver);
  if (worst.size() > kMaxWorst) worst.resize(kMaxWorst);
}

}  // namespace

std::vector<std::size_t> rows_before_last_step(const Timeline& timeline, const Steps& steps) {
  const bool marked = steps.window == WindowKind::kHostStep && steps.steps.size() >= 2;
  const std::int64_t until_ns = marked ? steps.steps.back().mark.begin_ns : 0;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < timeline.work.size(); ++i) {
    const TraceEvent* call = timeline.call_of(timeline.work[i]);
    if (!marked || (call != nullptr && call->start_ns < until_ns)) rows.push_back(i);
  }
  return rows;
}

ValueOrReason<Launches> launch_statistics(const Timeline& timeline, const Steps& steps) {
  Launches out;
  std::vector<double> delays;
  std::vector<double> durations;
  std::vector<bool> seen(timeline.calls.size());
  // End of each device's work so far; rows are sorted by start.
  std::vector<std::int64_t> busy_until_ns(timeline.devices.size());
  std::vector<bool> has_worked(timeline.devices.size());
  std::vector<bool> counts(timeline.work.size());
  for (const std::size_t index : rows_before_last_step(timeline, steps)) counts[index] = true;
  for (std::size_t index = 0; index < timeline.work.size(); ++index) {
    const WorkRow& row = timeline.work[index];
    const TraceEvent& work = *row.event;
    const auto device = std::size_t(std::ranges::lower_bound(timeline.devices, row.device) -
                                    timeline.devices.begin());
    // All rows keep the device busy, including those without a recorded call.
    if (counts[index] && row.call != ops::kNoIndex) {
      const CallRow& call_row = timeline.calls[row.call];
      const TraceEvent& call = *call_row.event;
      const std::int64_t call_ns = call.duration_ns();
      if (!seen[row.call]) {
        seen[row.call] = true;
        ++out.calls;
        durations.push_back(double(call_ns));
        if (call_ns > Launches::kLongCallNs) ++out.long_calls;
      }
      ++out.rows;
      const std::int64_t delay_ns = std::max<std::int64_t>(0, work.start_ns - call.end_ns);
      delays.push_back(double(delay_ns));
      if (work.duration_ns() < call_ns && call_ns <= Launches::kLongCallNs) ++out.short_kernels;
      std::int64_t idle_from_ns = call.end_ns;
      if (has_worked[device]) idle_from_ns = std::max(idle_from_ns, busy_until_ns[device]);
      const std::int64_t idle_ns = std::max<std::int64_t>(0, work.start_ns - idle_from_ns);
      out.idle_delay_ns += idle_ns;
      if (delay_ns > Launches::kLongDelayNs) {
        ++out.long_delays;
        if (idle_ns > 0) {
          out.worst.push_back({.call = span_of(call),
                               .work = span_of(work),
                               .name = work.name,
                               .op = call_row.op == nullptr ? ops::kNoIndex : call_row.op->name,
                               .idle_ns = idle_ns});
          if (out.worst.size() > 64 * kMaxWorst) keep_worst(out.worst);
        }
      }
    }
    busy_until_ns[device] =
        has_worked[device] ? std::max(busy_until_ns[device], work.end_ns) : work.end_ns;
    has_worked[device] = true;
  }
  if (out.rows == 0) return Absent{no_launches(timeline)};
  keep_worst(out.worst);
  out.call = summarise(std::move(durations));
  out.delay = summarise(std::move(delays));
  return out;
}

namespace {

struct QueueEnds {
  std::vector<std::int64_t> calls;  // starts of the calls
  std::vector<std::int64_t> rows;   // starts of the device rows that they launched
};

// Time that the queue spent at each length.
class LengthTimes {
 public:
  void add(std::int64_t length, std::int64_t ns) {
    const auto at = std::size_t(std::max<std::int64_t>(0, length));
    if (at >= ns_.size()) ns_.resize(at + 1);
    ns_[at] += ns;
    total_ns_ += ns;
  }
  [[nodiscard]] std::int64_t total_ns() const { return total_ns_; }
  [[nodiscard]] double mean() const {
    double sum = 0;
    for (std::size_t i = 0; i < ns_.size(); ++i) {
      sum += double(i) * double(ns_[i]);
    }
    return total_ns_ > 0 ? sum / double(total_ns_) : 0;
  }
  // Returns the smallest length that was not exceeded for this share of the time.
  [[nodiscard]] double quantile(double share) const {
    const double wanted_ns = share * double(total_ns_);
    std::int64_t sum_ns = 0;
    for (std::size_t i = 0; i < ns_.size(); ++i) {
      sum_ns += ns_[i];
      if (double(sum_ns) >= wanted_ns) return double(i);
    }
    return 0;
  }
  [[nodiscard]] std::int64_t at_least_ns(std::int64_t length) const {
    std::int64_t sum_ns = 0;
    for (auto i = std::size_t(length); i < ns_.size(); ++i) sum_ns += ns_[i];
    return sum_ns;
  }

 private:
  std::vector<std::int64_t> ns_;
  std::int64_t total_ns_ = 0;
};

void follow(QueueEnds& ends, LaunchQueue& queue) {
  std::ranges::sort(ends.calls);
  std::ranges::sort(ends.rows);
  LengthTimes times;
  std::int64_t length = 0;
  std::int64_t sum = 0;
  std::int64_t since_ns = std::min(ends.calls.front(), ends.rows.front());
  auto call = ends.calls.begin();
  auto row = ends.rows.begin();
  // At equal times, work is queued before it begins.
  while (call != ends.calls.end() || row != ends.rows.end()) {
    const bool queued = row == ends.rows.end() || (call != ends.calls.end() && *call <= *row);
    const std::int64_t at_ns = queued ? *call++ : *row++;
    times.add(length, at_ns - since_ns);
    since_ns = at_ns;
    length += queued ? 1 : -1;
    sum += length;
    ++queue.changes;
    queue.max = std::max(queue.max, length);
    if (length < 0) ++queue.negative;
  }
  queue.mean_at_changes = double(sum) / double(queue.changes);
  queue.mean = times.mean();
  queue.median = times.quantile(0.5);
  queue.p95 = times.quantile(0.95);
  queue.full_ns = times.at_least_ns(LaunchQueue::kFull);
  queue.full_share = times.total_ns() > 0 ? double(queue.full_ns) / double(times.total_ns()) : 0;
}

}  // namespace

ValueOrReason<std::vector<LaunchQueue>> launch_queues(const Timeline& timeline,
                                                      const Steps& steps) {
  std::map<std::uint32_t, QueueEnds> streams;  // key: lane
  for (const std::size_t index : rows_before_last_step(timeline, steps)) {
    const WorkRow& row = timeline.work[index];
    if (row.call == ops::kNoIndex) continue;
    QueueEnds& ends = streams[row.event->lane];
    ends.calls.push_back(timeline.calls[row.call].event->start_ns);
    ends.rows.push_back(row.event->start_ns);
  }
  if (streams.empty()) {
    return Absent{timeline.work.empty() ? "the trace has no device rows"
                                        : "no device row has a launch call"};
  }
  std::vector<LaunchQueue> out;
  for (auto& [lane, ends] : streams) {
    const TraceLane& stream = timeline.trace->lanes[lane];
    out.push_back({.device = stream.device, .stream = stream.stream});
    follow(ends, out.back());
  }
  return out;
}

ValueOrReason<std::vector<RuntimeCallRow>> list_runtime_calls(const Timeline& timeline,
                                                              const Steps& steps) {
  if (timeline.calls.empty()) {
    return Absent{"the trace has no calls of the runtime or the driver"};
  }
  std::vector<RuntimeCallRow> by_name(timeline.trace->names.size());
  const CountedSteps counted(steps);
  for (const CallRow& call : timeline.calls) {
    const TraceEvent& event = *call.event;
    RuntimeCallRow& row = by_name[event.name];
    row.name = event.name;
    row.driver = event.kind == EventKind::kDriver;
    ++row.calls;
    const auto step = counted.at(event.start_ns);
    if (!step) continue;
    ++row.step_calls;
    row.step_ns += event.duration_ns();
    if (row.step_calls == 1 || event.duration_ns() > row.longest.length_ns()) {
      row.longest = span_of(event);
      row.longest_step = *step;
      row.longest_op = call.op == nullptr ? ops::kNoIndex : call.op->name;
    }
  }
  std::erase_if(by_name, [](const RuntimeCallRow& row) { return row.calls == 0; });
  std::ranges::stable_sort(by_name, [](const RuntimeCallRow& a, const RuntimeCallRow& b) {
    return std::tuple(a.step_ns, a.calls) > std::tuple(b.step_ns, b.calls);
  });
  return by_name;
}

}  // namespace stepbench::traces
