// SPDX-License-Identifier: Apache-2.0
// Training steps on a device: graphs, forked workers.
#include "tests/gpu/device_scene.h"
#include "tests/gpu/products.h"
#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "workloads/step/steps.h"

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

// Returns nullopt with the reason in `why` if it cannot be set up here.
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

TEST(Gpu, ReplayedGraph_TrainsAsEagerSteps) {
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
    EXPECT_THAT(graph->cycle.column("graph_replay_device_ns"), Each(testing::Gt(0)));
    EXPECT_THAT(graph->cycle.names, Not(Contains("forward_device_ns")));
    number(std::string("loss of a replayed graph and of eager steps, ") + optimizer, "equal",
           std::to_string(graph->fingerprint.loss.value()) + " and " + std::to_string(loss),
           passed(!HasFailure()));
    number(std::string("step with a graph over eager, ") + optimizer, "reported",
           std::to_string(median_of(graph->cycle.column("step_ns")) /
                          median_of(eager->cycle.column("step_ns"))),
           "");
  }
}

// Set up before any device is used: the workers are forked first.
TEST(Gpu, ForkedWorkers_FeedPinnedMemory) {
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

}  // namespace
}  // namespace stepbench::gpu
