// SPDX-License-Identifier: Apache-2.0
// model.activation_checkpointing and model.deterministic: their effects and what must not change.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randint.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "tests/workloads/workload_driver.h"
#include "workloads/model/model.h"
#include "workloads/step/steps.h"

namespace stepbench {
namespace {

test::Options tiny(const std::string& kind) {
  test::Options options = test::tiny_images(kind);
  if (kind != "gpt" && kind != "bert_base") return options;
  options["data.kind"] = std::string("synthetic_tokens");
  options["data.sequence_length"] = std::int64_t{16};
  options["data.vocabulary"] = std::int64_t{50};
  return options;
}

test::Options checkpointed(test::Options options) {
  options["model.activation_checkpointing"] = true;
  return options;
}

test::Driven take_steps(const test::Options& options, int steps) {
  at::set_num_threads(1);
  return test::drive(test::train_case(options), step::make_train_step, steps);
}

// Dropout of bert_base must draw the same numbers again, also in the following steps.
TEST(ActivationCheckpointing, Training_IsBitwiseEqual) {
  for (const std::string kind : {"resnet18", "resnet50", "vit_b16", "gpt", "bert_base"}) {
    for (const std::string precision : {"fp32", "bf16"}) {
      test::Options options = tiny(kind);
      options["model.precision"] = precision;
      options["model.accumulate"] = std::int64_t{2};
      const test::Driven plain = take_steps(options, 3);
      const test::Driven twice = take_steps(checkpointed(options), 3);
      EXPECT_EQ(twice.fingerprint.loss, plain.fingerprint.loss) << kind << " " << precision;
      EXPECT_EQ(twice.fingerprint.gradient_norm, plain.fingerprint.gradient_norm) << kind;
      EXPECT_EQ(twice.reported.metrics.at("model_flops_per_step"),
                plain.reported.metrics.at("model_flops_per_step"))
          << kind;
    }
  }
}

// State of an image model with batch norms, which a second forward pass would update again.
NamedTensors state_after_a_step(const test::Options& options) {
  at::manual_seed(0);
  const auto model = make_model(test::train_case(options),
                                {.input = {.name = "image", .shape = {3, 32, 32}},
                                 .target = {.name = "label", .shape = {}, .dtype = DType::kInt64},
                                 .classes = 10});
  const at::Tensor input = at::randint(0, 255, {4, 3, 32, 32}).to(at::kFloat).div_(255.0);
  model->forward(input).sum().backward();
  return model->state();
}

TEST(ActivationCheckpointing, RunningMeans_MoveOnce) {
  const NamedTensors plain = state_after_a_step(tiny("resnet18"));
  const NamedTensors twice = state_after_a_step(checkpointed(tiny("resnet18")));
  ASSERT_EQ(plain.size(), twice.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_TRUE(plain[i].second.equal(twice[i].second)) << plain[i].first;
    EXPECT_EQ(plain[i].second.grad().defined(), twice[i].second.grad().defined());
  }
}

// Live bytes of the CPU's tensors.
class LiveBytes final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, std::int64_t size, std::size_t, std::size_t, c10::Device) override {
    live_ += size;
    peak_ = std::max(peak_, live_);
  }
  [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }
  [[nodiscard]] std::int64_t peak() const { return peak_; }

 private:
  std::int64_t live_ = 0;
  std::int64_t peak_ = 0;
};

std::int64_t peak_of(const test::Options& options) {
  const auto bytes = std::make_shared<LiveBytes>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, bytes);
  (void)take_steps(options, 1);
  return bytes->peak();
}

// Eight layers, each of which keeps some 16 numbers per token and width besides those of its
// attention: with checkpointing, the inputs of eight and all of one.
TEST(ActivationCheckpointing, OnlyBlockInputs_AreKept) {
  test::Options options = tiny("gpt");
  options["model.blocks"] = std::int64_t{8};
  options["data.sequence_length"] = std::int64_t{64};
  const std::int64_t plain = peak_of(options);
  const std::int64_t twice = peak_of(checkpointed(options));
  EXPECT_LT(twice, plain / 2) << plain;
  EXPECT_GT(twice, plain / 16) << plain;
}

// The switch fills torch's new, uninitialised memory with NaN.
TEST(Deterministic, Switch_IsOfTheCaseOnly) {
  test::Options options = tiny("gpt");
  options["model.deterministic"] = true;
  const test::Driven switched = take_steps(options, 2);
  EXPECT_EQ(switched.reported.effects.at("model.deterministic"), Value{true});
  EXPECT_TRUE(at::globalContext().deterministicCuDNN());
  EXPECT_TRUE(at::empty({64}).isnan().all().item<bool>());
  const test::Driven plain = take_steps(tiny("gpt"), 2);
  EXPECT_FALSE(plain.reported.effects.contains("model.deterministic"));
  EXPECT_FALSE(at::globalContext().deterministicAlgorithms());
  EXPECT_EQ(switched.fingerprint.loss, plain.fingerprint.loss);
}

}  // namespace
}  // namespace stepbench
