// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/ab_agenda.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

constexpr int kHopeless = 3;  // consecutive failed launches of an arm with none measured

std::string change_text(const verdict::TestResult& test) {
  if (!test.change) return "change unknown";
  std::string text = text::signed_percent(*test.change) + " %";
  if (std::isfinite(test.interval.high)) {
    text += formatted(" [{}, {}]", text::signed_percent(test.interval.low),
                      text::signed_percent(test.interval.high));
  }
  if (test.corrected_change) {
    text += formatted(", corrected {} %", text::signed_percent(*test.corrected_change));
  }
  return text;
}

record::LaunchKey case_and_arm(const record::LaunchKey& key) {
  return {.case_id = key.case_id, .arm = key.arm};
}

}  // namespace

AbAgenda::AbAgenda(Setup setup, const record::Results& earlier)
    : setup_(std::move(setup)),
      campaign_(design_of_setup()),
      given_up_(setup_.points.size(), false),
      end_announced_(setup_.points.size(), false),
      has_metrics_(setup_.points.size(), false) {
  std::set<record::LaunchKey> there;
  for (const record::Launch& launch : earlier.launches) there.insert(launch.row.key);
  for (const AbSkip& skip : setup_.skips) {
    const record::LaunchKey key{.case_id = skip.case_id, .arm = skip.job.arm};
    if (there.contains(key)) done_.insert(key);
  }
  for (const verdict::AbPoint& point : setup_.points) {
    const auto first = there.lower_bound({.case_id = point.a_case});
    for (auto at = first; at != there.end() && at->case_id == point.a_case; ++at) {
      const record::LaunchKey& key = *at;
      if (key.arm != verdict::kArmA) continue;
      record::LaunchKey other = key;
      other.arm = verdict::kArmB;
      other.case_id = point.b_case;
      if (!there.contains(other)) continue;
      done_.insert(key);
      done_.insert(other);
    }
  }
}

verdict::AbDesign AbAgenda::design_of_setup() const {
  verdict::AbDesign design = setup_.design;
  if (!setup_.is_over) return design;
  design.is_over = [this](std::size_t index, std::size_t pairs) {
    return setup_.is_over(*finished_, setup_.points[index], pairs);
  };
  return design;
}

record::LaunchKey AbAgenda::key_of(const verdict::AbSlot& slot) const {
  const verdict::AbPoint& point = setup_.points[slot.case_index];
  return {.case_id = slot.b ? point.b_case : point.a_case,
          .arm = slot.b ? verdict::kArmB : verdict::kArmA,
          .launch = static_cast<int>(slot.pair)};
}

// Gives up on cases with an arm that cannot be measured.
void AbAgenda::note_ends(const record::Results& finished) {
  for (; seen_ < finished.launches.size(); ++seen_) {
    const record::LaunchRow& row = finished.launches[seen_].row;
    by_case_[row.key.case_id].push_back(seen_);
    const record::LaunchKey key = case_and_arm(row.key);
    if (row.outcome.kind == Outcome::Kind::kMeasured) {
      measured_.insert(key);
      continue;
    }
    const bool skipped = row.outcome.kind == Outcome::Kind::kSkipped;
    not_measured_[key] += skipped ? kHopeless : 1;
    if (measured_.contains(key) || not_measured_[key] < kHopeless) continue;
    for (std::size_t i = 0; i < setup_.points.size(); ++i) {
      const verdict::AbPoint& point = setup_.points[i];
      if ((key.arm == verdict::kArmA ? point.a_case : point.b_case) != key.case_id || given_up_[i])
        continue;
      given_up_[i] = true;
      setup_.print_line(formatted("given up: {}: {} cannot be measured", setup_.labels[i],
                                  verdict::arm_label(key.arm)));
    }
  }
}

// Detects a metric that the workload does not report after one pair instead of after all.
void AbAgenda::check_metrics(std::size_t index, const verdict::AbPairs& pairs) {
  if (has_metrics_[index] || pairs.pair.base.measured.empty()) return;
  has_metrics_[index] = true;
  const verdict::TestedMetric* absent = verdict::absent_metric(pairs.pair, setup_.tested);
  if (absent == nullptr) return;
  throw ConfigError(
      "--metric",
      formatted(
          "no launch of {} gives '{}'; `stepbench show --case ID` prints the numbers of a case",
          setup_.labels[index], absent->name));
}

verdict::AbPairs AbAgenda::pairs_of(const record::Results& finished, std::size_t index,
                                    std::size_t most) const {
  const verdict::AbPoint& point = setup_.points[index];
  std::vector<const record::Launch*> launches;
  const std::set<std::string> ids = {point.a_case, point.b_case};
  for (const std::string& id : ids) {
    const auto found = by_case_.find(id);
    if (found == by_case_.end()) continue;
    for (const std::size_t place : found->second) launches.push_back(&finished.launches[place]);
  }
  return verdict::ab_pairs(launches, {point}, most).front();
}

std::string AbAgenda::so_far(const verdict::AbPairs& pairs) const {
  if (pairs.pair.base.measured.empty()) return {};
  const auto asked = verdict::metric_samples(pairs, setup_.columns, setup_.tested);
  const verdict::TestFamily family =
      verdict::judge({&asked.front().samples, 1}, setup_.design.rule);
  const bool named = asked.front().metric.kind != verdict::MetricKind::kStep;
  return "so far " + (named ? asked.front().metric.name + ' ' : "") +
         change_text(family.tests.front());
}

