// SPDX-License-Identifier: Apache-2.0
// The agenda of `ab` on scripted launches: no process is started.
#include "harness/campaign/internal/ab_agenda.h"

#include "tests/testing.h"
#include "tests/unit/verdict/result_maker.h"

namespace stepbench::campaign {
namespace {

constexpr int kMaxLaunches = 100;

// Returns the outcome of a launch.
using Script = std::function<Outcome(const run::Job&)>;

Outcome always_measured(const run::Job&) { return Outcome::measured(); }

// Arms of some points, "p0", "p1", ...; every launch takes 10 ms with a ripple, times the factor of
// its point in arm B.
class Campaign {
 public:
  explicit Campaign(std::vector<double> factors) : factors_(std::move(factors)) {
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      const std::string id = "p" + std::to_string(i);
      setup.points.push_back({id, id, id});
      setup.labels.push_back("point=" + std::to_string(i));
    }
    setup.print_line = [this](const std::string& text) { said.push_back(text); };
    setup.design = verdict::with_fixed_pairs(factors_.size(), 10, 1);
    finished.columns = made(0, 1).columns;
    setup.columns = finished.columns;
  }

  // Runs until nothing is left. Results that are already in `finished` are those of an interrupted
  // campaign.
  std::vector<run::Job> run(const Script& script = always_measured) {
    AbAgenda agenda{setup, finished};
    std::vector<run::Job> jobs;
    while (auto job = agenda.next(finished)) {
      add(*job, script(*job));
      jobs.push_back(std::move(*job));
      if (jobs.size() > 1000) break;
    }
    remaining = agenda.remaining();
    return jobs;
  }

  void add(const run::Job& job, Outcome outcome) {
    const double factor =
        job.arm == verdict::kArmB ? factors_.at(job.case_index) * noise(job.launch) : 1;
    record::Launch launch =
        made(job.case_index, factor).launches.at(static_cast<std::size_t>(job.launch));
    launch.row.key.arm = job.arm;
    launch.row.key.pass = job.pass;
    launch.row.block = job.block;
    launch.row.position = job.position;
    launch.row.outcome = std::move(outcome);
    if (launch.row.outcome.kind != Outcome::Kind::kMeasured) launch.samples.clear();
    finished.launches.push_back(std::move(launch));
  }

  AbAgenda::Setup setup;
  std::function<double(int launch)> noise = [](int) { return 1.0; };  // of arm B
  record::Results finished;
  std::vector<std::string> said;
  std::size_t remaining = 0;

