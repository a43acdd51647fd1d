// SPDX-License-Identifier: Apache-2.0
// The agenda of a night beside a reference program: of each case the first half of the timed
// launches that were planned is tonight's program, the other half the reference, in turns. Pure.
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

// A case of tonight's plan that is split.
struct SplitCase {
  std::size_t reference_index = 0;  // of the same case in the reference's plan
  int launches = 0;                 // of each program: half of the planned ones, rounded up
};

// A case of which the reference fails twice and was never measured gets all its planned launches,
// and so do all cases when it fails four times in a row: it does not run here.
class TurnsAgenda final : public Agenda {
 public:
  // `cases`: as `tonight` was made from them; `split`: by index into `cases`.
  TurnsAgenda(ListAgenda& tonight, const std::vector<ListedCase>& cases,
              std::map<std::size_t, SplitCase> split, const std::set<record::LaunchKey>& done);
  [[nodiscard]] std::optional<Job> next(const record::Results& finished) override;
  [[nodiscard]] std::size_t remaining() const override;

 private:
  void note_failures(const record::Results& finished);
  [[nodiscard]] bool is_split(std::size_t index) const;
  [[nodiscard]] std::optional<Job> of_reference(const Job& tonight) const;

  ListAgenda& tonight_;
  std::vector<std::string> case_ids_;
  std::map<std::size_t, SplitCase> split_;
  std::set<record::LaunchKey> done_;
  std::deque<Job> waiting_;
  std::size_t seen_ = 0;               // launches of `finished` looked at
  std::map<std::string, int> failed_;  // by case id, of the reference; measured ones: far below 0
  int in_a_row_ = 0;
};

}  // namespace stepbench::run