void AbAgenda::announce_ended_points() {
  for (std::size_t i = 0; i < setup_.points.size(); ++i) {
    const verdict::AbCase& one = campaign_.cases()[i];
    if (end_announced_[i] || one.in_rotation || one.tests.empty()) continue;
    end_announced_[i] = true;
    const verdict::TestResult& first = one.tests.front();
    const bool open = first.verdict == verdict::Verdict::kInconclusive;
    setup_.print_line(
        formatted("{}{}: {}: {} {}, {}", open ? "not decided after " : "decided after ",
                  text::counted(static_cast<std::int64_t>(one.ended_at), "pair"), setup_.labels[i],
                  setup_.tested.metrics.front().name, name_of(first.verdict), change_text(first)));
  }
}

// Profiles a changed step in alternating order: A B, B A, ...
std::optional<run::Job> AbAgenda::next_profile() {
  if (!setup_.profile) return std::nullopt;
  const auto launches = static_cast<std::size_t>(setup_.profile->launches);
  while (next_profile_ < 2 * launches * setup_.points.size()) {
    const std::size_t index = next_profile_ / (2 * launches);
    const std::size_t pair = next_profile_ % (2 * launches) / 2;
    const bool b = (next_profile_++ + pair) % 2 == 1;
    const verdict::AbCase& one = campaign_.cases()[index];
    if (one.tests.empty() || given_up_[index]) continue;
    const verdict::Verdict first = one.tests.front().verdict;
    const bool changed =
        first == verdict::Verdict::kRegression || first == verdict::Verdict::kImprovement;
    if (!changed && !setup_.profile_all) continue;
    auto job = job_of_arm(
        b, index,
        {.pass = setup_.profile->engine,
         .launch = static_cast<int>(pair),
         .block = static_cast<int>(pair / 2),
         .position = static_cast<int>(next_profile_),
         .note = "profile of " + verdict::arm_label(b ? verdict::kArmB : verdict::kArmA)});
    if (job) return job;
  }
  return std::nullopt;
}

std::optional<run::Job> AbAgenda::next_count() {
  for (; next_counted_point_ < setup_.counted.size(); ++next_counted_point_, next_count_ = 0) {
    const std::size_t index = next_counted_point_;
    if (given_up_[index] || campaign_.cases()[index].tests.empty()) continue;
    while (next_count_ < 2 * setup_.counted[index]) {
      const int number = next_count_++;
      const bool b = number % 2 == 1;
      auto job = job_of_arm(b, index,
                            {.pass = Pass::kWrapped,
                             .launch = number / 2,
                             .block = number / 2,
                             .position = number,
                             .note = "counted by valgrind, " +
                                     verdict::arm_label(b ? verdict::kArmB : verdict::kArmA),
                             .counts = true});
      if (job) return job;
    }
  }
  return std::nullopt;
}

std::optional<run::Job> AbAgenda::job_of_arm(bool b, std::size_t index, run::Job job) const {
  const verdict::AbPoint& point = setup_.points[index];
  job.case_index = index;
  job.arm = b ? verdict::kArmB : verdict::kArmA;
  const record::LaunchKey key{.case_id = b ? point.b_case : point.a_case,
                              .arm = job.arm,
                              .pass = job.pass,
                              .launch = job.launch};
  return done_.contains(key) ? std::nullopt : std::optional(std::move(job));
}

std::optional<run::Job> AbAgenda::next(const record::Results& finished) {
  finished_ = &finished;
  note_ends(finished);
  while (next_skip_ < setup_.skips.size()) {
    const AbSkip& skip = setup_.skips[next_skip_++];
    if (!done_.contains({.case_id = skip.case_id, .arm = skip.job.arm})) return skip.job;
  }
  const verdict::AbCampaign::SamplesOf samples_of = [&](std::size_t index, std::size_t count) {
    const verdict::AbPairs pairs = pairs_of(finished, index, count);
    std::vector<verdict::PairedSamples> primary;
    if (pairs.pair.base.first == nullptr || pairs.pair.candidate.first == nullptr) {
      return std::vector<verdict::PairedSamples>(1);
    }
    for (verdict::MetricSamples& asked :
         verdict::metric_samples(pairs, setup_.columns, setup_.tested)) {
      if (asked.primary) primary.push_back(std::move(asked.samples));
    }
    return primary;
  };
  for (;;) {
    const std::size_t looks = campaign_.looks_done();
    const std::optional<verdict::AbSlot> slot = campaign_.next(samples_of);
    if (campaign_.looks_done() != looks) announce_ended_points();
    if (!slot) {
      auto profile = next_profile();
      return profile ? std::move(profile) : next_count();
    }
    if (given_up_[slot->case_index] || done_.contains(key_of(*slot))) continue;
    std::string note = verdict::arm_label(slot->b ? verdict::kArmB : verdict::kArmA);
    const verdict::AbPairs pairs = pairs_of(finished, slot->case_index, slot->pair + 1);
    check_metrics(slot->case_index, pairs);
    const std::string known = so_far(pairs);
    if (!known.empty()) note += ", " + known;
    return run::Job{.case_index = slot->case_index,
                    .arm = slot->b ? verdict::kArmB : verdict::kArmA,
                    .launch = static_cast<int>(slot->pair),
                    .block = static_cast<int>(slot->block),
                    .position = static_cast<int>(slot->position),
                    .note = std::move(note)};
  }
}

std::size_t AbAgenda::remaining() const {
  return campaign_.remaining() + setup_.skips.size() - next_skip_;
}

}  // namespace stepbench::campaign
