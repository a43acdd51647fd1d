// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <tuple>

#include "harness/analyze/host_sets.h"
#include "harness/analyze/ranks.h"
#include "harness/analyze/row_names.h"

namespace stepbench::analyze {
namespace {

// Later than this in ns is a time since 1970: 2001.
constexpr std::int64_t kPlausibleTime = 1'000'000'000'000'000'000;

// Rows that are open at a moment of a thread; moments come in rising order.
class OpenRowsOf {
 public:
  explicit OpenRowsOf(const trace::TraceLane& lane) : lane_(lane) {}

  [[nodiscard]] const std::vector<const trace::TraceEvent*>& at(std::int64_t at_ns) {
    const std::vector<trace::TraceEvent>& events = lane_.events;
    for (; next_ < events.size() && events[next_].start_ns <= at_ns; ++next_) {
      const trace::TraceEvent& event = events[next_];
      if (event.kind != trace::EventKind::kOp && event.kind != trace::EventKind::kAnnotation)
        continue;
      close_until(event.start_ns);
      open_.push_back(&event);
    }
    close_until(at_ns);
    return open_;
  }

 private:
  void close_until(std::int64_t at_ns) {
    while (!open_.empty() && open_.back()->end_ns <= at_ns) open_.pop_back();
  }

  const trace::TraceLane& lane_;
  std::size_t next_ = 0;
  std::vector<const trace::TraceEvent*> open_;
};

std::string message_key(std::int64_t from, std::int64_t to) {
  return "message " + std::to_string(from) + "->" + std::to_string(to);
}

// "nccl:send 0->1" and "nccl:recv 1<-0" are the two ends of one message.
std::optional<std::string> key_of_message(std::string_view name) {
  for (const std::string_view arrow : {"->", "<-"}) {
    const std::size_t at = name.find(arrow);
    const std::size_t begin = name.rfind(' ', at);
    if (at == std::string_view::npos || begin == std::string_view::npos) continue;
    std::int64_t left = -1;
    std::int64_t right = -1;
    std::from_chars(name.data() + begin + 1, name.data() + at, left);
    std::from_chars(name.data() + at + arrow.size(), name.data() + name.size(), right);
    if (left < 0 || right < 0) continue;
    return arrow == "->" ? message_key(left, right) : message_key(right, left);
  }
  return std::nullopt;
}

bool holds_message(std::string_view name) {
  for (const char* part : {"send", "Send", "recv", "Recv", "oalesced"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

// A row of a backend on the host: of NCCL, of Gloo, of other devices'.
bool is_exchange(std::string_view name) {
  constexpr std::array<std::string_view, 6> kBackends = {
      "nccl:", "gloo:", "hccl:", "xccl:", "mccl:", "mpi:"};
  return std::any_of(kBackends.begin(), kBackends.end(),
                     [&](std::string_view backend) { return name.starts_with(backend); });
}

std::string key_of_detail(const trace::Trace& trace, const trace::CollectiveDetail& detail) {
  if (detail.name == ops::kNoIndex) return {};
  const std::string_view name = trace.text(detail.name);
  if (holds_message(name)) {
    const bool known = detail.from_rank >= 0 && detail.to_rank >= 0;
    return known ? message_key(detail.from_rank, detail.to_rank) : std::string();
  }
  std::string key(name);
  if (detail.group != ops::kNoIndex) key += ", group " + std::string(trace.text(detail.group));
  if (detail.ranks != ops::kNoIndex) key += ' ' + std::string(trace.text(detail.ranks));
  return key;
}

const trace::CollectiveDetail* detail_of(const trace::Trace& trace,
                                         const trace::TraceEvent& event) {
  const trace::KernelDetail* kernel = trace.kernel_detail(event);
  const trace::OpDetail* op = trace.op_detail(event);
  const std::uint32_t index = kernel != nullptr ? kernel->collective
                              : op != nullptr   ? op->collective
                                                : ops::kNoIndex;
  return index == ops::kNoIndex ? nullptr : &trace.collectives[index];
}

// What was exchanged with whom, by the row itself or by those of the host around it or its launch,
// from the innermost on: "nccl:all_to_all", record_param_comms, c10d::alltoall_base_.
std::string key_of_collective(const trace::Trace& trace, const trace::TraceEvent& event,
                              const std::vector<const trace::TraceEvent*>& around) {
  const auto of_row = [&](const trace::TraceEvent& row) {
    const trace::CollectiveDetail* detail = detail_of(trace, row);
    return detail == nullptr ? std::string() : key_of_detail(trace, *detail);
  };
  std::string key = of_row(event);
  for (auto row = around.rbegin(); key.empty() && row != around.rend(); ++row) {
    key = of_row(**row);
  }
  for (auto row = around.rbegin(); key.empty() && row != around.rend(); ++row) {
    const std::string& name = trace.name_of(**row);
    if (!is_exchange(name) && !name.starts_with("c10d::")) continue;
    if (const auto message = key_of_message(name)) return *message;
    if (!holds_message(name)) key = name;
  }
  if (!key.empty()) return key;
  const std::string& name = trace.name_of(event);
  if (const auto message = key_of_message(name)) return *message;
  return holds_message(name) ? std::string() : short_row_name(name);
}

struct PlacedCollective {
  std::int64_t placed_by_ns = 0;  // its launch, or itself: which step it belongs to
  CollectiveRow row = {};
};

// Kernels of the device or, where there are none, the host's rows of a backend such as Gloo.
std::vector<PlacedCollective> collectives_of(const Timeline& timeline) {
  const trace::Trace& trace = *timeline.trace;
  std::vector<PlacedCollective> all;
  std::map<std::uint32_t,
           std::vector<std::pair<const trace::TraceEvent*, const trace::TraceEvent*>>>
      launched;
  const std::vector<const trace::TraceEvent*> nothing;
  for (const WorkRow& row : timeline.work) {
    if (!row.communication) continue;
    const trace::TraceEvent* call = timeline.call_of(row);
    if (call != nullptr) {
      launched[call->lane].emplace_back(call, row.event);
      continue;
    }
    all.push_back({row.event->start_ns,
                   {key_of_collective(trace, *row.event, nothing), span_of(*row.event)}});
  }
  for (auto& [lane, rows] : launched) {
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a.first->start_ns < b.first->start_ns;
    });
    OpenRowsOf open(trace.lanes[lane]);
    for (const auto& [call, row] : rows) {
      all.push_back({call->start_ns,
                     {key_of_collective(trace, *row, open.at(call->start_ns)), span_of(*row)}});
    }
  }
  if (all.empty()) {
    for (const trace::TraceLane& lane : trace.lanes) {
      if (lane.kind != trace::LaneKind::kHost) continue;
      OpenRowsOf open(lane);
      for (const trace::TraceEvent& event : lane.events) {
        if (!is_host_op(trace, event) || !is_exchange(trace.name_of(event))) continue;
        all.push_back({event.start_ns,
                       {key_of_collective(trace, event, open.at(event.start_ns)), span_of(event)}});
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.row.at.begin_ns < b.row.at.begin_ns;
  });
  return all;
}

// Operators of the step thread, without those that communicate.
IntervalSet computing_on_host(const trace::Trace& trace, std::uint32_t lane) {
  std::vector<TimeSpan> spans;
  if (lane == ops::kNoIndex) return {};
  for (const InnerRow& inner : innermost_rows(trace, trace.lanes[lane], false)) {
    const trace::TraceName& name = trace.names[inner.row->name];
    if (inner.row->kind != trace::EventKind::kOp || name.facts.communication) continue;
    if (!name.text.starts_with("c10d::")) spans.push_back(inner.at);
  }
  return IntervalSet(std::move(spans));
}

std::string own_job(const trace::Trace& trace) {
  std::string job;
  for (const char* key : {"case_id", "launch", "engine"}) {
    job += std::string(trace.own_fact(key)) + ' ';
  }
  return job;
}

}  // namespace

std::optional<RankTrace> rank_trace(const std::string& path, const trace::Trace& trace,
                                    const Analysis& analysis) {
  if (!trace.rank) return std::nullopt;
  const std::int64_t base_ns = trace.base_ns.value_or(0);
  RankTrace out{.path = path,
                .rank = *trace.rank,
                .world = trace.world,
                .job = trace.own ? own_job(trace) : std::string(),
                .host = trace.host_name,
                .damaged = analysis.blocked(),
                .window = analysis.steps.window,
                .resolution_ns = trace.resolution_ns};
  const IdleReport* idle = analysis.idle_of(std::nullopt);
  if (idle == nullptr) return out;
  out.scope = idle->scope;
  const Timeline timeline(trace);
  const std::vector<TimeSpan> windows = analysis.steps.windows();
  const IntervalSet communication =
      timeline.busy(std::nullopt, [](const WorkRow& row) { return row.communication; });
  const std::vector<std::int64_t> lengths = communication.lengths_in(windows);
  std::map<std::size_t, std::size_t> place_of_step;
  for (const std::size_t i : analysis.steps.counted()) {
    place_of_step[i] = out.steps.size();
    out.steps.push_back({.number = analysis.steps.steps[i].number,
                         .begin_ns = base_ns + windows[i].begin_ns,
                         .time = idle->steps[i],
                         .communication_ns = lengths[i]});
  }
  out.computing = out.scope == IdleScope::kHost
                      ? computing_on_host(trace, analysis.steps.lane)
                      : timeline.busy(std::nullopt, [](const WorkRow& row) {
                          return is_kernel(row) && !row.communication;
                        });
  out.since_1970 = !out.steps.empty() && out.steps.front().begin_ns > kPlausibleTime;
  for (PlacedCollective& each : collectives_of(timeline)) {
    const auto step = window_at(windows, each.placed_by_ns);
    const auto place = step ? place_of_step.find(*step) : place_of_step.end();
    if (place == place_of_step.end()) continue;
    out.steps[place->second].collectives.push_back(std::move(each.row));
  }
  return out;
}

std::vector<std::vector<std::size_t>> rank_jobs(const std::vector<RankTrace>& ranks) {
  std::map<std::tuple<std::string, std::int64_t>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    groups[{ranks[i].job, ranks[i].world.value_or(0)}].push_back(i);
  }
  std::vector<std::vector<std::size_t>> jobs;
  for (auto& [key, members] : groups) {
    const bool several = std::any_of(members.begin(), members.end(), [&](std::size_t i) {
      return ranks[i].rank != ranks[members.front()].rank;
    });
    if (several && std::get<1>(key) != 1) jobs.push_back(std::move(members));
  }
  return jobs;
}

}  // namespace stepbench::analyze
