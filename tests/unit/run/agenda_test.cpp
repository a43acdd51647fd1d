// SPDX-License-Identifier: Apache-2.0
#include "harness/run/agenda.h"

#include "tests/testing.h"

namespace stepbench::run {
namespace {

constexpr std::uint64_t kAsListed = 27;  // a seed that keeps two or three cases in the listed order

std::string text(const std::optional<Job>& job) {
  return job ? std::to_string(job->case_index) + "." + std::to_string(job->launch) : "";
}

std::vector<std::string> drain(ListAgenda& agenda, const record::Results& finished = {}) {
  std::vector<std::string> order;
  while (const auto job = agenda.next(finished)) order.push_back(text(job));
  return order;
}

record::Launch launch_of(const std::string& case_id, int number, Outcome outcome, int attempt = 0) {
  record::Launch launch;
  launch.row.key = {case_id, "", Pass::kTiming, number, 0};
  launch.row.outcome = std::move(outcome);
  launch.row.attempt = attempt;
  return launch;
}

// "0.1" is tonight's second launch of case 0, "R0.1" the reference's.
std::vector<std::string> drain_turns(TurnsAgenda& agenda, record::Results finished = {},
                                     bool reference_fails = false) {
  const std::vector<std::string> ids = {"a", "b"};
  std::vector<std::string> order;
  while (const auto job = agenda.next(finished)) {
    const bool reference = job->arm == record::kReferenceArm;
    order.push_back((reference ? "R" : "") + text(job));
    record::Launch launch;
    launch.row.key = {ids.at(reference ? 1 - job->case_index : job->case_index), job->arm,
                      Pass::kTiming, job->launch, 0};
    if (reference && reference_fails) launch.row.outcome = Outcome::failed("status 9");
    finished.launches.push_back(std::move(launch));
  }
  return order;
}

// The reference's plan has the cases in reverse order.
const std::map<std::size_t, std::size_t> kBothPaired = {{0, 1}, {1, 0}};

TEST(TurnsAgenda, BothPrograms_AlternateInPairs) {
  const auto order_of =
      [](const std::vector<ListedCase>& cases, const std::map<std::size_t, std::size_t>& reference,
         const std::set<record::LaunchKey>& done = {}, bool reference_fails = false) {
        ListAgenda of_plan{cases, Pass::kTiming, kAsListed, done};
        TurnsAgenda agenda{of_plan, cases, reference};
        return drain_turns(agenda, {}, reference_fails);
      };
  EXPECT_THAT(order_of({{"a", 2}, {"b", 2}}, kBothPaired),
              ElementsAre("0.0", "R1.0", "R0.0", "1.0", "R1.1", "0.1", "1.1", "R0.1"));
  EXPECT_THAT(order_of({{"a", 2}, {"b", 3}}, {{0, 1}}),
              ElementsAre("0.0", "R1.0", "1.0", "R1.1", "0.1", "1.1", "1.2"))
      << "what the reference lacks, or a control case, has launches of tonight's program alone";
  EXPECT_THAT(order_of({{"a", 4}, {"b", 4}}, kBothPaired, {}, true),
              ElementsAre("0.0", "R1.0", "R0.0", "1.0", "R1.1", "0.1", "1.1", "R0.1", "0.2", "1.2",
                          "0.3", "1.3"))
      << "all of tonight's where the reference does not run";
  EXPECT_THAT(order_of({{"a", 3}}, {{0, 1}},
                       {{"a", "", Pass::kTiming, 0, 0}, {"a", "reference", Pass::kTiming, 0, 0}}),
              ElementsAre("R1.1", "0.1", "0.2", "R1.2"))
      << "more pairs of a case go on from those that are there";
}

TEST(TurnsAgenda, ProfiledCase_RecordsBothPrograms) {
  const std::vector<ListedCase> cases = {{"a", 1, false, Pass::kNative}, {"b", 1}};
  ListAgenda of_plan{cases, Pass::kTiming, kAsListed, {}};
  TurnsAgenda agenda{of_plan, cases, kBothPaired, {0}};
  EXPECT_THAT(drain_turns(agenda), ElementsAre("0.0", "R1.0", "R0.0", "1.0", "0.0", "R1.0"));
}

// Two pairs of "a": the outcomes of its launches, tonight's first; '-': not launched.
record::Results in_turns(const std::string& first, const std::string& second, int attempt = 0) {
  record::Results results;
  int number = 0;
  for (const std::string& pair : {first, second}) {
    for (std::size_t i = 0; i < pair.size(); ++i) {
      if (pair[i] == '-') continue;
      record::Launch launch = launch_of(
          "a", number, pair[i] == 'm' ? Outcome::measured() : Outcome::failed("status 9"), attempt);
      if (i == 1) launch.row.key.arm = record::kReferenceArm;
      results.launches.push_back(std::move(launch));
    }
    ++number;
  }
  return results;
}

TEST(DoneInTurns, FailedPair_RepeatsAtMostTwice) {
  const auto repeats = [](const record::Results& results) {
    return has_pairs_to_repeat(results, {"a"});
  };
  EXPECT_FALSE(repeats(in_turns("mm", "mm")));
  EXPECT_TRUE(repeats(in_turns("mm", "mf")));
  EXPECT_TRUE(repeats(in_turns("mm", "mf", 1)));
  EXPECT_FALSE(repeats(in_turns("mm", "mf", 2))) << "it was made three times";
  EXPECT_TRUE(repeats(in_turns("m-", "--"))) << "the night was cut off inside a pair";
  EXPECT_FALSE(repeats(in_turns("mf", "mf"))) << "the reference does not run here";
  EXPECT_FALSE(repeats(in_turns("fm", "fm"))) << "tonight's program does not";
  EXPECT_THAT(done_in_turns(in_turns("mm", "mf"), {"a"}),
              ElementsAre(record::LaunchKey{.case_id = "a"},
                          record::LaunchKey{.case_id = "a", .arm = "reference"}));
  EXPECT_EQ(done_in_turns(in_turns("mm", "mf"), {}).size(), 4U) << "no case is paired";
}

TEST(ListAgenda, AllCases_ComeBeforeTheNextLaunch) {
  ListAgenda agenda{{{"a", 2}, {"b", 3}}, Pass::kTiming, kAsListed, {}};
  EXPECT_EQ(agenda.remaining(), 5U);
  EXPECT_THAT(drain(agenda), ElementsAre("0.0", "1.0", "0.1", "1.1", "1.2"));
  EXPECT_EQ(agenda.remaining(), 0U);
}

TEST(ListAgenda, EachRound_HasItsOwnOrder) {
  const std::vector<ListedCase> cases(6, {"a", 4});
  ListAgenda agenda{cases, Pass::kTiming, 1, {}};
  std::set<std::vector<std::size_t>> orders;
  for (int round = 0; round < 4; ++round) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const auto job = agenda.next({});
      EXPECT_EQ(job->block, round);
      EXPECT_EQ(job->position, static_cast<int>(round * cases.size() + i));
      order.push_back(job->case_index);
    }
    orders.insert(order);
    std::ranges::sort(order);
    EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4, 5));
  }
  EXPECT_EQ(orders.size(), 4U);
}

