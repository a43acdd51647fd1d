// SPDX-License-Identifier: Apache-2.0
#include "harness/run/agenda.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/run/run_header.h"
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

namespace {

constexpr int kMaxPerCase = 2;
constexpr int kMaxInTotal = 4;

// The launches of a case with the same number.
struct Pair {
  const record::LaunchRow* tonight = nullptr;
  const record::LaunchRow* reference = nullptr;

  [[nodiscard]] bool is_whole() const { return tonight != nullptr && reference != nullptr; }
  [[nodiscard]] bool is_measured() const {
    return is_whole() && tonight->outcome.kind == Outcome::Kind::kMeasured &&
           reference->outcome.kind == Outcome::Kind::kMeasured;
  }
  [[nodiscard]] bool may_be_repeated() const {
    return !is_whole() ||
           (!is_measured() && std::max(tonight->attempt, reference->attempt) + 1 < kTriesOfAPair);
  }
};

// Tries of one program in one case. Hopeless: never measured, and skipped or failed more than once.
struct Tries {
  int measured = 0;
  int failed = 0;
  bool skipped = false;

  [[nodiscard]] bool is_hopeless() const {
    return measured == 0 && (skipped || failed >= kMaxPerCase);
  }
  void count(const Outcome& outcome) {
    measured += outcome.kind == Outcome::Kind::kMeasured ? 1 : 0;
    failed += outcome.kind == Outcome::Kind::kFailed ? 1 : 0;
    skipped = skipped || outcome.kind == Outcome::Kind::kSkipped;
  }
};

struct PairedCase {
  std::map<int, Pair> pairs;  // by launch number
  Tries tonight;
  Tries reference;
};

class PairedCases {
 public:
  explicit PairedCases(const record::Results& results) {
    for (const record::Launch& launch : results.launches) {
      const record::LaunchRow& row = launch.row;
      if (row.key.pass != Pass::kTiming || row.key.rank != 0) continue;
      PairedCase& one = cases_[row.key.case_id];
      Pair& pair = one.pairs[row.key.launch];
      const bool reference = row.key.arm == record::kReferenceArm;
      (reference ? pair.reference : pair.tonight) = &row;
      (reference ? one.reference : one.tonight).count(row.outcome);
      if (!reference) continue;
      (row.outcome.kind == Outcome::Kind::kMeasured ? reference_measured_ : reference_failed_) += 1;
    }
  }

  [[nodiscard]] bool may_be_repeated(const record::LaunchKey& key) const {
    const auto found = cases_.find(key.case_id);
    if (found == cases_.end() || (reference_measured_ == 0 && reference_failed_ >= kMaxInTotal))
      return false;
    const PairedCase& one = found->second;
    const auto pair = one.pairs.find(key.launch);
    return pair != one.pairs.end() && pair->second.may_be_repeated() &&
           !one.tonight.is_hopeless() && !one.reference.is_hopeless();
  }

 private:
  std::map<std::string_view, PairedCase> cases_;
  int reference_measured_ = 0;
  int reference_failed_ = 0;
};

}  // namespace

std::set<record::LaunchKey> done_in_turns(const record::Results& earlier,
                                          const std::set<std::string>& paired) {
  const PairedCases cases(earlier);
  std::set<record::LaunchKey> done;
  for (const record::Launch& launch : earlier.launches) {
    const record::LaunchKey& key = launch.row.key;
    const bool of_pair = key.pass == Pass::kTiming && paired.contains(key.case_id);
    if (!of_pair || !cases.may_be_repeated(key)) done.insert(key);
  }
  return done;
}

bool has_pairs_to_repeat(const record::Results& earlier, const std::set<std::string>& paired) {
  const PairedCases cases(earlier);
  return std::ranges::any_of(earlier.launches, [&](const record::Launch& launch) {
    const record::LaunchKey& key = launch.row.key;
    return key.pass == Pass::kTiming && paired.contains(key.case_id) && cases.may_be_repeated(key);
  });
}

TurnsAgenda::TurnsAgenda(ListAgenda& tonight, const std::vector<ListedCase>& cases,
                         std::map<std::size_t, std::size_t> reference,
                         std::set<std::size_t> profiled)
    : tonight_(tonight), reference_(std::move(reference)), profiled_(std::move(profiled)) {
  for (const ListedCase& each : cases) case_ids_.push_back(each.case_id);
}

void TurnsAgenda::note_failures(const record::Results& finished) {
  for (; seen_ < finished.launches.size(); ++seen_) {
    const record::LaunchRow& row = finished.launches[seen_].row;
    if (row.key.arm != record::kReferenceArm || row.key.rank != 0) continue;
    if (row.outcome.kind == Outcome::Kind::kMeasured) {
      measured_.insert(row.key.case_id);
    } else {
      ++failed_[row.key.case_id];
      ++all_failed_;
    }
  }
}

