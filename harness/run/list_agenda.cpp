// SPDX-License-Identifier: Apache-2.0
#include "harness/run/list_agenda.h"

#include <algorithm>
#include <numeric>

#include "harness/stats/random.h"

namespace stepbench::run {

ListAgenda::ListAgenda(std::vector<ListedCase> cases, Pass pass, std::uint64_t order,
                       const std::set<record::LaunchKey>& done)
    : cases_(std::move(cases)) {
  add_rounds(Kind::kTimed, pass, order, done);
  add_rounds(Kind::kProfiled, pass, order, done);
  add_rounds(Kind::kCounted, Pass::kWrapped, order, done);
}

void ListAgenda::add_rounds(Kind kind, Pass pass, std::uint64_t order,
                            const std::set<record::LaunchKey>& done) {
  const auto launches_of = [&](const ListedCase& listed) {
    if (kind == Kind::kTimed) return listed.skipped ? 1 : listed.launches;
    if (listed.skipped) return 0;
    if (kind == Kind::kCounted) return listed.count_launches;
    return listed.profile ? listed.profile_launches : 0;
  };
  int rounds = 0;
  for (const ListedCase& listed : cases_) rounds = std::max(rounds, launches_of(listed));
  stats::Random random(order);
  std::vector<std::size_t> turns(cases_.size());
  std::iota(turns.begin(), turns.end(), std::size_t{0});
  for (int round = 0; round < rounds; ++round) {
    random.shuffle(std::span(turns));
    for (const std::size_t index : turns) {
      const ListedCase& listed = cases_[index];
      if (round >= launches_of(listed)) continue;
      Job job{.case_index = index,
              .pass = kind == Kind::kProfiled ? *listed.profile : pass,
              .launch = round,
              .block = round,
              .position = position_++};
      if (kind == Kind::kProfiled) job.note = "profiled";
      if (kind == Kind::kCounted) job.note = "counted by valgrind";
      job.counts = kind == Kind::kCounted;
      if (!done.contains({listed.case_id, "", job.pass, round, 0})) jobs_.push_back(job);
    }
  }
}

std::optional<Job> ListAgenda::next(const record::Results& finished) {
  for (; seen_ < finished.launches.size(); ++seen_) {
    const record::LaunchRow& row = finished.launches[seen_].row;
    if (row.outcome.kind == Outcome::Kind::kSkipped) skipped_.insert(row.key.case_id);
  }
  while (next_ < jobs_.size() && skipped_.contains(cases_[jobs_[next_].case_index].case_id))
    ++next_;
  if (next_ == jobs_.size()) return std::nullopt;
  return jobs_[next_++];
}

}  // namespace stepbench::run
