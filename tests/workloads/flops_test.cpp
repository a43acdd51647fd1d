// SPDX-License-Identifier: Apache-2.0
// Operations counted from the calls, compared with formulas and published numbers.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/rand.h>

#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "tests/workloads/workload_driver.h"
#include "workloads/model/model.h"
#include "workloads/step/internal/flop_counter.h"
#include "workloads/step/internal/model_work.h"
#include "workloads/step/steps.h"

namespace stepbench {
namespace {

std::map<std::string, double> metrics_of(
    const test::Options& options, decltype(&step::make_train_step) make = step::make_train_step) {
  return test::drive(test::train_case(options), make, 0).reported.metrics;
}

double flops_of(const test::Options& options,
                decltype(&step::make_train_step) make = step::make_train_step) {
  return metrics_of(options, make).at("model_flops_per_step");
}

// A layer of in x out multiplies and adds in * out times per sample, and twice as often for its two
// gradients; the first layer needs none for its input.
TEST(ModelFlops, LinearLayers_FollowTheFormula) {
  test::Options options = test::tiny_images("mlp");
  options["data.features"] = std::int64_t{20};
  options["model.hidden"] = std::int64_t{30};
  options["model.layers"] = std::int64_t{2};
  const double forward = 2.0 * 8 * (20 * 30 + 30 * 30 + 30 * 10);
  EXPECT_DOUBLE_EQ(flops_of(options, step::make_eval_step), forward);
  EXPECT_DOUBLE_EQ(flops_of(options), 3 * forward - 2.0 * 8 * 20 * 30);
}

// Autocast casts the inputs of an operator and calls it again.
TEST(ModelFlops, Precision_DoesNotMatter) {
  for (const std::string kind : {"mlp", "resnet18", "vit_b16"}) {
    for (const auto& make : {step::make_train_step, step::make_eval_step}) {
      test::Options options = test::tiny_images(kind);
      const double full = flops_of(options, make);
      options["model.precision"] = std::string("bf16");
      EXPECT_DOUBLE_EQ(flops_of(options, make), full) << kind;
    }
  }
}

TEST(ModelFlops, SamplesOfAStep_Count) {
  test::Options options = test::tiny_images("mlp");
  const double full = flops_of(options);
  options["model.accumulate"] = std::int64_t{3};
  EXPECT_DOUBLE_EQ(flops_of(options), 3 * full);
  options["model.accumulate"] = std::int64_t{1};
  options["data.samples"] = std::int64_t{5};
  options["loader.epochs"] = std::string("separate");
  const test::Driven driven = test::drive(test::train_case(options), step::make_train_step, 1);
  EXPECT_DOUBLE_EQ(driven.reported.metrics.at("model_flops_per_step"), full * 5 / 8);
}

TEST(ModelFlops, Convolutions_AreThreeForwardPasses) {
  const test::Options options = test::tiny_images("resnet18");
  const double stem = 2.0 * 8 * (16 * 16) * (8 * 3 * 7 * 7);  // 16 x 16 outputs, 7 x 7 kernels
  const double forward = flops_of(options, step::make_eval_step);
  EXPECT_GT(forward, stem);
  EXPECT_DOUBLE_EQ(flops_of(options), 3 * forward - stem);
}

// 6 per weight of a matrix product and token, 12 per layer, width and pair of positions: Chowdhery
// et al. 2022, appendix B.
TEST(ModelFlops, Attention_FollowsTheFormula) {
  test::Options options = test::tiny_images("gpt");
  options["data.kind"] = std::string("synthetic_tokens");
  options["data.sequence_length"] = std::int64_t{16};
  options["data.vocabulary"] = std::int64_t{50};
  const double width = 32, layers = 2, positions = 16, tokens = 8 * positions;
  const double weights = layers * 12 * width * width + width * 50;
  EXPECT_DOUBLE_EQ(flops_of(options), tokens * (6 * weights + 12 * layers * width * positions));
}

// Multiply-adds of one image of 224 x 224, from torchvision's documentation.
TEST(ModelFlops, VisionModels_MatchPublishedNumbers) {
  const std::pair<const char*, double> published[] = {
      {"resnet18", 1.814e9}, {"resnet50", 4.089e9}, {"vit_b16", 17.564e9}};
  for (const auto& [kind, multiply_adds] : published) {
    test::Options options = test::tiny_images(kind);
    options["model.size"] = std::string("standard");
    const auto model = make_model(test::train_case(options),
                                  {.input = {.name = "image", .shape = {3, 224, 224}},
                                   .target = {.name = "label", .shape = {}, .dtype = DType::kInt64},
                                   .classes = 1000});
    model->train(false);
    const at::NoGradGuard no_grad;
    const step::FlopCounter counter;
    (void)model->forward(at::rand({1, 3, 224, 224}));
    EXPECT_NEAR(static_cast<double>(counter.flops()), 2 * multiply_adds, 0.005 * 2 * multiply_adds)
        << kind;
  }
}

// A name with the same beginning is another device.
TEST(DevicePeak, KnownName_HasItsDataSheet) {
  struct Row {
    const char *name, *precision;
    std::optional<double> flops;
  };
  for (const Row& row : {Row{"NVIDIA H200", "bf16", 989.5e12},
                         {"NVIDIA H100 80GB HBM3", "bf16", 989.5e12},
                         {"NVIDIA GeForce RTX 4090", "fp32", 82.6e12},
                         {"Tesla T4", "fp16", 65e12},
                         {"NVIDIA H100 PCIe", "tf32", 378e12},
                         {"NVIDIA A100-SXM4-80GB", "fp32", 19.5e12},
                         {"NVIDIA L40S", "fp16", 362e12},
                         {"Tesla V100-SXM2-16GB", "bf16", {}},
                         {"NVIDIA GeForce GT 710", "fp32", {}},
                         {"NVIDIA GeForce RTX 4090 Laptop GPU", "fp32", {}},
                         {"NVIDIA GeForce RTX 4090 D", "fp32", {}},
                         {"NVIDIA GeForce RTX 3090 Ti", "fp32", {}},
                         {"NVIDIA H100 80GB HBM3 MIG 1g.10gb", "fp32", {}},
                         {"NVIDIA A100X", "fp32", {}}}) {
    EXPECT_EQ(step::device_peak_flops(row.name, row.precision), row.flops) << row.name;
  }
}

TEST(DevicePeak, UnknownDevice_UsesTheOption) {
  test::Options options = test::tiny_images("mlp");
  EXPECT_FALSE(metrics_of(options).contains("device_peak_flops"));
  options["model.device_peak_flops"] = 1e12;
  EXPECT_EQ(metrics_of(options).at("device_peak_flops"), 1e12);
}

}  // namespace
}  // namespace stepbench
