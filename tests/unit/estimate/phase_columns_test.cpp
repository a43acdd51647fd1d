// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/phase_columns.h"

#include <gmock/gmock.h>

#include <set>
#include <vector>

#include "harness/estimate/columns.h"
#include "tests/unit/estimate/made_launch.h"

namespace stepbench::estimate {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

record::Launch launch_with_phases(record::DeclaredPhases phases) {
  record::Launch launch = made_launch({"step_ns", "think_ns", "queue_ns", "other_ns"},
                                      {{10, 10}, {4, 4}, {3, 3}, {6, 6}});
  launch.phases = std::make_shared<const record::DeclaredPhases>(std::move(phases));
  return launch;
}

TEST(PhaseColumns, AreThoseThatTheFileSays) {
  const record::Launch launch =
      launch_with_phases({{"think_ns", true}, {"queue_ns", false}, {"other_ns", true}});
  EXPECT_TRUE(phase_of(launch, "think_ns"));
  EXPECT_FALSE(phase_of(launch, "queue_ns")) << "an instrument's column of time is no phase";
  const auto estimate = estimate_of(launch);
  EXPECT_THAT(estimate->phases,
              ElementsAre(Field(&PhaseTime::name, "think"), Field(&PhaseTime::name, "other")));
}

TEST(PhaseColumns, AColumnThatWasNeverDeclaredIsTakenForAPhaseSoThatPhasesSumToTheStep) {
  const record::Launch launch = launch_with_phases({{"think_ns", true}, {"other_ns", true}});
  EXPECT_TRUE(phase_of(launch, "queue_ns"));
  EXPECT_FALSE(phase_of(launch, "step_ns"));
}

TEST(PhaseColumns, OfAFileThatDoesNotSayAreAllTimesButTheKnownOthers) {
  const record::Launch launch = made_launch({"step_ns"}, {{10}});
  EXPECT_TRUE(phase_of(launch, "queue_ns"));
  for (const char* column :
       {"step_ns", "epoch_wait_ns", "host_lead_ns", "period_device_ns", "samples"}) {
    EXPECT_FALSE(phase_of(launch, column)) << column;
  }
}

TEST(PhaseColumns, TheirNamesSayWhereThePhaseRan) {
  const record::Launch launch = made_launch({"step_ns"}, {{10}});
  const auto host = phase_of(launch, "h2d_ns");
  const auto compute = phase_of(launch, "h2d_device_ns");
  const auto side = phase_of(launch, "h2d_side_device_ns");
  ASSERT_TRUE(host && compute && side);
  EXPECT_EQ(host->place, PhasePlace::kHost);
  EXPECT_EQ(compute->place, PhasePlace::kComputeStream);
  EXPECT_EQ(side->place, PhasePlace::kSideStream);
  EXPECT_THAT((std::vector{host->name, compute->name, side->name}),
              ElementsAre("h2d", "h2d", "h2d"));
}

TEST(EstimateColumns, HaveNamesAndPlacesOfTheirOwn) {
  std::set<std::string> names;
  std::set<int> places;
  for (const auto columns : {key_columns(), estimate_columns(), noise_columns()}) {
    for (const EstimateColumn& column : columns) {
      EXPECT_TRUE(names.insert(column.metric.name).second) << column.metric.name;
      if (column.on_page > 0) {
        EXPECT_TRUE(places.insert(column.on_page).second) << column.metric.name;
      }
    }
  }
}

}  // namespace
}  // namespace stepbench::estimate
