// SPDX-License-Identifier: Apache-2.0
#include "harness/run/turns_agenda.h"

#include <utility>

namespace stepbench::run {
namespace {

constexpr int kMostOfACase = 2;
constexpr int kMostInARow = 4;
constexpr int kNever = -1'000'000;  // one that was measured is not given up

}  // namespace

TurnsAgenda::TurnsAgenda(ListAgenda& tonight, const std::vector<ListedCase>& cases,
                         std::map<std::size_t, SplitCase> split,
                         const std::set<record::LaunchKey>& done)
    : tonight_(tonight), split_(std::move(split)), done_(done) {
  for (const ListedCase& each : cases) case_ids_.push_back(each.case_id);
  // Of a night that was cut between the two halves of a turn.
  for (const auto& [index, half] : split_) {
    for (int launch = 0; launch < half.launches; ++launch) {
      if (!done_.contains({.case_id = case_ids_[index], .launch = launch})) continue;
      if (auto job = of_reference({.case_index = index, .launch = launch, .block = launch})) {
        waiting_.push_back(std::move(*job));
      }
    }
  }
}

std::optional<Job> TurnsAgenda::of_reference(const Job& tonight) const {
  const SplitCase& half = split_.at(tonight.case_index);
  const record::LaunchKey key{.case_id = case_ids_[tonight.case_index],
                              .arm = std::string(record::kReferenceArm),
                              .launch = tonight.launch};
  if (done_.contains(key)) return std::nullopt;
  Job job = tonight;
  job.case_index = half.reference_index;
  job.arm = key.arm;
  job.note = "reference program";
  return job;
}

void TurnsAgenda::note_failures(const record::Results& finished) {
  for (; seen_ < finished.launches.size(); ++seen_) {
    const record::LaunchRow& row = finished.launches[seen_].row;
    if (row.key.arm != record::kReferenceArm || row.key.rank != 0) continue;
    const bool measured = row.outcome.kind == Outcome::Kind::kMeasured;
    failed_[row.key.case_id] += measured ? kNever : 1;
    in_a_row_ = measured ? 0 : in_a_row_ + 1;
  }
}

bool TurnsAgenda::is_split(std::size_t index) const {
  if (!split_.contains(index) || in_a_row_ >= kMostInARow) return false;
  const auto failed = failed_.find(case_ids_[index]);
  return failed == failed_.end() || failed->second < kMostOfACase;
}

std::optional<Job> TurnsAgenda::next(const record::Results& finished) {
  note_failures(finished);
  for (;;) {
    if (!waiting_.empty()) {
      Job job = std::move(waiting_.front());
      waiting_.pop_front();
      return job;
    }
    std::optional<Job> job = tonight_.next(finished);
    if (!job || job->pass != Pass::kTiming || job->counts || !is_split(job->case_index)) return job;
    if (job->launch >= split_.at(job->case_index).launches) continue;
    auto beside = of_reference(*job);
    if (!beside) return job;
    if ((static_cast<std::size_t>(job->launch) + job->case_index) % 2 == 1)
      std::swap(*job, *beside);
    waiting_.push_back(std::move(*beside));
    return job;
  }
}

std::size_t TurnsAgenda::remaining() const { return tonight_.remaining() + waiting_.size(); }

}  // namespace stepbench::run
