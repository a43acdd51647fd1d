// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/host_work.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "harness/ops/op_log.h"

namespace stepbench::traces {

ValueOrReason<DataLoading> find_data_loading(const Timeline& timeline, const Steps& steps) {
  const Trace& trace = *timeline.trace;
  DataLoading out;
  std::vector<double> later;
  std::vector<double> intervals;
  if (steps.lane != ops::kNoIndex) {
    for (const TraceEvent& event : trace.lanes[steps.lane].events) {
      if (!is_host_op(trace, event) || !trace.facts_of(event).data_wait) continue;
      const LoaderCall call = {.at = span_of(event), .name = event.name};
      if (out.calls.empty()) {
        out.first_ns = call.at.length_ns();
      } else {
        later.push_back(double(call.at.length_ns()));
        intervals.push_back(double(call.at.begin_ns - out.calls.back().at.begin_ns));
      }
      out.calls.push_back(call);
    }
  }
  if (out.calls.empty()) {
    return Absent{
        "the step thread has no DataLoader rows: it loads data without a DataLoader, or "
        "another thread does"};
  }
  out.later = summarise(std::move(later));
  out.interval = summarise(std::move(intervals));
  return out;
}

namespace {

constexpr std::size_t kMadeParts = kLoaderPartCount - 1;  // parts that have rows
// Shares of a batch are integers in units of 1 / kWhole, so that sums over many batches are exact.
constexpr std::int64_t kWhole = std::int64_t{1} << 40;

struct MadeBatch {
  TimeSpan at = {};
  std::array<std::int64_t, kMadeParts> part_ns = {};
  std::size_t last_part = kMadeParts;
};

std::size_t part_of(std::string_view name) {
  return std::size_t(std::ranges::find(ops::kLoaderParts, name) - ops::kLoaderParts.begin());
}

// A batch's rows follow each other without gaps, in the order of the parts.
std::vector<MadeBatch> batches_of(const Trace& trace, const TraceLane& lane) {
  std::vector<MadeBatch> batches;
  for (const TraceEvent& event : lane.events) {
    if (event.kind != EventKind::kWorker) continue;
    const std::size_t part = part_of(trace.name_of(event));
    if (part == kMadeParts || event.duration_ns() <= 0) continue;
    const bool continues = !batches.empty() && batches.back().last_part < part &&
                           event.start_ns - batches.back().at.end_ns <= trace.resolution_ns;
    if (!continues) batches.push_back({.at = {event.start_ns, event.start_ns}});
    MadeBatch& batch = batches.back();
    batch.part_ns[part] += event.duration_ns();
    batch.at.end_ns = std::max(batch.at.end_ns, event.end_ns);
    batch.last_part = part;
  }
  return batches;
}

// A worker begins or ends a batch, or leaves the observed range.
struct Change {
  std::int64_t at_ns = 0;
  int making = 0;  // change in the number of batches being made
  int known = 0;   // change in the number of observed workers
  std::array<std::int64_t, kMadeParts> weights = {};
};

class WorkSweep {
 public:
  void add(const std::vector<MadeBatch>& batches) {
    if (batches.empty()) return;
    ++workers_;
    std::int64_t last_ns = batches.front().at.end_ns;
    for (const MadeBatch& batch : batches) {
      const std::int64_t sum =
          std::accumulate(batch.part_ns.begin(), batch.part_ns.end(), std::int64_t{0});
      Change begin{.at_ns = batch.at.begin_ns, .making = 1};
      Change end{.at_ns = batch.at.end_ns, .making = -1};
      std::int64_t rest = kWhole;
      std::size_t largest = 0;
      for (std::size_t i = 0; i < kMadeParts; ++i) {
        begin.weights[i] = std::int64_t(double(kWhole) * double(batch.part_ns[i]) / double(sum));
        rest -= begin.weights[i];
        if (batch.part_ns[i] > batch.part_ns[largest]) largest = i;
      }
      begin.weights[largest] += rest;
      for (std::size_t i = 0; i < kMadeParts; ++i) end.weights[i] = -begin.weights[i];
      changes_.push_back(begin);
      changes_.push_back(end);
      last_ns = std::max(last_ns, batch.at.end_ns);
    }
    changes_.push_back({.at_ns = last_ns, .known = -1});
  }

  void sort() { std::ranges::stable_sort(changes_, {}, &Change::at_ns); }

