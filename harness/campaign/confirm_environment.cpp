// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/confirm_environment.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "harness/compare/ab_pairs.h"
#include "harness/compare/environment_match.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

constexpr std::string_view kVariable = "env.";

// "6.1.0-18-amd64" -> "6.1"
std::string kernel_series(const std::string& release) {
  const std::size_t first = release.find('.');
  if (first == std::string::npos) return release;
  const std::size_t end = release.find_first_not_of("0123456789", first + 1);
  return release.substr(0, end);
}

bool explains_nothing(std::string_view field, bool on_gpu) {
  constexpr std::array<std::string_view, 2> kReadings = {"cpu.max_khz",
                                                         "cgroup.memory_limit_bytes"};
  return class_of(field, on_gpu) == FieldClass::kInformative ||
         std::find(kReadings.begin(), kReadings.end(), field) != kReadings.end();
}

std::string value_in(const Fields& fields, const std::string& name) {
  const std::string text = text_of(fields, name, "-");
  return name == "kernel" ? kernel_series(text) : text;
}

std::string arm_words(const std::string& arm) {
  return arm == kArmA ? "the last good build now runs in another environment than in its night: "
                      : "tonight's build now runs in another environment than in its run: ";
}

}  // namespace

std::vector<EnvironmentChange> environment_changes(const Fields& then, const Fields& now,
                                                   bool on_gpu) {
  std::set<std::string> names;
  for (const auto& [name, value] : then) names.insert(name);
  for (const auto& [name, value] : now) names.insert(name);
  std::vector<EnvironmentChange> changes;
  for (const std::string& name : names) {
    if (explains_nothing(name, on_gpu)) continue;
    EnvironmentChange change{name, value_in(then, name), value_in(now, name)};
    if (change.then == change.now) continue;
    const bool one_sided = change.then == "-" || change.now == "-";
    if (one_sided && !name.starts_with(kVariable)) continue;
    changes.push_back(std::move(change));
  }
  return changes;
}

std::string words_of(const std::vector<EnvironmentChange>& changes) {
  return join(changes, "; ", [](const EnvironmentChange& change) {
    return change.field + " was " + change.then + " and is now " + change.now;
  });
}

std::optional<std::string> EnvironmentWatch::operator()(const Results& finished) {
  for (; seen_ < finished.launches.size(); ++seen_) {
    const LaunchRow& row = finished.launches[seen_].row;
    const auto worker =
        std::find_if(finished.workers.begin(), finished.workers.end(),
                     [&](const WorkerRow& each) { return each.worker_id == row.worker_id; });
    if (worker == finished.workers.end() || now_.contains(row.key.arm)) continue;
    now_.emplace(row.key.arm, worker->environment);
    const Fields& then = row.key.arm == kArmA ? recorded_.good : recorded_.tonight;
    if (then.empty()) continue;
    auto changes = environment_changes(then, worker->environment, recorded_.on_gpu);
    std::erase_if(changes, [&](const EnvironmentChange& change) {
      return recorded_.of_cases.contains(change.field);
    });
    if (!changes.empty()) return arm_words(row.key.arm) + words_of(changes);
  }
  const auto good = now_.find(kArmA);
  const auto tonight = now_.find(kArmB);
  if (good == now_.end() || tonight == now_.end()) return std::nullopt;
  const auto apart = environment_changes(good->second, tonight->second, recorded_.on_gpu);
  if (apart.empty()) return std::nullopt;
  return "the two builds run in different environments: " +
         join(apart, "; ", [](const EnvironmentChange& change) {
           return change.field + " is " + change.then + " for the last good build and " +
                  change.now + " for tonight's";
         });
}

}  // namespace stepbench
