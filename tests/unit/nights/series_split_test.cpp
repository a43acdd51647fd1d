// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/history.h"

#include "harness/nights/internal/track_store.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/nights/made_night.h"

namespace stepbench::report {
namespace {

nights::TrackedSeries series_on(const char* cpu, std::int64_t workers) {
  nights::TrackedSeries series{.workload = "train_step",
                               .case_id = "case" + std::to_string(workers),
                               .metric = "step_ns",
                               .options = {{"loader.num_workers", Value{workers}}},
                               .machine = {{"cpu.model", Value{std::string(cpu)}}}};
  series.id = nights::series_id(series);
  return series;
}

nights::History nights_with_another_torch_on_the_third() {
  const test::TemporaryFolder folder;
  nights::TrackStore store =
      nights::TrackStore::open("sqlite:" + std::string(folder / "history.db"));
  for (int day = 1; day <= 4; ++day) {
    testing_history::MadeNight made = testing_history::night(day);
    made.control = made.cases.front();
    if (day >= 3) made.environment["torch"] = Value{std::string("2.12.0")};
    store.add(testing_history::make(made), "results/RUN");
  }
  return store.history();
}

TEST(WhySplit, DifferingFields_AreNamed) {
  EXPECT_THAT(nights::identity_splits(series_on("A", 2), series_on("A", 2)), IsEmpty());
  EXPECT_THAT(nights::identity_splits(series_on("A", 2), series_on("B", 2)),
              ElementsAre(FieldsAre("cpu.model", "A", "B")));
  EXPECT_THAT(nights::identity_splits(series_on("A", 2), series_on("A", 4)),
              ElementsAre(FieldsAre("loader.num_workers", "2", "4")));
  nights::TrackedSeries same_name = series_on("A", 2);
  same_name.case_id = "another";
  same_name.id = nights::series_id(same_name);
  EXPECT_THAT(nights::identity_splits(series_on("A", 2), same_name),
              ElementsAre(FieldsAre("case_id", "case2", "another")));
}

TEST(WhySplit, EnvironmentChange_NamesTheNight) {
  const nights::History history = nights_with_another_torch_on_the_third();
  const std::vector<nights::SegmentBegin> changes =
      nights::segment_begins(history, history.series.front());
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(history.runs[changes[0].run].started_utc, "2026-01-03T02:00:00Z");
  EXPECT_THAT(changes[0].fields, ElementsAre(FieldsAre("torch", "2.11.0", "2.12.0")));
}

}  // namespace
}  // namespace stepbench::report
