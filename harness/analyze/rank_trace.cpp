// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>

#include "harness/analyze/ranks.h"
#include "harness/analyze/row_names.h"

namespace stepbench::analyze {
namespace {

// Later than this in ns is a time since 1970: 2001.
constexpr std::int64_t kPlausibleTime = 1'000'000'000'000'000'000;

// Messages between two ranks have no last one to enter.
bool is_between_two(std::string_view name) {
  for (const char* part : {"send", "Send", "recv", "Recv"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::string key_of_collective(const trace::Trace& trace, const trace::TraceEvent& event) {
  const trace::KernelDetail* kernel = trace.kernel_detail(event);
  const trace::OpDetail* op = trace.op_detail(event);
  const std::uint32_t index = kernel != nullptr ? kernel->collective
                              : op != nullptr   ? op->collective
                                                : ops::kNoIndex;
  if (index == ops::kNoIndex) return short_row_name(trace.name_of(event));
  const trace::CollectiveDetail& detail = trace.collectives[index];
  std::string key = detail.name == ops::kNoIndex ? short_row_name(trace.name_of(event))
                                                 : std::string(trace.text(detail.name));
  if (detail.group != ops::kNoIndex) key += ", group " + std::string(trace.text(detail.group));
  return key;
}

struct PlacedCollective {
  std::int64_t begin_ns = 0;
  std::int64_t placed_by_ns = 0;  // its launch, or itself: which step it belongs to
  CollectiveRow row = {};
};

void add_collective(const trace::Trace& trace, const trace::TraceEvent& event,
                    const trace::TraceEvent* call, std::vector<PlacedCollective>& all) {
  CollectiveRow row{.key = key_of_collective(trace, event), .duration_ns = event.duration_ns()};
  if (is_between_two(row.key)) return;
  all.push_back({.begin_ns = event.start_ns,
                 .placed_by_ns = call == nullptr ? event.start_ns : call->start_ns,
                 .row = std::move(row)});
}

// Kernels of the device or, where there are none, the host's rows of a backend such as Gloo.
std::vector<PlacedCollective> collectives_of(const Timeline& timeline) {
  const trace::Trace& trace = *timeline.trace;
  std::vector<PlacedCollective> all;
  for (const WorkRow& row : timeline.work) {
    if (row.communication) add_collective(trace, *row.event, timeline.call_of(row), all);
  }
  if (!all.empty()) return all;
  for (const trace::TraceLane& lane : trace.lanes) {
    if (lane.kind != trace::LaneKind::kHost) continue;
    for (const trace::TraceEvent& event : lane.events) {
      if (is_host_op(trace, event) && is_collective(trace.name_of(event))) {
        add_collective(trace, event, nullptr, all);
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
  return all;
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
