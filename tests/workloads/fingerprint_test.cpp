// SPDX-License-Identifier: Apache-2.0
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "tests/workloads/test_case.h"
#include "workloads/step/train_step.h"

namespace stepbench {
namespace {

Fingerprint after_three_steps(const test::Options& options) {
  at::set_num_threads(1);
  const TickClock clock;
  WorkerContext context{clock, {}, {}};
  const auto workload = step::make_train_step(test::train_case(options), context);
  EXPECT_EQ(workload->set_up(), std::nullopt);
  StepRecorder recorder(clock);
  for (int i = 0; i < 3; ++i) {
    recorder.start_step(i);
    workload->step(recorder);
    (void)recorder.finish_step();
  }
  const Fingerprint fingerprint = workload->fingerprint();
  workload->tear_down();
  return fingerprint;
}

TEST(Fingerprint, RepeatsBitForBitForASeedWithOneThread) {
  const Fingerprint first = after_three_steps(test::tiny_images("resnet18"));
  const Fingerprint second = after_three_steps(test::tiny_images("resnet18"));
  EXPECT_EQ(first.loss, second.loss);
  EXPECT_EQ(first.gradient_norm, second.gradient_norm);
  EXPECT_GT(first.loss, 0);
  EXPECT_GT(first.gradient_norm, 0);
}

TEST(Fingerprint, ShowsAnotherSeedAndAnotherLearningRate) {
  test::Options options = test::tiny_images("mlp");
  const Fingerprint base = after_three_steps(options);
  options["seed"] = std::int64_t{1};
  EXPECT_NE(after_three_steps(options).loss, base.loss);
  options["seed"] = std::int64_t{0};
  options["optimizer.lr"] = 0.02;
  EXPECT_NE(after_three_steps(options).loss, base.loss);
}

TEST(Fingerprint, DoesNotDependOnHowBatchesAreLoaded) {
  test::Options options = test::tiny_images("mlp");
  options["loader.shuffle"] = true;
  const Fingerprint base = after_three_steps(options);
  options["loader.buffers"] = std::string("reused");
  EXPECT_EQ(after_three_steps(options).loss, base.loss);
  options["loader.engine"] = std::string("thread");
  options["loader.num_workers"] = std::int64_t{2};
  EXPECT_EQ(after_three_steps(options).loss, base.loss);
}

// Two micro-batches of four make the gradient of one batch of eight: the loss is a mean.
TEST(Fingerprint, AccumulationComputesWhatTheWholeBatchDoes) {
  test::Options options = test::tiny_images("mlp");
  const Fingerprint whole = after_three_steps(options);
  options["loader.batch_size"] = std::int64_t{4};
  options["model.accumulate"] = std::int64_t{2};
  EXPECT_NEAR(after_three_steps(options).loss.value(), whole.loss.value(), 1e-5);
}

}  // namespace
}  // namespace stepbench
