// SPDX-License-Identifier: Apache-2.0
#include "harness/record/join.h"

#include <algorithm>

#include "harness/base/launch_flags.h"

namespace stepbench::record {
namespace {

// First and last value of the `index` column, if present.
std::optional<std::pair<std::int64_t, std::int64_t>> index_range(const CycleSamples& samples) {
  const std::vector<std::int64_t>* index = samples.steps.find("index");
  if (index == nullptr || index->empty()) return std::nullopt;
  return std::pair(index->front(), index->back());
}

constexpr int kFirstMinorWithPhases = 4;

std::shared_ptr<const DeclaredPhases> phases_in(const std::vector<Metric>& columns) {
  auto phases = std::make_shared<DeclaredPhases>();
  for (const Metric& column : columns) phases->emplace(column.name, column.phase);
  return phases;
}

bool overlap(const CycleSamples& a, const CycleSamples& b) {
  if (a.cycle != b.cycle) return false;
  const auto first = index_range(a);
  const auto second = index_range(b);
  return first && second && first->first <= second->second && second->first <= first->second;
}

// Notes of launches before 1.9 that flags replaced: beginning of the sentence, flag; empty: the
// row's options have the information.
constexpr std::pair<std::string_view, std::string_view> kOld[] = {
    {"the machine was busy: ", launch_flag::kWaitedForCpu},
    {"more threads than CPUs: ", launch_flag::kWaitedForCpu},
    {"the hypervisor took more than ", launch_flag::kSteal},
    {"the control group's CPU quota stopped ", launch_flag::kCpuQuota},
    {"the GPU was slowed down: ", launch_flag::kThrottled},
    {"the GPU was lost while this launch ran", launch_flag::kGpuLost},
    {"the GPU had ", launch_flag::kGpuMemoryErrors},
    {"warm-up too short, at least ", launch_flag::kWarmupTooShort},
    {"drifting: steps became ", launch_flag::kDrifting},
    {"the first measured step alone is slow", launch_flag::kFirstStepSlow},
    {"the workers of a loader deliver in turns", ""},
};

// Replaces old notes by flags.
void take_codes(LaunchReport& report) {
  std::erase_if(report.notes, [&](const std::string& note) {
    const auto* const old =
        std::ranges::find_if(kOld, [&](const auto& each) { return note.starts_with(each.first); });
    if (old == std::end(kOld)) return false;
    const bool known =
        old->second.empty() || std::ranges::find(report.flags, old->second) != report.flags.end();
    if (!known) report.flags.emplace_back(old->second);
    return true;
  });
}

}  // namespace

std::size_t Join::Hash::operator()(const LaunchKey& key) const {
  const std::size_t text =
      std::hash<std::string>{}(key.case_id) ^ (std::hash<std::string>{}(key.arm) << 1U);
  const auto numbers = (static_cast<std::size_t>(key.launch) << 12U) ^
                       (static_cast<std::size_t>(key.rank) << 3U) ^
                       static_cast<std::size_t>(key.pass);
  return text ^ (numbers * 0x9E3779B97F4A7C15ULL);
}

void Join::add(Row row, const std::function<std::string()>& where) {
  where_ = &where;
  std::visit([this](auto&& each) { take(std::move(each)); }, std::move(row));
}

std::string Join::run_id() const {
  return results_.runs.empty() ? std::string() : results_.runs.back().run_id;
}

void Join::take(RunRow&& row) {
  schema_minor_ = row.schema_minor;
  phases_.reset();
  results_.runs.push_back(std::move(row));
}

void Join::take(ColumnRow&& row) {
  if (schema_minor_ >= kFirstMinorWithPhases) phases_ = phases_in(row.columns);
  for (Metric& metric : row.columns) {
    const auto [at, is_new] = column_index_.try_emplace(metric.name, results_.columns.size());
    if (is_new) {
      results_.columns.push_back(std::move(metric));
    } else if (results_.columns[at->second].unit != metric.unit) {
      throw ConfigError((*where_)(), "column '" + metric.name + "' has the unit '" + metric.unit +
                                         "', and '" + results_.columns[at->second].unit +
                                         "' before");
    }
  }
}

void Join::take(WorkerRow&& row) {
  if (worker_ids_.insert(row.worker_id).second) results_.workers.push_back(std::move(row));
}

void Join::take(StartRow&& row) {
  const auto [at, is_new] = open_.try_emplace(row.key);
  if (is_new) open_order_.push_back(row.key);
  unreadable_launches_.erase({run_id(), row.key});
  row.run = results_.runs.empty() ? 0 : results_.runs.size() - 1;
  at->second.samples.clear();  // discards the results of the previous attempt
  at->second.ops.clear();
  at->second.starts.push_back(std::move(row));
}

void Join::take(SamplesRow&& row) {
  const auto [at, is_new] = open_.try_emplace(row.key);
  if (is_new) open_order_.push_back(row.key);
  std::vector<CycleSamples>& samples = at->second.samples;
  const auto repeated = [&](const CycleSamples& other) { return overlap(other, row.samples); };
  if (std::any_of(samples.rbegin(), samples.rend(), repeated)) {
    results_.warnings.push_back((*where_)() +
                                ": samples that this launch already has were dropped");
    return;
  }
  samples.push_back(std::move(row.samples));
}

void Join::take(OpsRow&& row) {
  const auto [at, is_new] = open_.try_emplace(row.key);
  if (is_new) open_order_.push_back(row.key);
  at->second.ops.push_back(std::move(row.frame));
}

void Join::take(LaunchRow&& row) {
  Launch launch;
  if (const auto open = open_.find(row.key); open != open_.end()) {
    launch.samples = std::move(open->second.samples);
    launch.ops = std::move(open->second.ops);
    open_.erase(open);
  }
  if (unreadable_launches_.contains({run_id(), row.key})) return;
  std::stable_sort(launch.samples.begin(), launch.samples.end(),
                   [](const CycleSamples& a, const CycleSamples& b) {
                     if (a.cycle != b.cycle) return a.cycle < b.cycle;
                     return index_range(a).value_or(std::pair(0, 0)).first <
                            index_range(b).value_or(std::pair(0, 0)).first;
                   });
  launch.row = std::move(row);
  take_codes(launch.row.report);
  launch.schema_minor = schema_minor_;
  launch.phases = phases_;
  launch.run = results_.runs.empty() ? 0 : results_.runs.size() - 1;
  launch.place = launch_lines_++;
  const auto [at, is_new] =
      committed_[run_id()].try_emplace(launch.row.key, results_.launches.size());
  if (is_new) {
    results_.launches.push_back(std::move(launch));
    return;
  }
  Launch& before = results_.launches[at->second];
  if (launch.row.attempt < before.row.attempt) return;
  if (launch.row.attempt == before.row.attempt && launch.samples.empty() && launch.ops.empty()) {
    // The launch line is repeated: what it commits preceded the first one.
    launch.samples = std::move(before.samples);
    launch.ops = std::move(before.ops);
  }
  before = std::move(launch);
}

void Join::take(UnknownRow&& row) {
  if (!row.launch) return;
  open_.erase(*row.launch);
  unreadable_launches_.emplace(run_id(), std::move(*row.launch));
}

void Join::take(EndRow&& row) { results_.end = std::move(row); }

void Join::end_of_file(bool being_written) {
  results_.running = results_.running || being_written;
  for (const LaunchKey& key : open_order_) {
    const auto open = open_.find(key);
    if (open == open_.end()) continue;
    for (StartRow& start : open->second.starts) {
      start.running = being_written && &start == &open->second.starts.back();
      results_.unfinished.push_back(std::move(start));
    }
    open_.erase(open);
  }
  open_order_.clear();
}

Results Join::finish() {
  const auto id = [&](std::size_t run) {
    return results_.runs.empty() ? std::string() : results_.runs[run].run_id;
  };
  std::erase_if(results_.unfinished, [&](const StartRow& start) {
    return committed_[id(start.run)].contains(start.key);
  });
  std::erase_if(results_.launches, [&](const Launch& launch) {
    return unreadable_launches_.contains({id(launch.run), launch.row.key});
  });
  return std::move(results_);
}

}  // namespace stepbench::record