TEST(ListAgenda, Resume_ContinuesInTheSameOrder) {
  const std::vector<ListedCase> cases = {{"a", 3}, {"b", 3}, {"c", 3}, {"d", 3}};
  ListAgenda whole{cases, Pass::kTiming, 5, {}};
  std::set<record::LaunchKey> done;
  for (int launch = 0; launch < 5; ++launch) {
    const auto job = whole.next({});
    done.insert({cases[job->case_index].case_id, "", Pass::kTiming, job->launch, 0});
  }
  ListAgenda rest{cases, Pass::kTiming, 5, done};
  EXPECT_EQ(drain(rest), drain(whole));
}

TEST(ListAgenda, DoneLaunches_AreSkipped) {
  ListAgenda agenda{{{"a", 2}, {"b", 2}},
                    Pass::kTiming,
                    kAsListed,
                    {{"a", "", Pass::kTiming, 0, 0}, {"b", "", Pass::kTiming, 1, 0}}};
  EXPECT_THAT(drain(agenda), ElementsAre("1.0", "0.1"));
  ListAgenda wrapped{{{"a", 1}}, Pass::kWrapped, kAsListed, {{"a", "", Pass::kTiming, 0, 0}}};
  EXPECT_THAT(drain(wrapped), ElementsAre("0.0")) << "another pass is not done";
}

