// SPDX-License-Identifier: Apache-2.0
// Training steps on a device: graphs, forked workers, pinned batches.
#include <gmock/gmock.h>

#include "tests/gpu/device_scene.h"
#include "tests/gpu/products.h"
#include "tests/workloads/test_case.h"
#include "workloads/step/train_step.h"
#include "workloads/torch_loader/batch_tensor.h"
#include "workloads/torch_loader/pinned.h"

namespace stepbench::gpu {
namespace {

test::Options small_mlp() {
  return {{"device", tested_device().str()},        {"data.kind", std::string("synthetic")},
          {"data.features", std::int64_t{64}},      {"data.classes", std::int64_t{10}},
          {"data.samples", std::int64_t{1024}},     {"loader.batch_size", std::int64_t{32}},
          {"loader.engine", std::string("inline")}, {"model.kind", std::string("mlp")},
          {"optimizer.kind", std::string("sgd")},   {"optimizer.lr", 0.01}};
}

struct Trained {
  Series cycle;
  Fingerprint fingerprint{};
};

// Nothing: it cannot be set up here, `why` says the reason.
std::optional<Trained> trained(const cuda::CudaApi& api, const test::Options& options,
                               std::int64_t steps, std::string& why) {
  const HostClock clock;
  WorkerContext context{.clock = clock, .run_dir = {}, .shared_memory_prefix = {}};
  const auto workload = step::make_train_step(test::train_case(options), context);
  if (auto reason = workload->set_up()) {
    why = *reason;
    return std::nullopt;
  }
  Trained result;
  result.cycle = measure(api, *workload, steps);
  result.fingerprint = workload->fingerprint();
  workload->tear_down();
  return result;
}

TEST(Gpu, AReplayedGraphTrainsAsTheStepsThatItHolds) {
  STEPBENCH_NEED_GPU(api);
  if (rehearsing()) GTEST_SKIP() << "a graph needs a device";
  for (const char* optimizer : {"sgd", "adamw"}) {
    test::Options options = small_mlp();
    options["optimizer.kind"] = std::string(optimizer);
    options["optimizer.implementation"] = std::string("fused");
    std::string why;
    const auto eager = trained(api, options, 20, why);
    options["model.cuda_graph"] = true;
    const auto graph = trained(api, options, 20, why);
    ASSERT_TRUE(eager && graph) << why;
    const double loss = eager->fingerprint.loss.value();
    EXPECT_NEAR(graph->fingerprint.loss.value(), loss, 1e-4 * std::abs(loss)) << optimizer;
    const double norm = eager->fingerprint.gradient_norm.value();
    EXPECT_NEAR(graph->fingerprint.gradient_norm.value(), norm, 1e-3 * norm) << optimizer;
    EXPECT_THAT(graph->cycle.column("graph_replay_device_ns"), testing::Each(testing::Gt(0)));
    EXPECT_THAT(graph->cycle.names, testing::Not(testing::Contains("forward_device_ns")));
    number(std::string("loss of a replayed graph and of eager steps, ") + optimizer, "equal",
           std::to_string(graph->fingerprint.loss.value()) + " and " + std::to_string(loss),
           passed(!HasFailure()));
    number(std::string("step with a graph over eager, ") + optimizer, "reported",
           std::to_string(median_of(graph->cycle.column("step_ns")) /
                          median_of(eager->cycle.column("step_ns"))),
           "");
  }
}

test::Options small_gpt() {
  return {{"device", tested_device().str()},
          {"data.kind", std::string("synthetic_tokens")},
          {"data.sequence_length", std::int64_t{64}},
          {"data.vocabulary", std::int64_t{128}},
          {"data.samples", std::int64_t{256}},
          {"loader.batch_size", std::int64_t{8}},
          {"loader.engine", std::string("inline")},
          {"model.kind", std::string("gpt")},
          {"model.size", std::string("tiny")},
          {"optimizer.kind", std::string("sgd")},
          {"optimizer.lr", 0.01}};
}

TEST(Gpu, BlocksThatRunAgainInTheBackwardPassTrainAsThoseThatDoNot) {
  STEPBENCH_NEED_GPU(api);
  test::Options options = small_gpt();
  std::string why;
  const auto kept = trained(api, options, 10, why);
  options["model.activation_checkpointing"] = true;
  const auto again = trained(api, options, 10, why);
  ASSERT_TRUE(kept && again) << why;
  const double loss = kept->fingerprint.loss.value();
  EXPECT_NEAR(again->fingerprint.loss.value(), loss, 1e-4 * std::abs(loss));
  const double norm = kept->fingerprint.gradient_norm.value();
  EXPECT_NEAR(again->fingerprint.gradient_norm.value(), norm, 1e-3 * norm);
  number("backward with activation checkpointing over without", "more than 1",
         std::to_string(median_of(again->cycle.column("backward_ns")) /
                        median_of(kept->cycle.column("backward_ns"))),
         "");
}

TEST(Gpu, PaddingToTheLongestOfAllTrainsAsPaddingToTheLongestOfTheBatch) {
  STEPBENCH_NEED_GPU(api);
  test::Options options = small_gpt();
  options["data.lengths"] = std::string("uniform");
  options["data.min_length"] = std::int64_t{4};
  options["data.padding"] = std::string("longest");
  std::string why;
  const auto longest = trained(api, options, 10, why);
  options["data.padding"] = std::string("max_length");
  const auto all = trained(api, options, 10, why);
  ASSERT_TRUE(longest && all) << why;
  const double loss = longest->fingerprint.loss.value();
  EXPECT_NEAR(all->fingerprint.loss.value(), loss, 1e-4 * std::abs(loss));
}

// Set up before anything asks for a device: the workers are forked first.
TEST(Gpu, ForkedWorkersFeedTheDeviceFromPinnedMemory) {
  test::Options options = small_mlp();
  options["loader.engine"] = std::string("fork");
  options["loader.num_workers"] = std::int64_t{2};
  options["loader.pin_memory"] = !rehearsing();
  options["transfer.non_blocking"] = true;
  const HostClock clock;
  WorkerContext context{
      .clock = clock,
      .run_dir = {},
      .shared_memory_prefix = "/stepbench-" + std::to_string(::getpid()) + "-gpu"};
  const auto workload = step::make_train_step(test::train_case(options), context);
  if (const auto why = workload->set_up()) GTEST_SKIP() << *why;
  STEPBENCH_NEED_GPU(api);
  const Series cycle = measure(api, *workload, 60);  // more than one epoch
  EXPECT_EQ(cycle.column("step_device_ns").size(), 60U);
  const double loss = workload->fingerprint().loss.value();
  workload->tear_down();
  std::string why;
  const auto alone = trained(api, small_mlp(), 60, why);
  ASSERT_TRUE(alone) << why;
  EXPECT_NEAR(loss, alone->fingerprint.loss.value(), 1e-4 * std::abs(loss))
      << "batches were overwritten before their copies had passed";
}

TEST(Gpu, PinnedBatchesArePinned) {
  STEPBENCH_NEED_GPU(api);
  if (rehearsing()) GTEST_SKIP() << "pinned memory needs a device";
  const auto pageable = std::make_shared<std::array<std::byte, 4096>>();
  const Batch batch{
      .fields = {{pageable->data(), {.name = "input", .shape = {64}, .dtype = DType::kUInt8}},
                 {pageable->data(), {.name = "target", .shape = {}, .dtype = DType::kInt64}}},
      .size = 8,
      .owner = pageable};
  EXPECT_FALSE(torch_loader::field_tensor(batch, 0).is_pinned());
  const auto memory = torch_loader::pinned_memory(at::Device(at::kCUDA, 0));
  const Batch pinned = loader::pinned_copy(batch, *memory);
  EXPECT_TRUE(torch_loader::field_tensor(pinned, 0).is_pinned());
  EXPECT_TRUE(torch_loader::field_tensor(pinned, 1).is_pinned());
}

}  // namespace
}  // namespace stepbench::gpu
