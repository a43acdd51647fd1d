// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/compare_traces.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "harness/traces/internal/host_activity.h"

namespace stepbench::traces {
namespace {

// In ns; later times count from 1970: this is 2001.
constexpr std::int64_t kPlausibleTime = 1'000'000'000'000'000'000;

// Operators of the step thread, without communication.
IntervalSet computing_on_host(const Trace& trace, std::uint32_t lane) {
  std::vector<TimeSpan> spans;
  if (lane == ops::kNoIndex) return {};
  for (const InnerRow& inner : innermost_rows(trace, trace.lanes[lane], false)) {
    const TraceName& name = trace.names[inner.row->name];
    if (inner.row->kind != EventKind::kOp || name.facts.communication) continue;
    if (!name.text.starts_with("c10d::")) spans.push_back(inner.at);
  }
  return IntervalSet(std::move(spans));
}

std::string own_job(const Trace& trace) {
  std::string job;
  for (const char* key : {"case_id", "launch", "engine"}) {
    job += std::string(trace.own_fact(key)) + ' ';
  }
  return job;
}

// Groups traces of one job with several ranks: groups of at least two ranks that share a job and a
// world size, as indices into `ranks`. Other traces are in no group.
std::vector<std::vector<std::size_t>> rank_jobs(const std::vector<RankTrace>& ranks) {
  std::map<std::tuple<std::string, std::int64_t>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    groups[{ranks[i].job, ranks[i].world.value_or(0)}].push_back(i);
  }
  std::vector<std::vector<std::size_t>> jobs;
  for (auto& [key, members] : groups) {
    const auto& first = ranks[members.front()];
    const bool several =
        std::ranges::any_of(members, [&](std::size_t i) { return ranks[i].rank != first.rank; });
    if (several && std::get<1>(key) != 1) jobs.push_back(std::move(members));
  }
  return jobs;
}

}  // namespace

std::optional<RankTrace> rank_trace(const std::string& path, const Trace& trace,
                                    const Analysis& analysis) {
  if (!trace.rank) return std::nullopt;
  const std::int64_t base_ns = trace.base_ns.value_or(0);
  RankTrace out{.path = path,
                .rank = *trace.rank,
                .world = trace.world,
                .job = trace.own ? own_job(trace) : std::string(),
                .host = trace.host_name,
                .base_ns = base_ns,
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
  for (ExchangeRow& each : exchanges_of(timeline)) {
    const auto step = window_at(windows, each.placed_by_ns);
    const auto place = step ? place_of_step.find(*step) : place_of_step.end();
    if (place == place_of_step.end()) continue;
    out.steps[place->second].collectives.push_back(std::move(each));
  }
  return out;
}

std::vector<RankJob> compare_jobs(std::vector<std::optional<RankTrace>> traces) {
  std::vector<RankTrace> ranks;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (!traces[i]) continue;
    ranks.push_back(std::move(*traces[i]));
    places.push_back(i);
  }
  std::vector<RankJob> jobs;
  for (const std::vector<std::size_t>& of_job : rank_jobs(ranks)) {
    RankJob& job = jobs.emplace_back();
    std::vector<RankTrace> members;
    for (const std::size_t i : of_job) {
      job.members.push_back(places[i]);
      members.push_back(std::move(ranks[i]));
    }
    job.report = compare_ranks(std::move(members));
  }
  return jobs;
}

}  // namespace stepbench::traces
