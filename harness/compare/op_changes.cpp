// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/op_changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "harness/ops/op_frame.h"
#include "harness/ops/op_table.h"
#include "harness/stats/order.h"

namespace stepbench::compare {
namespace {

constexpr double kMinOpShare = 0.02;  // of all ops' time; smaller changes of a share are noise

using Key = std::tuple<std::string, std::string, std::string>;  // name, shapes, phase

struct Sums {
  double calls = 0;  // per step
  double self_ns = 0;
};

struct Profile {
  std::map<Key, Sums> ops;
  double self_ns = 0;

  [[nodiscard]] Sums of(const Key& key) const {
    const auto found = ops.find(key);
    return found == ops.end() ? Sums{} : found->second;
  }
  [[nodiscard]] double share(const Key& key) const {
    return self_ns > 0 ? of(key).self_ns / self_ns : 0;
  }
};

// Uses device time if the launch has any: the host only queues the work.
Profile read(const record::Launch& launch) {
  const ops::OpTable table = ops::op_table_of(launch.ops);
  std::set<std::int64_t> steps;
  bool on_device = false;
  for (const ops::OpRow& row : table.rows) {
    if (row.step >= 0) steps.insert(row.step);
    on_device = on_device || row.self_device_ns > 0;
  }
  Profile profile;
  if (steps.empty()) return profile;
  const auto per_step = 1.0 / static_cast<double>(steps.size());
  for (const ops::OpRow& row : table.rows) {
    if (row.step < 0 || row.kind != ops::OpKind::kOp) continue;
    Sums& sums =
        profile.ops[{std::string(table.text(row.name)), std::string(table.text(row.shapes)),
                     std::string(table.text(row.phase))}];
    const auto self = static_cast<double>(on_device ? row.self_device_ns : row.self_cpu_ns);
    sums.calls += per_step * static_cast<double>(row.calls);
    sums.self_ns += per_step * self;
    profile.self_ns += per_step * self;
  }
  return profile;
}

std::vector<Profile> read_all(const std::vector<const record::Launch*>& launches) {
  std::vector<Profile> profiles;
  for (const record::Launch* launch : launches) {
    Profile profile = read(*launch);
    if (!profile.ops.empty()) profiles.push_back(std::move(profile));
  }
  return profiles;
}

void add_times(const std::vector<Profile>& base, const std::vector<Profile>& candidate,
               const Key& key, OpChange& change) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(base.size(), candidate.size()); ++i) {
    differences.push_back(candidate[i].of(key).self_ns - base[i].of(key).self_ns);
  }
  if (differences.size() < kPairsForOpTimes) return;
  const auto [low, high] = std::minmax_element(differences.begin(), differences.end());
  change.change_ns = stats::median(differences);
  change.range_ns = {*low, *high};
}

// Calls per step are whole numbers of calls over whole steps; the tolerance is for rounding.
bool calls_differ(const OpChange& change) {
  return std::abs(change.candidate_calls - change.base_calls) > 1e-6;
}

bool explains(const OpChange& change, double whole_ns) {
  if (calls_differ(change)) return true;
  if (!change.change_ns) {
    return std::abs(change.candidate_share - change.base_share) >= kMinOpShare;
  }
  const bool sure = change.range_ns.low > 0 || change.range_ns.high < 0;
  return sure && std::abs(*change.change_ns) >= kMinOpShare * whole_ns;
}

double weight(const OpChange& change) {
  return std::max(change.base_share, change.candidate_share) * (calls_differ(change) ? 1 : 0.5) +
         std::abs(change.candidate_share - change.base_share);
}

}  // namespace

ProfiledLaunches::ProfiledLaunches(const record::Results& results) {
  for (const record::Launch& launch : results.launches) {
    const record::LaunchKey& key = launch.row.key;
    if (key.rank != 0 || launch.row.outcome.kind != Outcome::Kind::kMeasured) continue;
    if (is_profiling(key.pass)) by_case_[{key.case_id, key.arm}].push_back(&launch);
    if (key.pass == Pass::kWrapped) counted_[{key.case_id, key.arm}].push_back(&launch);
  }
  for (ByCase* all : {&by_case_, &counted_}) {
    for (auto& [key, launches] : *all) {
      std::stable_sort(launches.begin(), launches.end(),
                       [](const record::Launch* a, const record::Launch* b) {
                         return a->row.key.launch < b->row.key.launch;
                       });
    }
  }
}

std::vector<const record::Launch*> ProfiledLaunches::of(std::string_view case_id,
                                                        std::string_view arm) const {
  const auto found = by_case_.find({case_id, arm});
  return found == by_case_.end() ? std::vector<const record::Launch*>{} : found->second;
}

std::vector<const record::Launch*> ProfiledLaunches::counted(std::string_view case_id,
                                                             std::string_view arm) const {
  const auto found = counted_.find({case_id, arm});
  return found == counted_.end() ? std::vector<const record::Launch*>{} : found->second;
}

std::vector<OpChange> op_changes(const std::vector<const record::Launch*>& base,
                                 const std::vector<const record::Launch*>& candidate,
                                 bool interleaved) {
  const std::vector<Profile> before = read_all(base);
  const std::vector<Profile> after = read_all(candidate);
  std::vector<OpChange> changes;
  if (before.empty() || after.empty()) return changes;
  std::set<Key> keys;
  for (const Profile* profile : {&before.front(), &after.front()}) {
    for (const auto& [key, sums] : profile->ops) keys.insert(key);
  }
  for (const Key& key : keys) {
    OpChange change{.name = std::get<0>(key),
                    .shapes = std::get<1>(key),
                    .phase = std::get<2>(key),
                    .base_calls = before.front().of(key).calls,
                    .candidate_calls = after.front().of(key).calls,
                    .base_share = before.front().share(key),
                    .candidate_share = after.front().share(key)};
    if (interleaved) add_times(before, after, key, change);
    if (explains(change, before.front().self_ns)) changes.push_back(std::move(change));
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const OpChange& a, const OpChange& b) { return weight(a) > weight(b); });
  return changes;
}

}  // namespace stepbench::compare
