// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/workloads/worker_run.h"

namespace stepbench {
namespace {

using test::only;
using test::run_worker;

TEST(Worker, MeasuresATrainingStepWhosePhasesAndRestSumToIt) {
  const auto messages = run_worker({{"data.samples", std::int64_t{64}}});
  const Series& samples = only<CycleSamples>(messages).steps;
  EXPECT_THAT(samples.names,
              testing::ElementsAre("index", "step_ns", "data_wait_ns", "zero_grad_ns", "forward_ns",
                                   "loss_ns", "backward_ns", "optimizer_ns", "other_ns", "samples",
                                   "bytes", "flags"));
  const auto& step = samples.column("step_ns");
  ASSERT_EQ(step.size(), 4U);
  for (std::size_t i = 0; i < step.size(); ++i) {
    std::int64_t sum = 0;
    for (std::size_t c = 2; c < samples.names.size(); ++c) {
      if (samples.names[c].ends_with("_ns")) sum += samples.columns[c][i];
    }
    EXPECT_EQ(sum, step[i]);
    EXPECT_EQ(samples.column("samples")[i], 8);
  }
  const LaunchReport& report = only<LaunchReport>(messages);
  EXPECT_EQ(report.metrics.at("model_parameters"), 78962);
  EXPECT_GT(std::get<double>(report.fingerprint.at("loss")), 0);
  EXPECT_GT(std::get<double>(report.fingerprint.at("gradient_norm")), 0);
}

TEST(Worker, SaysWhichTorchItRuns) {
  const auto messages = run_worker({{"model.kind", std::string("mlp")}});
  const Fields& software = only<protocol::Hello>(messages).software;
  for (const char* fact : {"torch", "compiler", "openmp", "mkl", "cpu_capability", "cuda_runtime",
                           "cudnn", "cuda_driver", "intra_op_threads"}) {
    EXPECT_TRUE(software.contains(fact)) << fact;
  }
}

TEST(Worker, TwoProcessesComputeTheSameBitForBit) {
  const auto fingerprint = [] {
    return only<LaunchReport>(run_worker({{"loader.shuffle", true}})).fingerprint;
  };
  EXPECT_EQ(fingerprint(), fingerprint());
}

TEST(Worker, DataThatTheModelCannotTakeFailsInSetUpAndNamesIt) {
  const auto messages = run_worker({{"data.features", std::int64_t{64}}});
  const auto& failed = only<protocol::FailedMessage>(messages);
  EXPECT_EQ(failed.stage, protocol::Stage::kSetUp);
  EXPECT_THAT(failed.message, testing::HasSubstr("resnet18 needs images"));
}

TEST(Worker, AnErrorOfTorchIsOneMessageWithoutAStackTrace) {
  const auto messages =
      run_worker({{"data.image_size", std::int64_t{1}}, {"loader.batch_size", std::int64_t{1}}});
  const auto& failed = only<protocol::FailedMessage>(messages);
  EXPECT_THAT(failed.message, testing::HasSubstr("more than 1 value per channel"));
  EXPECT_THAT(failed.message, testing::Not(testing::HasSubstr("frame #")));
}

}  // namespace
}  // namespace stepbench
