// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "harness/analyze/launches.h"

namespace stepbench::analyze {
namespace {

struct QueueEnds {
  std::vector<std::int64_t> calls;  // starts of the calls
  std::vector<std::int64_t> rows;   // starts of the device rows that they launched
};

// Time that the queue spent at each length.
class LengthTimes {
 public:
  void add(std::int64_t length, std::int64_t ns) {
    const auto at = static_cast<std::size_t>(std::max<std::int64_t>(0, length));
    if (at >= ns_.size()) ns_.resize(at + 1);
    ns_[at] += ns;
    total_ns_ += ns;
  }
  [[nodiscard]] std::int64_t total_ns() const { return total_ns_; }
  [[nodiscard]] double mean() const {
    double sum = 0;
    for (std::size_t i = 0; i < ns_.size(); ++i) {
      sum += static_cast<double>(i) * static_cast<double>(ns_[i]);
    }
    return total_ns_ > 0 ? sum / static_cast<double>(total_ns_) : 0;
  }
  // Returns the smallest length that was not exceeded for this share of the time.
  [[nodiscard]] double quantile(double share) const {
    const double wanted_ns = share * static_cast<double>(total_ns_);
    std::int64_t sum_ns = 0;
    for (std::size_t i = 0; i < ns_.size(); ++i) {
      sum_ns += ns_[i];
      if (static_cast<double>(sum_ns) >= wanted_ns) return static_cast<double>(i);
    }
    return 0;
  }
  [[nodiscard]] std::int64_t at_least_ns(std::int64_t length) const {
    std::int64_t sum_ns = 0;
    for (auto i = static_cast<std::size_t>(length); i < ns_.size(); ++i) sum_ns += ns_[i];
    return sum_ns;
  }

 private:
  std::vector<std::int64_t> ns_;
  std::int64_t total_ns_ = 0;
};

void follow(QueueEnds& ends, LaunchQueue& queue) {
  std::sort(ends.calls.begin(), ends.calls.end());
  std::sort(ends.rows.begin(), ends.rows.end());
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
  queue.mean_at_changes = static_cast<double>(sum) / static_cast<double>(queue.changes);
  queue.mean = times.mean();
  queue.median = times.quantile(0.5);
  queue.p95 = times.quantile(0.95);
  queue.full_ns = times.at_least_ns(LaunchQueue::kFull);
  queue.full_share = times.total_ns() > 0 ? static_cast<double>(queue.full_ns) /
                                                static_cast<double>(times.total_ns())
                                          : 0;
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
    return ValueOrReason<std::vector<LaunchQueue>>::absent(
        timeline.work.empty() ? "the trace has no device rows" : "no device row has a launch call");
  }
  std::vector<LaunchQueue> out;
  for (auto& [lane, ends] : streams) {
    const trace::TraceLane& stream = timeline.trace->lanes[lane];
    out.push_back({.device = stream.device, .stream = stream.stream});
    follow(ends, out.back());
  }
  return out;
}

}  // namespace stepbench::analyze