 private:
  [[nodiscard]] static record::Results made(std::size_t point, double factor) {
    return make({.cases = {{.case_id = "p" + std::to_string(point),
                            .step_ns = around_10_ms(factor, factor == 1 ? 0 : 1)}},
                 .launches = kMaxLaunches});
  }
  std::vector<double> factors_;
};

// "a3": launch 3 of arm A.
std::string short_name(const run::Job& job) { return job.arm + std::to_string(job.launch); }

std::vector<std::string> names(const std::vector<run::Job>& jobs) {
  std::vector<std::string> all;
  for (const run::Job& job : jobs) all.push_back(short_name(job));
  return all;
}

std::vector<run::Job> of_point(const std::vector<run::Job>& jobs, std::size_t index) {
  std::vector<run::Job> some;
  for (const run::Job& job : jobs) {
    if (job.case_index == index) some.push_back(job);
  }
  return some;
}

TEST(AbAgenda, PairHalves_FollowEachOther) {
  Campaign campaign({1.0});
  const std::vector<run::Job> jobs = campaign.run();
  ASSERT_THAT(jobs, SizeIs(20));
  for (std::size_t i = 0; i < jobs.size(); i += 2) {
    EXPECT_EQ(jobs[i].launch, jobs[i + 1].launch);
    EXPECT_NE(jobs[i].arm, jobs[i + 1].arm);
    EXPECT_EQ(jobs[i].block, jobs[i].launch / 2);
    EXPECT_EQ(jobs[i].pass, Pass::kTiming);
  }
  EXPECT_EQ(campaign.remaining, 0U);
}

TEST(AbAgenda, Order_FollowsFromTheSeed) {
  const auto order = [](std::uint64_t seed) {
    Campaign campaign({1.0});
    campaign.setup.design = verdict::with_fixed_pairs(1, 40, seed);
    return names(campaign.run());
  };
  EXPECT_EQ(order(7), order(7));
  EXPECT_NE(order(7), order(8));
}

TEST(AbAgenda, Progress_ShowsEffectAndDecision) {
  Campaign campaign({1.1, 1.0});
  const std::vector<run::Job> jobs = of_point(campaign.run(), 0);
  EXPECT_EQ(jobs.front().note, verdict::arm_label(jobs.front().arm))
      << "nothing is known before a pair";
  EXPECT_THAT(jobs.back().note,
              AllOf(StartsWith("arm "), HasSubstr(", so far +10."), HasSubstr(" % [")));
  EXPECT_THAT(campaign.said, Contains(AllOf(StartsWith("decided after 10 pairs: point=0: step "
                                                       "regression, +1"),
                                            HasSubstr(" % ["))));
  EXPECT_THAT(campaign.said, Contains(StartsWith("decided after 10 pairs: point=1: step ok, ")));
  EXPECT_THAT(campaign.run(), IsEmpty()) << "a finished campaign has nothing to do";
}

TEST(AbAgenda, SkippedCases_AreRecordedOnceFirst) {
  Campaign campaign({1.0});
  campaign.setup.skips = {{.job = {.case_index = 0, .arm = verdict::kArmB}, .case_id = "p0"}};
  const std::vector<run::Job> jobs = campaign.run();
  ASSERT_THAT(jobs, SizeIs(21));
  EXPECT_EQ(short_name(jobs.front()), "b0");
  Campaign again({1.0});
  again.setup.skips = {{.job = {.case_index = 0, .arm = verdict::kArmB}, .case_id = "skipped"}};
  record::Launch launch;
  launch.row.key = {.case_id = "skipped", .arm = verdict::kArmB};
  launch.row.outcome = Outcome::skipped("no GPU");
  again.finished.launches.push_back(launch);
  EXPECT_THAT(again.run(), SizeIs(20));
}

// After three failures, or at once if its worker skips it; not after a measurement.
TEST(AbAgenda, FailingArm_IsGivenUp) {
  const auto launches_of_b = [](const Script& script, bool given_up) {
    Campaign campaign({1.0, 1.0});
    const std::vector<run::Job> jobs = campaign.run([&](const run::Job& job) {
      return job.case_index == 0 && job.arm == verdict::kArmB ? script(job) : Outcome::measured();
    });
    EXPECT_THAT(of_point(jobs, 1), SizeIs(20)) << "the others go on";
    const std::string said = "given up: point=0: arm B cannot be measured";
    EXPECT_EQ(std::count(campaign.said.begin(), campaign.said.end(), said), given_up ? 1 : 0);
    const std::vector<std::string> all = names(of_point(jobs, 0));
    return std::count_if(all.begin(), all.end(), [](const auto& name) { return name[0] == 'b'; });
  };
  EXPECT_EQ(launches_of_b([](const run::Job&) { return Outcome::failed("died"); }, true), 3);
  EXPECT_EQ(launches_of_b([](const run::Job&) { return Outcome::skipped("no GPU"); }, true), 1);
  EXPECT_EQ(launches_of_b(
                [](const run::Job& job) {
                  return job.launch > 0 ? Outcome::failed("died") : Outcome::measured();
                },
                false),
            10);
}

TEST(AbAgenda, ResumedHalfPair_IsMeasuredWhole) {
  Campaign campaign({1.0});
  campaign.add({.arm = verdict::kArmA, .launch = 0}, Outcome::measured());
  campaign.add({.arm = verdict::kArmB, .launch = 0}, Outcome::measured());
  campaign.add({.arm = verdict::kArmA, .launch = 1}, Outcome::measured());
  const std::vector<std::string> jobs = names(campaign.run());
  EXPECT_THAT(jobs, AllOf(SizeIs(18), Not(Contains("a0")), Not(Contains("b0")), Contains("a1"),
                          Contains("b1")));
}

TEST(AbAgenda, Resume_ContinuesInTheSameOrder) {
  Campaign whole({1.0});
  const std::vector<std::string> all = names(whole.run());
  Campaign again({1.0});
  for (std::size_t i = 0; i < 8; ++i) again.finished.launches.push_back(whole.finished.launches[i]);
  EXPECT_EQ(names(again.run()), std::vector<std::string>(all.begin() + 8, all.end()));
}

// The first ten pairs vary so much that a look at them decides nothing.
void decide_at_twenty(Campaign& campaign) {
  campaign.setup.design = verdict::with_looks(1, 1, 3);
  campaign.noise = [](int launch) { return launch >= 10 ? 1.0 : launch % 2 == 0 ? 1.08 : 0.93; };
}

TEST(AbAgenda, Resume_LooksAtTheSamePairs) {
  Campaign whole({1.05});
  decide_at_twenty(whole);
  const std::vector<std::string> all = names(whole.run());
  ASSERT_THAT(whole.said, ElementsAre(StartsWith("decided after 20 pairs: point=0: ")));
  for (const std::size_t finished : {24UL, 30UL, 40UL}) {  // launches before the interruption
    Campaign again({1.05});
    decide_at_twenty(again);
    const auto& launches = whole.finished.launches;
    again.finished.launches.assign(launches.begin(),
                                   launches.begin() + static_cast<std::ptrdiff_t>(finished));
    EXPECT_EQ(
        names(again.run()),
        std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(finished), all.end()));
    EXPECT_EQ(again.said, whole.said) << finished;
  }
}

TEST(AbAgenda, ChangedStep_IsProfiledInTurns) {
  Campaign campaign({1.1, 1.0});
  campaign.setup.profile = ProfileRequest{Pass::kNative, 2};
  const std::vector<run::Job> jobs = campaign.run();
  ASSERT_THAT(jobs, SizeIs(44));
  const std::vector<run::Job> profiled(jobs.end() - 4, jobs.end());
  EXPECT_THAT(names(profiled), ElementsAre("a0", "b0", "b1", "a1"));
  for (const run::Job& job : profiled) {
    EXPECT_EQ(job.case_index, 0U);
    EXPECT_EQ(job.pass, Pass::kNative);
    EXPECT_EQ(job.note, "profile of " + verdict::arm_label(job.arm));
  }
}

TEST(AbAgenda, ProfileAll_ProfilesEachCaseOnce) {
  Campaign campaign({1.1, 1.0});
  campaign.setup.profile = ProfileRequest{Pass::kKineto, 1};
  campaign.setup.profile_all = true;
  const std::vector<run::Job> jobs = campaign.run();
  ASSERT_THAT(jobs, SizeIs(44));
  const std::vector<run::Job> profiled(jobs.end() - 4, jobs.end());
  for (const run::Job& job : profiled) EXPECT_EQ(job.pass, Pass::kKineto);
  EXPECT_EQ(profiled.front().case_index, 0U);
  EXPECT_EQ(profiled.back().case_index, 1U);
  EXPECT_THAT(campaign.run(), IsEmpty());
}

}  // namespace
}  // namespace stepbench::campaign
