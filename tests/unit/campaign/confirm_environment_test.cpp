// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/confirm_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/compare/ab_pairs.h"

namespace stepbench::campaign {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Fields with(const std::string& name, const std::string& value) {
  Fields fields{{"torch", std::string("2.9.0")},
                {"kernel", std::string("6.1.0-18-amd64")},
                {"cpu.model", std::string("A")}};
  fields[name] = value;
  return fields;
}

const Fields kUsual = with("torch", "2.9.0");

// The launches of both arms, each with the environment of its worker.
record::Results launches(const Fields& good, const Fields& tonight) {
  record::Results results;
  results.workers = {{.worker_id = "1", .environment = good},
                     {.worker_id = "2", .environment = tonight}};
  results.launches.resize(2);
  results.launches[0].row.key.arm = compare::kArmA;
  results.launches[0].row.worker_id = "1";
  results.launches[1].row.key.arm = compare::kArmB;
  results.launches[1].row.worker_id = "2";
  return results;
}

TEST(EnvironmentChanges, AreWhatBeginsANewSegmentOrAnotherSeries) {
  EXPECT_THAT(environment_changes({}, kUsual, with("torch", "2.10.0")), SizeIs(1));
  EXPECT_THAT(environment_changes({}, kUsual, with("cpu.model", "B")), SizeIs(1));
  EXPECT_THAT(environment_changes({}, kUsual, with("kernel", "6.5.0-1-amd64")), SizeIs(1));
  EXPECT_THAT(environment_changes({}, kUsual, kUsual), IsEmpty());
}

TEST(EnvironmentChanges, APatchLevelAndWhatOneSideDoesNotTellAreNone) {
  EXPECT_THAT(environment_changes({}, kUsual, with("kernel", "6.1.9")), IsEmpty());
  EXPECT_THAT(environment_changes({}, kUsual, with("cudnn", "9.1")), IsEmpty());
  EXPECT_THAT(environment_changes({}, kUsual, with("memory.bytes", "7")), IsEmpty());
}

TEST(EnvironmentChanges, AVariableThatIsSetNowIsOne) {
  const auto changes = environment_changes({}, kUsual, with("env.OMP_WAIT_POLICY", "active"));
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes.front().then, "none");
}

TEST(EnvironmentWatch, NamesWhatChangedSinceTonightsRun) {
  EnvironmentWatch tonight({.tonight = with("torch", "2.8.0")});
  EXPECT_THAT(tonight(launches(kUsual, kUsual)).value(), HasSubstr("since tonight's run"));
}

TEST(EnvironmentWatch, SeesBuildsThatRunOnDifferentSoftware) {
  EnvironmentWatch watch({});
  EXPECT_THAT(watch(launches(kUsual, with("torch", "2.10.0"))).value(),
              HasSubstr("torch is 2.9.0 for the last good build and 2.10.0 for tonight's"));
}

TEST(EnvironmentWatch, LeavesOutWhatTheCasesSetThemselves) {
  const Fields night = with("env.OMP_NUM_THREADS", "8");
  const Fields now = with("env.OMP_NUM_THREADS", "2");
  EnvironmentWatch watch({.tonight = night, .of_cases = {"env.OMP_NUM_THREADS"}});
  EXPECT_FALSE(watch(launches(now, now)).has_value());
}

TEST(EnvironmentWatch, SaysNothingBeforeALaunchAndWhereNothingWasRecorded) {
  EnvironmentWatch watch({.tonight = kUsual});
  EXPECT_FALSE(watch({}).has_value());
  EXPECT_FALSE(watch(launches(kUsual, kUsual)).has_value());
  EnvironmentWatch unknown({});
  EXPECT_FALSE(unknown(launches(kUsual, kUsual)).has_value());
}

}  // namespace
}  // namespace stepbench::campaign
