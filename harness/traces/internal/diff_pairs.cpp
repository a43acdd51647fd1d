// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "harness/base/error.h"
#include "harness/text/words.h"
#include "harness/traces/compare_traces.h"

namespace stepbench::traces {
namespace {

// "worker0" of "worker0.1623143089861.pt.trace.json.gz"
std::string worker_of(const DiffSide& side) {
  std::string name = std::filesystem::path(side.paths.front()).filename().string();
  for (const char* suffix : {".gz", ".json", ".sqlite", ".trace", ".pt"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - std::string_view(suffix).size());
  }
  const std::size_t dot = name.rfind('.');
  const bool is_time = dot != std::string::npos && dot + 1 < name.size() &&
                       name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return is_time ? name.substr(0, dot) : name;
}

bool are_ranks(const std::vector<DiffSide>& sides) {
  std::set<std::int64_t> ranks;
  return std::ranges::all_of(
      sides, [&](const DiffSide& each) { return each.rank && ranks.insert(*each.rank).second; });
}

using SidesByKey = std::map<std::string, DiffSide>;

SidesByKey keyed(std::vector<DiffSide> sides, bool own, bool ranks) {
  SidesByKey by_key;
  for (DiffSide& each : sides) {
    std::string key = worker_of(each);
    const std::string rank = each.rank ? "rank " + std::to_string(*each.rank) : std::string();
    if (own) {
      key = each.own_case;
      if (each.world.value_or(1) > 1) key += ", " + rank;
    } else if (ranks) {
      key = rank;
    }
    const auto [at, is_new] = by_key.try_emplace(key);
    if (is_new) {
      at->second = std::move(each);
    } else {
      at->second.append(std::move(each));
    }
  }
  return by_key;
}

std::string keys_of(const SidesByKey& sides) {
  return text::join(sides, ", ", [](const auto& each) { return each.first; });
}

}  // namespace

DiffPairs pair_sides(std::vector<DiffSide> bases, std::vector<DiffSide> news) {
  const auto is_own = [](const DiffSide& each) { return !each.own_case.empty(); };
  const bool own = std::ranges::all_of(bases, is_own) && std::ranges::all_of(news, is_own);
  const bool ranks = are_ranks(bases) && are_ranks(news);
  SidesByKey base = keyed(std::move(bases), own, ranks);
  SidesByKey next = keyed(std::move(news), own, ranks);
  DiffPairs found;
  if (base.size() == 1 && next.size() == 1) {
    found.pairs.emplace_back(std::move(base.begin()->second), std::move(next.begin()->second));
    return found;
  }
  for (auto& [key, side] : next) {
    const auto other = base.find(key);
    if (other == base.end()) {
      found.unmatched.push_back(key + " (only in new)");
    } else {
      found.pairs.emplace_back(std::move(other->second), std::move(side));
    }
  }
  if (found.pairs.empty()) {
    throw ConfigError("--diff", "no trace has a counterpart; new has " + keys_of(next) +
                                    "; base has " + keys_of(base));
  }
  for (const auto& [key, side] : base) {
    if (!next.contains(key)) found.unmatched.push_back(key + " (only in base)");
  }
  return found;
}

}  // namespace stepbench::traces
