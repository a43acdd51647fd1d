// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/confirm_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "harness/compare/ab_pairs.h"

namespace stepbench::campaign {
namespace {

using ::testing::HasSubstr;
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
  for (const auto& [name, value, changes] :
       std::vector<std::tuple<std::string, std::string, std::size_t>>{
           {"torch", "2.9.0", 0},
           {"torch", "2.10.0", 1},
           {"cpu.model", "B", 1},
           {"kernel", "6.5.0-1-amd64", 1},
           {"kernel", "6.1.9", 0},  // a patch level
           {"cudnn", "9.1", 0},     // one side does not tell it
           {"memory.bytes", "7", 0},
           {"env.OMP_WAIT_POLICY", "active", 1}}) {
    EXPECT_THAT(environment_changes({}, kUsual, with(name, value)), SizeIs(changes)) << name;
  }
  EXPECT_EQ(environment_changes({}, kUsual, with("env.OMP_WAIT_POLICY", "active")).at(0).then,
            "none");
}

TEST(EnvironmentWatch, NamesWhatTonightOrTheBuildsDifferIn) {
  EnvironmentWatch tonight({.tonight = with("torch", "2.8.0")});
  EXPECT_THAT(tonight(launches(kUsual, kUsual)).value(), HasSubstr("since tonight's run"));
  EnvironmentWatch watch({});
  EXPECT_FALSE(watch({}).has_value()) << "before a launch";
  EXPECT_FALSE(watch(launches(kUsual, kUsual)).has_value());
  EnvironmentWatch builds({});
  EXPECT_THAT(builds(launches(kUsual, with("torch", "2.10.0"))).value(),
              HasSubstr("torch is 2.9.0 for the last good build and 2.10.0 for tonight's"));
  EnvironmentWatch same({.tonight = kUsual});
  EXPECT_FALSE(same(launches(kUsual, kUsual)).has_value());
  // What the cases set themselves.
  const Fields now = with("env.OMP_NUM_THREADS", "2");
  EnvironmentWatch own(
      {.tonight = with("env.OMP_NUM_THREADS", "8"), .of_cases = {"env.OMP_NUM_THREADS"}});
  EXPECT_FALSE(own(launches(now, now)).has_value());
}

}  // namespace
}  // namespace stepbench::campaign
