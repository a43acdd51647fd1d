// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/internal/case_pairs.h"

#include <algorithm>
#include <unordered_map>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::verdict {
namespace {

struct Side {
  std::vector<CaseLaunches> cases;
  OtherRanks other_ranks;
  std::unordered_map<std::string, std::size_t> by_key;
};

void refuse_non_measurement(const ComparisonSide& side, const record::LaunchRow& row) {
  if (row.smoke) {
    throw ConfigError(side.where,
                      "contains a run with --smoke or --quick, whose few steps only show that a "
                      "file works; run it again without them");
  }
  if (!row.key.arm.empty()) {
    throw ConfigError(side.where,
                      formatted("holds the arms of an A/B campaign (arm '{}'), which has verdicts "
                                "of its own; compare takes runs without arms",
                                row.key.arm));
  }
}

Side gather(const ComparisonSide& side, const CaseKey& key) {
  Side result;
  bool other_passes = false;
  for (const record::Launch& launch : side.results->launches) {
    const record::LaunchRow& row = launch.row;
    if (row.key.arm == record::kReferenceArm) continue;  // a night's reference program
    refuse_non_measurement(side, row);
    if (row.key.pass != Pass::kTiming) other_passes = true;
    if (row.key.pass != Pass::kTiming) continue;
    if (row.key.rank != 0) {
      result.other_ranks.add(launch);
      continue;
    }
    const auto [at, is_new] = result.by_key.try_emplace(key(row), result.cases.size());
    if (is_new) result.cases.push_back({.first = &row});
    CaseLaunches& one = result.cases[at->second];
    if (one.first->key.case_id != row.key.case_id) {
      const OptionValues* both[] = {&one.first->options, &row.options};
      const std::vector<std::string> varying = estimate::varying_options(both, {});
      const auto name = [&](const record::LaunchRow& of) {
        return estimate::case_name(of.options, of.workload, varying, of.key.case_id);
      };
      throw ConfigError("--ignore",
                        formatted("makes the cases {} and {} of {} equal, which is ambiguous; "
                                  "ignore fewer keys, or run one of them alone",
                                  name(*one.first), name(row), side.where));
    }
    if (row.outcome.kind == Outcome::Kind::kMeasured) {
      one.measured.push_back(&launch);
    } else if (one.not_measured++ == 0) {
      one.reason = row.outcome.reason;
    }
  }
  if (result.cases.empty() && other_passes) {
    throw ConfigError(side.where,
                      "holds profiled or wrapped launches only; their times show shares and are "
                      "never compared");
  }
  for (CaseLaunches& one : result.cases) {
    std::stable_sort(one.measured.begin(), one.measured.end(),
                     [](const record::Launch* a, const record::Launch* b) {
                       return a->row.key.launch < b->row.key.launch;
                     });
    for (const record::Launch* launch : one.measured) {
      if (launch->row.world > 1) one.other_ranks.push_back(result.other_ranks.of(*launch));
    }
  }
  return result;
}

}  // namespace

OtherRanks::Group OtherRanks::group_of(const record::Launch& launch) {
  const record::LaunchKey& key = launch.row.key;
  return {launch.run, key.case_id, key.arm, key.launch};
}

void OtherRanks::add(const record::Launch& launch) {
  if (launch.row.outcome.kind != Outcome::Kind::kMeasured) return;
  ranks_[group_of(launch)].insert_or_assign(launch.row.key.rank, &launch);
}

std::vector<const record::Launch*> OtherRanks::of(const record::Launch& rank_0) const {
  std::vector<const record::Launch*> ranks;
  const auto found = ranks_.find(group_of(rank_0));
  if (found == ranks_.end()) return ranks;
  for (const auto& [rank, launch] : found->second) ranks.push_back(launch);
  return ranks;
}

bool take_rank(std::size_t rank, CaseLaunches& launches) {
  if (rank == 0) return true;
  if (launches.other_ranks.size() != launches.measured.size()) return false;
  for (std::size_t i = 0; i < launches.measured.size(); ++i) {
    const auto& others = launches.other_ranks[i];
    if (others.size() < rank) return false;
    launches.measured[i] = others[rank - 1];
  }
  return true;
}

CasePairs pair_cases(const ComparisonSide& base, const ComparisonSide& candidate,
                     const CaseKey& key) {
  Side a = gather(base, key);
  Side b = gather(candidate, key);
  CasePairs pairs;
  std::vector<bool> used(b.cases.size(), false);
  std::vector<const std::string*> keys(a.cases.size());
  for (const auto& [text, index] : a.by_key) keys[index] = &text;
  for (std::size_t i = 0; i < a.cases.size(); ++i) {
    const auto found = b.by_key.find(*keys[i]);
    if (found == b.by_key.end()) {
      pairs.only_base.push_back(std::move(a.cases[i]));
      continue;
    }
    used[found->second] = true;
    pairs.both.push_back({std::move(a.cases[i]), std::move(b.cases[found->second])});
  }
  for (std::size_t i = 0; i < b.cases.size(); ++i) {
    if (!used[i]) pairs.only_candidate.push_back(std::move(b.cases[i]));
  }
  return pairs;
}

}  // namespace stepbench::verdict
