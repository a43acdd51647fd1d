// SPDX-License-Identifier: Apache-2.0
// Agenda of `run`: a list of launches, in rounds over all cases. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/run/agenda.h"

namespace stepbench::run {

// The launches that `run` requests for one case.
struct ListedCase {
  std::string case_id;
  int launches = 1;
  bool skipped = false;              // known from the plan: one row, no worker
  std::optional<Pass> profile = {};  // engine of its profiled launches; nullopt: none
  int profile_launches = 1;
  int count_launches = 0;  // under valgrind
};

// Rounds: launch 0 of all cases, then launch 1, and so on, each round in a new random order, so
// that drift of the machine affects all cases alike, also within a round. `order` seeds the random
// order: a resumed run continues in the same one. Profiled launches come after all timed ones, and
// launches that count instructions last. Omits `done` launches, and repeats no skipped case.
class ListAgenda final : public Agenda {
 public:
  ListAgenda(std::vector<ListedCase> cases, Pass pass, std::uint64_t order,
             const std::set<record::LaunchKey>& done);
  [[nodiscard]] std::optional<Job> next(const record::Results& finished) override;
  [[nodiscard]] std::size_t remaining() const override { return jobs_.size() - next_; }

 private:
  enum class Kind : std::uint8_t { kTimed, kProfiled, kCounted };
  void add_rounds(Kind kind, Pass pass, std::uint64_t order,
                  const std::set<record::LaunchKey>& done);

  std::vector<ListedCase> cases_;
  std::vector<Job> jobs_;
  int position_ = 0;
  std::size_t next_ = 0;
  std::size_t seen_ = 0;           // number of launches of `finished` already examined
  std::set<std::string> skipped_;  // case ids
};

}  // namespace stepbench::run
