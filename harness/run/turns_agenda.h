// SPDX-License-Identifier: Apache-2.0
// The agenda of a night beside a reference program: each timed launch of a case that both programs
// can measure is a pair, tonight's program and the reference next to each other, in the order that
// the pair before did not have. Pure.
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

// A pair of which one launch failed is made so many times in all.
inline constexpr int kTriesOfAPair = 3;

// What is not made again: of `paired` cases, by id, pairs that both programs measured, those that
// failed kTriesOfAPair times, and all of a case that one of the programs only fails or skips. Half
// a pair is made again as a whole: its halves are neighbours in time. Of all other cases each
// launch that has a row.
[[nodiscard]] std::set<record::LaunchKey> done_in_turns(const record::Results& earlier,
                                                        const std::set<std::string>& paired);
[[nodiscard]] bool has_pairs_to_repeat(const record::Results& earlier,
                                       const std::set<std::string>& paired);

// A case of which the reference fails twice and was never measured goes on without it, and so do
// all cases when it never measured any and fails four times: it does not run here.
class TurnsAgenda final : public Agenda {
 public:
  // `cases`: as `tonight` was made from them; `reference`: of those that are paired, by index into
  // `cases`, their index in the reference's plan. Of `profiled` cases launches that record
  // operations are paired, too.
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
  std::size_t seen_ = 0;                    // launches of `finished` looked at
  std::map<std::string, int> failed_ = {};  // by case id, of the reference
  std::set<std::string> measured_ = {};     // case ids, of the reference
  int all_failed_ = 0;
};

}  // namespace stepbench::run
