// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/host_sets.h"

#include <algorithm>
#include <utility>

namespace stepbench::analyze {
namespace {

// Number of other threads that are listed separately; the rest are merged.
constexpr std::size_t kMaxThreads = 32;

// Merges spans as they arrive in ascending order of start: most rows lie inside the previous one.
class GrowingSet {
 public:
  void add(const trace::TraceEvent& event) {
    if (!spans_.empty() && event.start_ns <= spans_.back().end_ns) {
      spans_.back().end_ns = std::max(spans_.back().end_ns, event.end_ns);
    } else {
      spans_.push_back(span_of(event));
    }
  }
  [[nodiscard]] const std::vector<TimeSpan>& spans() const { return spans_; }
  [[nodiscard]] IntervalSet take() { return IntervalSet(std::exchange(spans_, {})); }

 private:
  std::vector<TimeSpan> spans_;
};

// A linear search suffices: calls rarely nest.
const trace::TraceEvent* op_around(const std::vector<const trace::TraceEvent*>& open) {
  const auto found = std::find_if(open.rbegin(), open.rend(), [](const trace::TraceEvent* row) {
    return !trace::is_call(row->kind);
  });
  return found == open.rend() ? nullptr : *found;
}

}  // namespace

std::vector<InnerRow> innermost_rows(const trace::Trace& trace, const trace::TraceLane& lane,
                                     bool calls) {
  std::vector<InnerRow> out;
  std::vector<const trace::TraceEvent*> open;
  std::int64_t now_ns = 0;
  // The innermost open row runs from `now_ns` to `until_ns`.
  const auto run_until = [&](std::int64_t until_ns) {
    while (!open.empty()) {
      const trace::TraceEvent* row = open.back();
      const std::int64_t end_ns = std::min(row->end_ns, until_ns);
      if (end_ns > now_ns) {
        if (!out.empty() && out.back().row == row && out.back().at.end_ns == now_ns) {
          out.back().at.end_ns = end_ns;
        } else {
          out.push_back(
              {{now_ns, end_ns}, row, trace::is_call(row->kind) ? op_around(open) : nullptr});
        }
        now_ns = end_ns;
      }
      if (row->end_ns > until_ns) return;
      open.pop_back();
    }
  };
  for (const trace::TraceEvent& event : lane.events) {
    if (!is_host_op(trace, event) && !(calls && trace::is_call(event.kind))) continue;
    run_until(event.start_ns);
    now_ns = std::max(now_ns, event.start_ns);
    if (open.empty()) now_ns = event.start_ns;
    open.push_back(&event);
  }
  if (!open.empty()) {
    std::int64_t last_ns = now_ns;
    for (const trace::TraceEvent* row : open) last_ns = std::max(last_ns, row->end_ns);
    run_until(last_ns);
  }
  return out;
}

HostSets::HostSets(const trace::Trace& trace, std::uint32_t main) {
  GrowingSet main_loading;
  GrowingSet main_synchronise;
  GrowingSet main_copies;
  GrowingSet main_calls;
  GrowingSet main_ops;
  GrowingSet main_autograd;
  std::vector<TimeSpan> all_others;
  std::vector<TimeSpan> all_backward;
  for (std::uint32_t i = 0; i < trace.lanes.size(); ++i) {
    const trace::TraceLane& lane = trace.lanes[i];
    if (lane.kind != trace::LaneKind::kHost) continue;
    if (i != main) {
      GrowingSet thread;
      GrowingSet autograd;
      for (const trace::TraceEvent& event : lane.events) {
        if (!trace::is_call(event.kind) && !is_host_op(trace, event)) continue;
        thread.add(event);
        if (trace.names[event.name].facts.autograd) autograd.add(event);
      }
      if (thread.spans().empty()) continue;
      all_others.insert(all_others.end(), thread.spans().begin(), thread.spans().end());
      all_backward.insert(all_backward.end(), autograd.spans().begin(), autograd.spans().end());
      threads.push_back({i, thread.take(), autograd.take()});
      continue;
    }
    for (const trace::TraceEvent& event : lane.events) {
      const trace::NameFacts& facts = trace.names[event.name].facts;
      if (trace::is_call(event.kind)) {
        (facts.call == trace::CallClass::kSynchronize ? main_synchronise
         : facts.call == trace::CallClass::kCopy      ? main_copies
                                                      : main_calls)
            .add(event);
      } else if (is_host_op(trace, event)) {
        main_ops.add(event);
        if (facts.data_wait) main_loading.add(event);
        if (facts.autograd) main_autograd.add(event);
      }
    }
  }
  loading = main_loading.take();
  synchronise = main_synchronise.take();
  copy_calls = main_copies.take();
  other_calls = main_calls.take();
  ops = main_ops.take();
  main_backward = main_autograd.take();
  backward = IntervalSet(std::move(all_backward)) | main_backward;
  other_threads = IntervalSet(std::move(all_others));
  const std::size_t kept = std::min(kMaxThreads, threads.size());
  std::vector<std::pair<std::int64_t, std::size_t>> by_length;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    by_length.emplace_back(-threads[i].set.length_ns(), i);
  }
  std::sort(by_length.begin(), by_length.end());
  std::vector<OtherThread> busiest;
  for (std::size_t i = 0; i < kept; ++i) busiest.push_back(std::move(threads[by_length[i].second]));
  threads = std::move(busiest);
}

}  // namespace stepbench::analyze
