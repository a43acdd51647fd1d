// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/matched_collectives.h"

#include <algorithm>
#include <map>
#include <string>

namespace stepbench::analyze {

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
    const bool alike = std::all_of(ranks.begin(), ranks.end(),
                                   [&](const auto& each) { return each.second.size() == count; });
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
  return std::min_element(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
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

}  // namespace stepbench::analyze
