// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/loader_what_if.h"

#include <gmock/gmock.h>

namespace stepbench::estimate {
namespace {

constexpr double kMilli = 1e6;

// A turn of 12 ms and a step of 5 beside it, on cores that are no limit.
LoaderModel sleeping() { return {.turn_ns = 12 * kMilli, .own_ns = 5 * kMilli, .cores = 64}; }

TEST(LoaderWhatIf, ASteadyStepIsTheLongerOfItsOwnTimeAndAWorkersTurn) {
  EXPECT_DOUBLE_EQ(predicted_step_ns(sleeping(), 0), 17 * kMilli);
  EXPECT_NEAR(predicted_step_ns(sleeping(), 1), 12 * kMilli, 0.01 * kMilli);
  EXPECT_NEAR(predicted_step_ns(sleeping(), 2), 6 * kMilli, 0.01 * kMilli);
  EXPECT_NEAR(predicted_step_ns(sleeping(), 3), 5 * kMilli, 0.01 * kMilli);
  EXPECT_NEAR(predicted_step_ns(sleeping(), 16), 5 * kMilli, 0.01 * kMilli);
}

TEST(LoaderWhatIf, CpuTimeOfAllIsALimitThatNoWorkerLifts) {
  LoaderModel model = sleeping();
  model.cpu_ns = 17 * kMilli;
  model.cores = 2;
  EXPECT_NEAR(predicted_step_ns(model, 1), 12 * kMilli, 0.01 * kMilli);
  EXPECT_DOUBLE_EQ(predicted_step_ns(model, 2), 8.5 * kMilli);
  EXPECT_DOUBLE_EQ(predicted_step_ns(model, 8), 8.5 * kMilli);
}

// In order, an uneven batch holds up those after it: what an average would promise is not reached,
// and more batches ahead come nearer.
TEST(LoaderWhatIf, UnevenBatchesCostTheMoreTheFewerAreAhead) {
  LoaderModel model = sleeping();
  model.turn_cv = 1;
  model.own_ns = 3 * kMilli;
  const double few_ns = predicted_step_ns(model, 4);
  EXPECT_GT(few_ns, 1.1 * 3 * kMilli);
  model.prefetch_factor = 32;
  const double many_ns = predicted_step_ns(model, 4);
  EXPECT_LT(many_ns, few_ns);
  EXPECT_GE(many_ns, 3 * kMilli * 0.97);
  EXPECT_DOUBLE_EQ(many_ns, predicted_step_ns(model, 4)) << "the same each time";
}

// Batches that compute for 12 ms, on two cores on which so many threads of others are.
LoaderModel computing(double others) {
  return {.turn_ns = 12 * kMilli,
          .cpu_ns = 12 * kMilli,
          .cores = 2,
          .others = others,
          .turn_cpu_ns = 12 * kMilli};
}

TEST(LoaderWhatIf, ThreadsOfOtherProgramsGiveUpTheMoreTheMoreWorkersWantACore) {
  // Of 2 cores, workers of all threads.
  for (const int workers : {1, 2, 4, 8}) {
    EXPECT_NEAR(predicted_step_ns(computing(4), workers),
                12 * kMilli / (2.0 * workers / (workers + 4)), 0.1 * kMilli)
        << workers;
  }
  EXPECT_NEAR(predicted_step_ns(computing(1), 1), 12 * kMilli, 0.1 * kMilli) << "a core for each";
  EXPECT_NEAR(predicted_step_ns(computing(0), 8), 6 * kMilli, 0.1 * kMilli);
}

TEST(LoaderWhatIf, BatchesThatSleepWaitForNobodysThreads) {
  LoaderModel model = sleeping();
  model.others = 500;
  model.cpu_ns = 0.01 * kMilli;
  EXPECT_NEAR(predicted_step_ns(model, 1), 12 * kMilli, 0.1 * kMilli);
  EXPECT_NEAR(predicted_step_ns(model, 4), 5 * kMilli, 0.1 * kMilli);
}

TEST(LoaderWhatIf, AStepThatComputesIsSlowedToo) {
  LoaderModel model{.turn_ns = 2 * kMilli,
                    .own_ns = 10 * kMilli,
                    .cpu_ns = 10 * kMilli,
                    .cores = 2,
                    .others = 3,
                    .own_cpu_ns = 10 * kMilli};
  // It and three others on two cores.
  EXPECT_NEAR(predicted_step_ns(model, 2), 20 * kMilli, 0.2 * kMilli);
}

TEST(LoaderWhatIf, RowsThatTellNothingOfTheirLoaderAreNotToldOf) {
  EXPECT_THAT(workers_what_if({}, {4}), testing::IsEmpty());
  EXPECT_THAT(workers_what_if({CaseRow{.case_id = "a", .step_ns = 1.0}}, {4}), testing::IsEmpty());
}

}  // namespace
}  // namespace stepbench::estimate
