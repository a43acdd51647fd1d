// SPDX-License-Identifier: Apache-2.0
#include "workloads/model/model.h"

#include <ATen/Context.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "workloads/built_in.h"
#include "workloads/step/internal/loss.h"
#include "workloads/step/internal/optimizer.h"

namespace stepbench {
namespace {

DataShape images(std::int64_t size, std::int64_t classes) {
  return {.input = {.name = "image", .shape = {3, size, size}},
          .target = {.name = "label", .shape = {}, .dtype = DType::kInt64},
          .classes = classes};
}

DataShape tokens(std::int64_t length, std::int64_t vocabulary) {
  return {.input = {.name = "tokens", .shape = {length}, .dtype = DType::kInt64},
          .target = {.name = "target", .shape = {length}, .dtype = DType::kInt64},
          .classes = vocabulary};
}

bool is_language_model(const std::string& kind) { return kind == "gpt" || kind == "bert_base"; }

ResolvedCase model_case(const std::string& kind, const std::string& size) {
  test::Options options = test::tiny_images(kind);
  options["model.size"] = size;
  options["optimizer.kind"] = std::string("adam");
  options["optimizer.lr"] = 0.01;
  return test::train_case(options);
}

TEST(Model, ParameterCounts_ArePublishedOnes) {
  std::ifstream golden(STEPBENCH_SOURCE_DIR "/tests/workloads/parameter_counts.txt");
  std::string kind, size;
  std::int64_t classes = 0, extent = 0, expected = 0;
  int compared = 0;
  for (; golden >> kind >> size >> classes >> extent >> expected; ++compared) {
    const DataShape data =
        is_language_model(kind) ? tokens(extent, classes) : images(extent, classes);
    EXPECT_EQ(parameter_count(*make_model(model_case(kind, size), data)), expected)
        << kind << " " << size;
  }
  EXPECT_GT(compared, 5);
}

// Padding after a sample changes neither its outputs nor the loss.
TEST(Model, PaddedGpt_HasTheLossOfItsSamples) {
  const ResolvedCase resolved = model_case("gpt", "tiny");
  const auto model = make_model(resolved, tokens(16, 50));
  const step::Loss loss(resolved, 50);
  const at::Tensor input = at::randint(1, 50, {2, 16}, at::kLong);
  const at::Tensor target = at::randint(50, {2, 16}, at::kLong);
  constexpr std::int64_t kShort = 6;
  input[1].slice(0, kShort).fill_(0);
  target[1].slice(0, kShort).fill_(-100);
  const auto alone = [&](std::int64_t sample, std::int64_t length) {
    const at::Tensor row = input.slice(0, sample, sample + 1).slice(1, 0, length);
    return loss(model->forward(row), target.slice(0, sample, sample + 1).slice(1, 0, length))
        .item<double>();
  };
  const double expected = (16 * alone(0, 16) + kShort * alone(1, kShort)) / (16 + kShort);
  EXPECT_NEAR(loss(model->forward(input), target).item<double>(), expected, 1e-5);
}

TEST(Model, Catalogue_OffersEachModel) {
  std::vector<std::string> offered = built_in_catalogue().find_option("model.kind")->choices;
  std::vector<std::string> made;
  for (const ModelType& type : model_types()) made.emplace_back(type.kind);
  std::ranges::sort(offered);
  std::ranges::sort(made);
  EXPECT_EQ(made, offered);
}

TEST(Model, FixedBatch_LowersTheLoss) {
  for (const ModelType& type : model_types()) {
    const std::string kind(type.kind);
    if (kind == "torchscript" || kind == "plugin" || kind == "aoti" || type.make == nullptr)
      continue;  // need a file
    at::manual_seed(0);
    const ResolvedCase resolved = model_case(kind, "tiny");
    const bool language = is_language_model(kind);
    const auto model = make_model(resolved, language ? tokens(16, 10) : images(32, 10));
    const auto optimizer = step::make_optimizer(resolved, model->parameters());
    const at::Tensor input =
        language ? at::randint(10, {2, 16}, at::kLong) : at::rand({8, 3, 32, 32});
    const at::Tensor target =
        language ? at::randint(10, {2, 16}, at::kLong) : at::randint(10, {8}, at::kLong);
    double first = 0, last = 0;
    for (int i = 0; i < 20; ++i) {
      optimizer->zero_grad(true);
      const at::Tensor loss = step::cross_entropy(model->forward(input), target);
      loss.backward();
      optimizer->step();
      last = loss.item<double>();
      if (i == 0) first = last;
    }
    EXPECT_LT(last, 0.8 * first) << kind;
  }
}

TEST(Model, ChannelsLast_ChangesConvolutionsOnly) {
  const auto model = make_model(model_case("resnet18", "tiny"), images(32, 10));
  model->to(at::Device(at::kCPU), at::MemoryFormat::ChannelsLast);
  for (const at::Tensor& parameter : model->parameters()) {
    if (parameter.dim() != 4) continue;
    EXPECT_TRUE(parameter.is_contiguous(at::MemoryFormat::ChannelsLast));
  }
  const at::Tensor input = at::rand({2, 3, 32, 32}).contiguous(at::MemoryFormat::ChannelsLast);
  EXPECT_EQ(model->forward(input).sizes(), (std::vector<std::int64_t>{2, 10}));
}

std::string message_for(const std::string& kind, const DataShape& data) {
  try {
    (void)make_model(model_case(kind, "tiny"), data);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Model, UnfitData_IsNamed) {
  DataShape vectors = images(32, 10);
  vectors.input.shape = {64};
  EXPECT_EQ(message_for("resnet18", vectors),
            "data.kind: resnet18 needs images {3, height, width}; got field 'image' "
            "with shape {64}");
  EXPECT_NE(message_for("mlp", images(32, 0)), "");
}

TEST(Model, Mlp_TakesAnyLabelledSample) {
  DataShape vectors = images(32, 10);
  vectors.input.shape = {64};
  const auto model = make_model(model_case("mlp", "tiny"), vectors);
  EXPECT_EQ(model->forward(at::rand({4, 64})).sizes(), (std::vector<std::int64_t>{4, 10}));
}

}  // namespace
}  // namespace stepbench
