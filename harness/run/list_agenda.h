// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "harness/run/agenda.h"

namespace stepbench {

// What `run` asks of one case.
struct ListedCase {
  std::string case_id;
  int launches = 1;
  bool skipped = false;  // known from the plan: one row, no worker
};

// Rounds: launch 0 of all cases in order, then launch 1, and so on, so that a drift of the machine
// falls on all cases alike. Leaves out what is `done`. A case that was skipped by its worker is not
// launched again.
class ListAgenda final : public Agenda {
 public:
  ListAgenda(std::vector<ListedCase> cases, Pass pass, const std::set<LaunchKey>& done);
  [[nodiscard]] std::optional<Job> next(const Results& finished) override;
  [[nodiscard]] std::size_t remaining() const override { return jobs_.size() - next_; }

 private:
  std::vector<ListedCase> cases_;
  std::vector<Job> jobs_;
  std::size_t next_ = 0;
  std::size_t seen_ = 0;           // launches of `finished` looked at
  std::set<std::string> skipped_;  // case ids
};

}  // namespace stepbench
