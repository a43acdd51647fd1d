// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/rank_trace.h"

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

Matched match(const std::vector<const RankStep*>& steps) {
  std::map<std::string, std::vector<std::pair<std::size_t, std::vector<const ExchangeRow*>>>>
      by_key;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const ExchangeRow& row : steps[i]->collectives) {
      auto& ranks = by_key[row.key];
      if (ranks.empty() || ranks.back().first != i) ranks.push_back({i, {}});
      ranks.back().second.push_back(&row);
    }
  }
  Matched matched;
  matched.unknown.resize(steps.size());
  for (auto& [key, ranks] : by_key) {
    const std::size_t count = ranks.front().second.size();
    const bool alike =
        std::ranges::all_of(ranks, [&](const auto& each) { return each.second.size() == count; });
    if (!alike || ranks.size() < 2 || key.empty()) {
      for (auto& [place, all] : ranks) {
        for (const ExchangeRow* each : all) matched.unknown[place].push_back(each->at);
      }
      continue;
    }
    for (std::size_t n = 0; n < count; ++n) {
      Entries& entries = matched.collectives.emplace_back();
      for (const auto& [place, all] : ranks) entries.emplace_back(place, all[n]);
    }
  }
  return matched;
}

Entries::const_iterator last_of(const Entries& entries) {
  return std::ranges::min_element(entries, [](const auto& a, const auto& b) {
    return a.second->at.length_ns() < b.second->at.length_ns();
  });
}

std::vector<std::vector<RankWait>> waits_in(const std::vector<Entries>& collectives,
                                            std::size_t ranks) {
  std::vector<std::vector<RankWait>> waits(ranks);
  for (const Entries& entries : collectives) {
    const auto last = last_of(entries);
    const std::int64_t shortest_ns = last->second->at.length_ns();
    for (const auto& [place, exchange] : entries) {
      const auto [begin_ns, end_ns] = exchange->at;
      waits[place].push_back({.at = {begin_ns, end_ns - shortest_ns},
                              .lost = {begin_ns + shortest_ns, end_ns},
                              .exchange = {begin_ns, begin_ns + shortest_ns},
                              .for_place = last->first});
    }
  }
  return waits;
}

IntervalSet lost_moments(const std::vector<RankWait>& waits, std::optional<std::size_t> for_place) {
  std::vector<TimeSpan> lost;
  std::vector<TimeSpan> exchanging;
  for (const RankWait& wait : waits) {
    if (!for_place || wait.for_place == *for_place) lost.push_back(wait.lost);
    exchanging.push_back(wait.exchange);
  }
  return IntervalSet(std::move(lost)) - IntervalSet(std::move(exchanging));
}

}  // namespace stepbench::traces
