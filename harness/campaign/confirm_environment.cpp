// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/confirm_environment.h"

#include <algorithm>
#include <string_view>

#include "harness/compare/ab_pairs.h"
#include "harness/text/words.h"
#include "harness/track/environment_key.h"

namespace stepbench::campaign {
namespace {

constexpr std::string_view kUnset = "none";

Fields lasting_fields(const record::LaunchRow& launch, const Fields& environment) {
  track::EnvironmentKey found = track::environment_key_of(launch, environment);
  found.machine.merge(found.cohort);
  return std::move(found.machine);
}

}  // namespace

std::vector<EnvironmentChange> environment_changes(const record::LaunchRow& launch,
                                                   const Fields& then, const Fields& now) {
  const Fields before = lasting_fields(launch, then);
  const Fields after = lasting_fields(launch, now);
  std::set<std::string> names;
  for (const auto& [name, value] : before) names.insert(name);
  for (const auto& [name, value] : after) names.insert(name);
  std::vector<EnvironmentChange> changes;
  for (const std::string& name : names) {
    const bool one_sided = before.contains(name) != after.contains(name);
    if (one_sided && !name.starts_with("env.")) continue;
    EnvironmentChange change{name, text_of(before, name, kUnset), text_of(after, name, kUnset)};
    if (change.then != change.now) changes.push_back(std::move(change));
  }
  return changes;
}

std::optional<std::string> EnvironmentWatch::look_at(const record::LaunchRow& launch,
                                                     const Fields& now) {
  const bool is_good = launch.key.arm == compare::kArmA;
  auto changes = is_good || recorded_.tonight.empty()
                     ? std::vector<EnvironmentChange>()
                     : environment_changes(launch, recorded_.tonight, now);
  std::erase_if(changes, [&](const EnvironmentChange& change) {
    return recorded_.of_cases.contains(change.field);
  });
  if (!changes.empty()) {
    return "since tonight's run something else than the program changed: " +
           text::join(changes, "; ", [](const EnvironmentChange& change) {
             return change.field + " was " + change.then + " and is now " + change.now;
           });
  }
  const auto other = now_.find(is_good ? compare::kArmB : compare::kArmA);
  if (other == now_.end()) return std::nullopt;
  const auto apart =
      environment_changes(launch, is_good ? now : other->second, is_good ? other->second : now);
  if (apart.empty()) return std::nullopt;
  return "the two builds do not run on the same software: " +
         text::join(apart, "; ", [](const EnvironmentChange& change) {
           return change.field + " is " + change.then + " for the last good build and " +
                  change.now + " for tonight's";
         });
}

std::optional<std::string> EnvironmentWatch::operator()(const record::Results& finished) {
  for (; seen_ < finished.launches.size(); ++seen_) {
    const record::LaunchRow& launch = finished.launches[seen_].row;
    const auto worker = std::find_if(
        finished.workers.begin(), finished.workers.end(),
        [&](const record::WorkerRow& each) { return each.worker_id == launch.worker_id; });
    if (worker == finished.workers.end() || now_.contains(launch.key.arm)) continue;
    now_.emplace(launch.key.arm, worker->environment);
    if (auto changed = look_at(launch, worker->environment)) return changed;
  }
  return std::nullopt;
}

}  // namespace stepbench::campaign