bool TurnsAgenda::is_paired(const Job& job) const {
  const std::size_t index = job.case_index;
  if (!reference_.contains(index) || job.counts) return false;
  if (job.pass != Pass::kTiming && !profiled_.contains(index)) return false;
  if (measured_.empty() && all_failed_ >= kMaxInTotal) return false;
  if (measured_.contains(case_ids_[index])) return true;
  const auto failed = failed_.find(case_ids_[index]);
  return failed == failed_.end() || failed->second < kMaxPerCase;
}

std::optional<Job> TurnsAgenda::next(const record::Results& finished) {
  note_failures(finished);
  if (waiting_) return std::exchange(waiting_, std::nullopt);
  std::optional<Job> job = tonight_.next(finished);
  if (!job || !is_paired(*job)) return job;
  Job reference_job = *job;
  reference_job.case_index = reference_.at(job->case_index);
  reference_job.arm = std::string(record::kReferenceArm);
  reference_job.note = "reference program";
  if ((static_cast<std::size_t>(job->launch) + job->case_index) % 2 == 1)
    std::swap(*job, reference_job);
  waiting_ = std::move(reference_job);
  return job;
}

std::size_t TurnsAgenda::remaining() const { return tonight_.remaining() + (waiting_ ? 1 : 0); }

namespace {

void refuse(const std::string& what, const std::string& then, const std::string& now) {
  throw ConfigError("--resume", formatted("this is not the same experiment: {} was {} and is now "
                                          "{}; start a new run without --resume",
                                          what, then, now));
}

bool may_differ(std::string_view option, const Catalogue& catalogue) {
  constexpr std::string_view kLimits = "limits.";
  if (option.starts_with(kLimits) || option == "name" || option == "device") return true;
  const Option* declared = catalogue.find_option(option);
  return declared != nullptr && declared->type == OptionType::kPath;
}

void check_options(const record::Results& earlier, const plan::Plan& plan,
                   const Catalogue& catalogue) {
  std::map<std::string_view, const ResolvedCase*> planned;
  for (const plan::PlannedCase& entry : plan.cases)
    planned.emplace(entry.resolved.case_id, &entry.resolved);
  for (const record::Launch& launch : earlier.launches) {
    const auto found = planned.find(launch.row.key.case_id);
    if (found == planned.end()) continue;
    const OptionValues options = without_secrets(found->second->options);
    for (const auto& [name, then] : launch.row.options) {
      const auto now = options.find(name);
      if (now == options.end() || now->second == then || may_differ(name, catalogue)) continue;
      refuse(name + " of case " + launch.row.key.case_id, to_text(then), to_text(now->second));
    }
  }
}

}  // namespace

std::set<record::LaunchKey> done_launches(const record::Results& earlier, bool retry_failed) {
  std::set<record::LaunchKey> done;
  for (const record::Launch& launch : earlier.launches) {
    const bool failed = launch.row.outcome.kind == Outcome::Kind::kFailed;
    if (!(failed && retry_failed)) done.insert(launch.row.key);
  }
  return done;
}

std::map<record::LaunchKey, int> next_attempts(const record::Results& earlier) {
  std::map<record::LaunchKey, int> attempts;
  const auto count = [&](const record::LaunchKey& key, int attempt) {
    int& next = attempts[key];
    next = std::max(next, attempt + 1);
  };
  for (const record::Launch& launch : earlier.launches) count(launch.row.key, launch.row.attempt);
  for (const record::StartRow& start : earlier.unfinished) count(start.key, start.attempt);
  return attempts;
}

void check_same_experiment(const record::Results& earlier, const record::RunRow& now,
                           const plan::Plan& plan, const Catalogue& catalogue) {
  for (const record::RunRow& then : earlier.runs) {
    if (then.plan_digest != now.plan_digest)
      refuse("the plan's digest", then.plan_digest, now.plan_digest);
    if (then.smoke != now.smoke)
      refuse("--smoke or --quick", then.smoke ? "given" : "not given", now.smoke ? "given" : "not");
    constexpr std::pair<std::string_view, std::string_view> kFields[] = {
        {"worker_build_id", "the worker's build"}, {"data_digest", "the data's digest"}};
    for (const auto& [name, text] : kFields) {
      if (text_of(then.context, name) != text_of(now.context, name)) {
        refuse(std::string{text}, "`" + text_of(then.context, name) + "`",
               "`" + text_of(now.context, name) + "`");
      }
    }
  }
  check_options(earlier, plan, catalogue);
}

}  // namespace stepbench::run