  struct Over {
    std::array<double, kLoaderPartCount> ns = {};
    double busy_ns = 0;
    double known_ns = 0;  // sum over moments of observed workers
  };
  [[nodiscard]] Over over(const IntervalSet& moments) const {
    Over out;
    int making = 0;
    int known = workers_;
    std::array<std::int64_t, kMadeParts> weights = {};
    std::size_t next = 0;
    const auto apply = [&](const Change& change) {
      making += change.making;
      known += change.known;
      for (std::size_t i = 0; i < kMadeParts; ++i) weights[i] += change.weights[i];
    };
    for (const TimeSpan& span : moments) {
      std::int64_t now_ns = span.begin_ns;
      while (now_ns < span.end_ns) {
        while (next < changes_.size() && changes_[next].at_ns <= now_ns) apply(changes_[next++]);
        const std::int64_t until_ns =
            next < changes_.size() ? std::min(span.end_ns, changes_[next].at_ns) : span.end_ns;
        const auto length = double(until_ns - now_ns);
        if (making > 0) {
          for (std::size_t i = 0; i < kMadeParts; ++i) {
            out.ns[i] += length * double(weights[i]) / double(making) / double(kWhole);
          }
        } else {
          out.ns.back() += length;
        }
        out.busy_ns += length * std::min(making, std::max(known, 0));
        out.known_ns += length * std::max(known, 0);
        now_ns = until_ns;
      }
    }
    return out;
  }
  [[nodiscard]] int workers() const { return workers_; }

 private:
  std::vector<Change> changes_;
  int workers_ = 0;
};

// Rounds to integers that sum to `total`; the largest part takes the rounding error.
LoaderWork::Parts rounded(const std::array<double, kLoaderPartCount>& ns, std::int64_t total) {
  LoaderWork::Parts parts = {};
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = std::int64_t(ns[i] + 0.5);
  const auto largest = std::ranges::max_element(parts);
  *largest += total - std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
  return parts;
}

}  // namespace

std::int64_t LoaderWork::exposed_total_ns() const {
  return std::accumulate(exposed_ns.begin(), exposed_ns.end(), std::int64_t{0});
}

LoaderPart LoaderWork::largest_exposed() const {
  return static_cast<LoaderPart>(std::ranges::max_element(exposed_ns) - exposed_ns.begin());
}

ValueOrReason<LoaderWork> find_loader_work(const Timeline& timeline, const Steps& steps,
                                           const ValueOrReason<DataLoading>& loading) {
  const Trace& trace = *timeline.trace;
  const IntervalSet counted(steps.counted_windows());
  LoaderWork out;
  WorkSweep sweep;
  std::vector<double> batch_ns;
  for (const TraceLane& lane : trace.host_lanes()) {
    const std::vector<MadeBatch> batches = batches_of(trace, lane);
    if (batches.empty()) continue;
    sweep.add(batches);
    out.in_step_thread = out.in_step_thread || lane.tid == ops::kStepLoaderTrack;
    for (const MadeBatch& batch : batches) {
      if (counted.length_in({batch.at.end_ns - 1, batch.at.end_ns}) == 0) continue;
      batch_ns.push_back(double(batch.at.length_ns()));
      for (std::size_t i = 0; i < kMadeParts; ++i) out.work_ns[i] += batch.part_ns[i];
    }
  }
  if (sweep.workers() == 0) {
    return Absent{"the trace has no rows of a loader's workers"};
  }
  sweep.sort();
  out.workers = sweep.workers();
  out.batch = summarise(std::move(batch_ns));
  const IntervalSet busy = timeline.busy(std::nullopt, [](const WorkRow&) { return true; });
  std::vector<TimeSpan> fetches;
  if (loading) {
    for (const LoaderCall& call : loading->calls) fetches.push_back(call.at);
  }
  const IntervalSet exposed = (IntervalSet(std::move(fetches)) & counted) - busy;
  const WorkSweep::Over waiting = sweep.over(exposed);
  const WorkSweep::Over all = sweep.over(counted);
  out.exposed_ns = rounded(waiting.ns, exposed.length_ns());
  const auto share = [](const WorkSweep::Over& of) {
    return of.known_ns > 0 ? std::min(1.0, of.busy_ns / of.known_ns) : 0;
  };
  out.busy_share = share(all);
  out.busy_share_waiting = share(waiting);
  return out;
}

}  // namespace stepbench::traces