TEST(ListAgenda, CountedLaunches_ComeLastOncePerCase) {
  ListAgenda agenda{{{"a", 1, false, Pass::kNative, 1, 1}, {"b", 1, false, {}, 1, 1}},
                    Pass::kTiming,
                    kAsListed,
                    {{"b", "", Pass::kWrapped, 0, 0}}};
  EXPECT_EQ(agenda.next({})->pass, Pass::kTiming);
  EXPECT_EQ(agenda.next({})->pass, Pass::kTiming);
  EXPECT_EQ(agenda.next({})->pass, Pass::kNative);
  const auto counted = agenda.next({});
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->pass, Pass::kWrapped);
  EXPECT_TRUE(counted->counts);
  EXPECT_FALSE(agenda.next({})) << "b was counted before";
}

TEST(ListAgenda, SkippedCase_LaunchesOnce) {
  ListAgenda agenda{{{"a", 3}, {"b", 2, true}}, Pass::kTiming, kAsListed, {}};
  record::Results finished;
  EXPECT_EQ(text(agenda.next(finished)), "0.0");
  finished.launches.push_back(launch_of("a", 0, Outcome::skipped("no GPU")));
  EXPECT_THAT(drain(agenda, finished), ElementsAre("1.0"));
}

std::vector<std::pair<std::string, Pass>> passes(ListAgenda& agenda) {
  std::vector<std::pair<std::string, Pass>> order;
  while (const auto job = agenda.next({})) order.emplace_back(text(job), job->pass);
  return order;
}

TEST(ListAgenda, ProfiledLaunches_ComeAfterTimedOnes) {
  ListAgenda agenda{{{"a", 2, false, Pass::kNative}, {"b", 1, true, Pass::kNative}, {"c", 1}},
                    Pass::kTiming,
                    kAsListed,
                    {}};
  EXPECT_THAT(passes(agenda), ElementsAre(Pair("0.0", Pass::kTiming), Pair("1.0", Pass::kTiming),
                                          Pair("2.0", Pass::kTiming), Pair("0.1", Pass::kTiming),
                                          Pair("0.0", Pass::kNative)));
}

TEST(ListAgenda, Resume_ProfilesTheMissingLaunch) {
  ListAgenda agenda{{{"a", 1, false, Pass::kKineto, 2}},
                    Pass::kTiming,
                    kAsListed,
                    {{"a", "", Pass::kTiming, 0, 0}, {"a", "", Pass::kKineto, 0, 0}}};
  EXPECT_THAT(passes(agenda), ElementsAre(Pair("0.1", Pass::kKineto)));
}

TEST(Resume, AnyLaunchLine_IsDone) {
  record::Results earlier;
  earlier.launches = {launch_of("a", 0, Outcome::measured()),
                      launch_of("b", 0, Outcome::failed("x")),
                      launch_of("c", 0, Outcome::skipped("y"))};
  EXPECT_EQ(done_launches(earlier, false).size(), 3U);
  EXPECT_EQ(done_launches(earlier, true).size(), 2U);
}

TEST(Resume, DeadLaunches_CountAsAttempts) {
  record::Results earlier;
  earlier.launches = {launch_of("a", 0, Outcome::failed("x"), 1)};
  earlier.unfinished = {record::StartRow{.key = {"b", "", Pass::kTiming, 0, 0}}};
  const auto next = next_attempts(earlier);
  EXPECT_EQ(next.at({"a", "", Pass::kTiming, 0, 0}), 2);
  EXPECT_EQ(next.at({"b", "", Pass::kTiming, 0, 0}), 1);
}

}  // namespace
}  // namespace stepbench::run
