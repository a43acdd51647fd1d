// SPDX-License-Identifier: Apache-2.0
#include "harness/run/profile_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace stepbench::run {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Made {
  Pass pass = Pass::kTiming;
  std::int64_t step_ns = 1000;
  double loss = 2.0;
  std::int64_t steps = 60;
  std::string arm = {};
  std::string precision = "fp32";
  std::string device = "cpu";
};

record::Launch launch_of(const Made& made) {
  record::Launch launch;
  launch.row.key = {"a", made.arm, made.pass, 0, 0};
  launch.row.outcome = Outcome::measured();
  launch.row.report.fingerprint["loss"] = made.loss;
  launch.row.report.schedule["steps"] = made.steps;
  launch.row.options["model.precision"] = made.precision;
  launch.row.report.effective["device"] = made.device;
  launch.samples = {{0, {{"step_ns", "flags"}, {{made.step_ns, made.step_ns}, {0, 0}}}}};
  if (made.device != "cpu" &&
      !is_profiling(made.pass)) {  // as on a GPU: events in timed ones alone
    launch.samples.front().steps.names.emplace_back("period_device_ns");
    launch.samples.front().steps.columns.push_back({made.step_ns, made.step_ns});
  }
  return launch;
}

record::Launch checked(const Made& profiled, const std::vector<Made>& timed) {
  record::Results finished;
  for (const Made& made : timed) finished.launches.push_back(launch_of(made));
  record::Launch launch = launch_of(profiled);
  check_profile(launch, finished);
  return launch;
}

TEST(ProfileCheck, PublishesHowMuchSlowerAProfiledStepIs) {
  const record::Launch launch = checked({.pass = Pass::kNative, .step_ns = 1200},
                                        {{.step_ns = 900}, {.step_ns = 1000}, {.step_ns = 1100}});
  EXPECT_DOUBLE_EQ(launch.row.report.metrics.at("profile_overhead").value(), 1.2);
  EXPECT_THAT(launch.row.report.flags, IsEmpty());
}

TEST(ProfileCheck, SetsAProfiledStepWithoutEventsAgainstTheTimesOfADevice) {
  const record::Launch launch =
      checked({.pass = Pass::kNative, .step_ns = 1200, .device = "cuda:0"},
              {{.step_ns = 900, .device = "cuda:0"},
               {.step_ns = 1000, .device = "cuda:0"},
               {.step_ns = 1100, .device = "cuda:0"}});
  EXPECT_DOUBLE_EQ(launch.row.report.metrics.at("profile_overhead").value(), 1.2);
}

TEST(ProfileCheck, FlagsAPerturbationThatMakesSharesMislead) {
  const record::Launch launch = checked({.pass = Pass::kKineto, .step_ns = 1300}, {{}});
  EXPECT_THAT(launch.row.report.flags, ElementsAre("perturbed"));
}

TEST(ProfileCheck, FlagsAnotherLossAfterEquallyManySteps) {
  const record::Launch launch = checked({.pass = Pass::kNative, .loss = 2.1}, {{}});
  EXPECT_THAT(launch.row.report.flags, ElementsAre("profile_mismatch"));
}

TEST(ProfileCheck, TheLimitOfTheLossFollowsThePrecisionAndTheTimedLaunches) {
  EXPECT_THAT(checked({.pass = Pass::kNative, .loss = 2.003}, {{}}).row.report.flags,
              ElementsAre("profile_mismatch"));
  EXPECT_THAT(
      checked({.pass = Pass::kNative, .loss = 2.003, .precision = "bf16"}, {{.precision = "bf16"}})
          .row.report.flags,
      IsEmpty());
  EXPECT_THAT(
      checked({.pass = Pass::kNative, .loss = 2.003}, {{}, {.loss = 2.004}}).row.report.flags,
      IsEmpty())
      << "the timed launches differ by as much";
}

TEST(ProfileCheck, FlagsALossThatIsNoNumberWhereTheTimedOnesHaveOne) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(checked({.pass = Pass::kNative, .loss = nan}, {{}}).row.report.flags,
              ElementsAre("profile_mismatch"));
  EXPECT_THAT(checked({.pass = Pass::kNative, .loss = 2.0}, {{.loss = nan}}).row.report.flags,
              ElementsAre("profile_mismatch"));
  EXPECT_THAT(checked({.pass = Pass::kNative, .loss = nan}, {{.loss = nan}}).row.report.flags,
              IsEmpty());
}

TEST(ProfileCheck, DoesNotCompareLossesAfterAnotherNumberOfSteps) {
  const record::Launch launch = checked({.pass = Pass::kNative, .loss = 2.1, .steps = 12}, {{}});
  EXPECT_THAT(launch.row.report.flags, IsEmpty());
}

TEST(ProfileCheck, ComparesWithTimedLaunchesOfTheSameArm) {
  const record::Launch launch =
      checked({.pass = Pass::kNative, .step_ns = 1100, .arm = "b"},
              {{.step_ns = 10, .loss = 5, .arm = "a"}, {.step_ns = 1000, .arm = "b"}});
  EXPECT_DOUBLE_EQ(launch.row.report.metrics.at("profile_overhead").value(), 1.1);
  EXPECT_THAT(launch.row.report.flags, IsEmpty());
}

TEST(ProfileCheck, LeavesTimedLaunchesAlone) {
  EXPECT_THAT(checked({.step_ns = 5000}, {{}}).row.report.metrics, IsEmpty());
}

}  // namespace
}  // namespace stepbench::run
