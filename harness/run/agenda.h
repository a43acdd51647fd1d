// SPDX-License-Identifier: Apache-2.0
// Which launches run, in which order, and which of them an interrupted run has completed. Agendas
// are pure and tested with scripted results: that of `run` is a list, that of a night alternates
// with a reference program, and that of `ab` (harness/campaign) measures pairs in blocks until its
// rule is satisfied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/option_values.h"
#include "harness/catalogue/catalogue.h"
#include "harness/plan/plan.h"
#include "harness/record/result_file.h"
#include "harness/record/rows.h"

namespace stepbench::run {

struct Job {
  std::size_t case_index = 0;  // index into the arm's plan
  std::string arm = {};        // "" outside `ab`
  Pass pass = Pass::kTiming;
  int launch = 0;
  int block = 0;
  int position = 0;
  std::string note = {};  // for progress: results so far
  bool counts = false;    // runs under valgrind: see launch.h
  // Options that replace the case's for this launch; none of them is part of its identity.
  OptionValues context = {};
};

class Agenda {
 public:
  Agenda() = default;
  Agenda(const Agenda&) = delete;
  Agenda& operator=(const Agenda&) = delete;
  virtual ~Agenda() = default;
  // Returns the next launch, given all finished ones; nullopt when done.
  [[nodiscard]] virtual std::optional<Job> next(const record::Results& finished) = 0;
  // For progress: number of remaining launches, as far as known.
  [[nodiscard]] virtual std::size_t remaining() const = 0;
};

// Agenda of `run`: a list of launches, in rounds over all cases.

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

// Agenda of a nightly run with a reference program: each timed launch of a case that both programs
// can measure becomes a pair of consecutive launches of tonight's program and the reference, in the
// opposite order of the previous pair.

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

// Determines what an interrupted run has completed, and whether it may be continued. Pure.

// A launch is done if its launch line exists, whatever its outcome; `retry_failed` repeats failed
// ones.
[[nodiscard]] std::set<record::LaunchKey> done_launches(const record::Results& earlier,
                                                        bool retry_failed);

// Number of the next attempt of each launch that was begun before.
[[nodiscard]] std::map<record::LaunchKey, int> next_attempts(const record::Results& earlier);

// Checks that a resumed run matches its beginning. Throws ConfigError naming the first difference:
// plan, worker build, data, smoke, or an option under which finished launches were measured.
void check_same_experiment(const record::Results& earlier, const record::RunRow& now,
                           const plan::Plan& plan, const Catalogue& catalogue);

}  // namespace stepbench::run
