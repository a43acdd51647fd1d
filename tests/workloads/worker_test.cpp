// SPDX-License-Identifier: Apache-2.0
// stepbench-worker as a process: one case from a file, its messages from standard output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "harness/protocol/messages.h"
#include "tests/workloads/test_case.h"

namespace stepbench {
namespace {

using protocol::WorkerMessage;

std::vector<WorkerMessage> run_worker(const test::Options& options) {
  test::Options all = test::tiny_images("resnet18");
  all["threads.intra_op"] = std::int64_t{1};
  all["schedule.warmup"] = std::int64_t{1};
  all["schedule.active"] = std::int64_t{4};
  for (const auto& [name, value] : options) all[name] = value;
  protocol::CaseMessage message;
  message.resolved = test::train_case(all);
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / ("case-" + std::to_string(::getpid()) + ".json");
  std::ofstream(file) << protocol::encode(message) << '\n';
  std::FILE* pipe =
      ::popen(("'" STEPBENCH_WORKER "' --case '" + file.string() + "' 2>/dev/null").c_str(), "r");
  std::vector<WorkerMessage> messages;
  char* line = nullptr;
  std::size_t capacity = 0;
  while (::getline(&line, &capacity, pipe) > 0) messages.push_back(protocol::decode_worker(line));
  std::free(line);
  ::pclose(pipe);
  std::filesystem::remove(file);
  return messages;
}

template <typename T>
const T& only(const std::vector<WorkerMessage>& messages) {
  const T* found = nullptr;
  for (const WorkerMessage& message : messages) {
    if (const T* typed = std::get_if<T>(&message)) found = typed;
  }
  if (found == nullptr) throw std::runtime_error("the worker did not send the expected message");
  return *found;
}

const std::vector<std::int64_t>& column(const protocol::SamplesMessage& samples,
                                        const std::string& name) {
  const auto found = std::ranges::find(samples.columns, name);
  return samples.values.at(static_cast<std::size_t>(found - samples.columns.begin()));
}

TEST(Worker, MeasuresATrainingStepWhosePhasesAndRestSumToIt) {
  const auto messages = run_worker({{"data.samples", std::int64_t{64}}});
  const auto& samples = only<protocol::SamplesMessage>(messages);
  EXPECT_THAT(samples.columns,
              testing::ElementsAre("index", "step_ns", "data_wait_ns", "zero_grad_ns", "forward_ns",
                                   "loss_ns", "backward_ns", "optimizer_ns", "other_ns", "samples",
                                   "bytes", "flags"));
  const auto& step = column(samples, "step_ns");
  ASSERT_EQ(step.size(), 4U);
  for (std::size_t i = 0; i < step.size(); ++i) {
    std::int64_t sum = 0;
    for (std::size_t c = 2; c < samples.columns.size(); ++c) {
      if (samples.columns[c].ends_with("_ns")) sum += samples.values[c][i];
    }
    EXPECT_EQ(sum, step[i]);
    EXPECT_EQ(column(samples, "samples")[i], 8);
  }
  const LaunchReport& report = only<protocol::LaunchMessage>(messages).report;
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
    return only<protocol::LaunchMessage>(run_worker({{"loader.shuffle", true}})).report.fingerprint;
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
