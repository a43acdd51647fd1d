// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_trees.h"
#include "tests/testing.h"
#include "tests/workloads/worker_run.h"

namespace stepbench {
namespace {

using test::only;
using test::run_worker;

TEST(Worker, PhasesAndRest_SumToTheStep) {
  const auto messages = run_worker({{"data.samples", std::int64_t{64}}});
  const Series& samples = only<record::CycleSamples>(messages).steps;
  EXPECT_THAT(samples.names, ElementsAre("index", "step_ns", "data_wait_ns", "zero_grad_ns",
                                         "forward_ns", "loss_ns", "backward_ns", "optimizer_ns",
                                         "other_ns", "samples", "bytes", "flags"));
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
  const record::LaunchReport& report = only<record::LaunchReport>(messages);
  EXPECT_EQ(report.metrics.at("model_parameters"), 78962);
  EXPECT_GT(std::get<double>(report.fingerprint.at("loss")), 0);
  EXPECT_GT(std::get<double>(report.fingerprint.at("gradient_norm")), 0);
}

TEST(Worker, LanguageModel_HasTokenLatencies) {
  const auto messages = run_worker({{"workload", std::string("generate")},
                                    {"data.kind", std::string("synthetic_tokens")},
                                    {"data.sequence_length", std::int64_t{24}},
                                    {"data.vocabulary", std::int64_t{40}},
                                    {"model.kind", std::string("gpt")},
                                    {"generate.new_tokens", std::int64_t{5}},
                                    {"schedule.sync", std::string("step")}});
  const Series& samples = only<record::CycleSamples>(messages).steps;
  EXPECT_THAT(samples.names,
              ElementsAre("index", "step_ns", "data_wait_ns", "prefill_ns", "decode_ns", "other_ns",
                          "samples", "tokens", "bytes", "request_latency_ns",
                          "time_to_first_token_ns", "time_per_output_token_ns", "flags"));
  const auto& latency = samples.column("request_latency_ns");
  for (std::size_t i = 0; i < latency.size(); ++i) {
    const std::int64_t first = samples.column("time_to_first_token_ns")[i];
    const std::int64_t each = samples.column("time_per_output_token_ns")[i];
    EXPECT_GE(first, samples.column("prefill_ns")[i] / 2) << i;
    EXPECT_NEAR(static_cast<double>(first + 4 * each), static_cast<double>(latency[i]), 2) << i;
    EXPECT_EQ(samples.column("tokens")[i], 8 * 5);
  }
}

std::int64_t forward_ns(const ops::ModuleTree& tree, const std::string& path) {
  const auto phase = std::find(tree.phases.begin(), tree.phases.end(), "forward");
  for (const ops::ModuleNode& node : tree.nodes) {
    if (node.path == path && node.kind == ops::ModuleNode::Kind::kModule)
      return node.by_phase.at(static_cast<std::size_t>(phase - tree.phases.begin())).cpu_ns;
  }
  return 0;
}

// To the nanosecond: operations, the time outside them, and therefore all modules.
void expect_modules_sum_to_the_steps(const std::vector<protocol::WorkerMessage>& messages,
                                     const std::string& module) {
  const std::vector<std::int64_t>& step_ns =
      only<record::CycleSamples>(messages).steps.column("step_ns");
  const ops::OpTable table = test::profiled_ops(messages);
  for (const std::size_t depth : {0U, 1U, 2U, 9U}) {
    const ops::ModuleTree tree = ops::make_module_tree(table, depth);
    const auto profiled = static_cast<std::size_t>(tree.steps);
    ASSERT_LE(profiled, step_ns.size());
    EXPECT_EQ(tree.nodes.front().all.cpu_ns - tree.other_threads_ns,
              std::accumulate(step_ns.end() - tree.steps, step_ns.end(), std::int64_t{0}));
    EXPECT_EQ(tree.other_threads_ns, 0);
    std::vector<std::int64_t> children(tree.nodes.size(), 0);
    for (const ops::ModuleNode& node : tree.nodes) {
      if (node.parent != ops::ModuleNode::kNoParent) children.at(node.parent) += node.all.cpu_ns;
    }
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (children[i] == 0) continue;
      EXPECT_EQ(children[i], tree.nodes[i].all.cpu_ns) << tree.nodes[i].path;
    }
  }
  EXPECT_GT(forward_ns(ops::make_module_tree(table, 9), module), 0);
}

TEST(Worker, ProfiledResnetModules_SumToTheSteps) {
  for (const Pass pass : {Pass::kNative, Pass::kKineto}) {
    const auto messages = run_worker({{"profile.active", std::int64_t{3}}}, pass);
    expect_modules_sum_to_the_steps(messages, "layer3.0.conv1");
  }
}

TEST(Worker, ProfiledGptModules_SumToTheSteps) {
  const auto messages = run_worker({{"model.kind", std::string("gpt")},
                                    {"data.kind", std::string("synthetic_tokens")},
                                    {"data.vocabulary", std::int64_t{64}},
                                    {"data.sequence_length", std::int64_t{16}},
                                    {"profile.active", std::int64_t{3}}},
                                   Pass::kNative);
  expect_modules_sum_to_the_steps(messages, "transformer.h.0");
}

TEST(Worker, TorchVersion_IsReported) {
  const auto messages = run_worker({{"model.kind", std::string("mlp")}});
  const Fields& software = only<protocol::Hello>(messages).software;
  for (const char* fact : {"torch", "compiler", "openmp", "mkl", "cpu_capability", "cuda_runtime",
                           "cudnn", "cuda_driver", "intra_op_threads"}) {
    EXPECT_TRUE(software.contains(fact)) << fact;
  }
}

TEST(Worker, TwoProcesses_AreBitwiseEqual) {
  const auto fingerprint = [] { return test::report_of({{"loader.shuffle", true}}).fingerprint; };
  EXPECT_EQ(fingerprint(), fingerprint());
}

TEST(Worker, UnfitData_FailsInSetUp) {
  const auto failed = test::failure_of({{"data.features", std::int64_t{64}}});
  EXPECT_EQ(failed.stage, protocol::Stage::kSetUp);
  EXPECT_THAT(failed.message, HasSubstr("resnet18 needs images"));
}

TEST(Worker, TorchError_HasNoStackTrace) {
  const auto failed = test::failure_of(
      {{"data.image_size", std::int64_t{1}}, {"loader.batch_size", std::int64_t{1}}});
  EXPECT_THAT(failed.message, HasSubstr("more than 1 value per channel"));
  EXPECT_THAT(failed.message, Not(HasSubstr("frame #")));
}

}  // namespace
}  // namespace stepbench
