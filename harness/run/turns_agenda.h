// SPDX-License-Identifier: Apache-2.0
// Agenda of a nightly run with a reference program: each timed launch of a case that both programs
// can measure becomes a pair of consecutive launches of tonight's program and the reference, in the
// opposite order of the previous pair. Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/run/list_agenda.h"

namespace stepbench::run {

// Maximum number of tries of a pair with a failed launch.
inline constexpr int kTriesOfAPair = 3;

// Returns the launches that are not repeated. For `paired` cases (by id): pairs that both programs
// measured, pairs that failed kTriesOfAPair times, and all of a case that one of the programs only
// fails or skips. Half a pair is repeated as a whole, because its halves must be adjacent in time.
// For other cases: each launch that has a row.
[[nodiscard]] std::set<record::LaunchKey> done_in_turns(const record::Results& earlier,
                                                        const std::set<std::string>& paired);
[[nodiscard]] bool has_pairs_to_repeat(const record::Results& earlier,
                                       const std::set<std::string>& paired);

// A case continues without the reference if the reference fails twice in it and never measured it.
// All cases do if the reference never measured any and fails four times: it does not run here.
class TurnsAgenda final : public Agenda {
 public:
  // `cases`: the cases that `tonight` was made from. `reference`: for paired cases, index into
  // `cases` -> index into the reference's plan. `profiled`: cases whose profiled launches are
  // paired, too.
  TurnsAgenda(ListAgenda& tonight, const std::vector<ListedCase>& cases,
              std::map<std::size_t, std::size_t> reference, std::set<std::size_t> profiled = {});
  [[nodiscard]] std::optional<Job> next(const record::Results& finished) override;
  [[nodiscard]] std::size_t remaining() const override;

 private:
  void note_failures(const record::Results& finished);
  [[nodiscard]] bool is_paired(const Job& job) const;

  ListAgenda& tonight_;
  std::vector<std::string> case_ids_;
  std::map<std::size_t, std::size_t> reference_;
  std::set<std::size_t> profiled_;
  std::optional<Job> waiting_ = {};
  std::size_t seen_ = 0;                    // number of launches of `finished` already examined
  std::map<std::string, int> failed_ = {};  // by case id, of the reference
  std::set<std::string> measured_ = {};     // case ids, of the reference
  int all_failed_ = 0;
};

}  // namespace stepbench::run
