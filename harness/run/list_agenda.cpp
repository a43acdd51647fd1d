// SPDX-License-Identifier: Apache-2.0
#include "harness/run/list_agenda.h"

#include <algorithm>

namespace stepbench {

ListAgenda::ListAgenda(std::vector<ListedCase> cases, Pass pass, const std::set<LaunchKey>& done)
    : cases_(std::move(cases)) {
  add_rounds(pass, false, done);
  add_rounds(pass, true, done);
}

void ListAgenda::add_rounds(Pass pass, bool profiling, const std::set<LaunchKey>& done) {
  const auto launches_of = [&](const ListedCase& listed) {
    if (profiling) return listed.profile && !listed.skipped ? listed.profile_launches : 0;
    return listed.skipped ? 1 : listed.launches;
  };
  int rounds = 0;
  for (const ListedCase& listed : cases_) rounds = std::max(rounds, launches_of(listed));
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t index = 0; index < cases_.size(); ++index) {
      const ListedCase& listed = cases_[index];
      if (round >= launches_of(listed)) continue;
      const Job job{.case_index = index,
                    .pass = profiling ? *listed.profile : pass,
                    .launch = round,
                    .block = round,
                    .position = position_++,
                    .note = profiling ? "profiled" : ""};
      if (!done.contains({listed.case_id, "", job.pass, round, 0})) jobs_.push_back(job);
    }
  }
}

std::optional<Job> ListAgenda::next(const Results& finished) {
  for (; seen_ < finished.launches.size(); ++seen_) {
    const LaunchRow& row = finished.launches[seen_].row;
    if (row.outcome.kind == Outcome::Kind::kSkipped) skipped_.insert(row.key.case_id);
  }
  while (next_ < jobs_.size() && skipped_.contains(cases_[jobs_[next_].case_index].case_id))
    ++next_;
  if (next_ == jobs_.size()) return std::nullopt;
  return jobs_[next_++];
}

}  // namespace stepbench
