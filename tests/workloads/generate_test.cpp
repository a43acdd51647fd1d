// SPDX-License-Identifier: Apache-2.0
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn_like.h>

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "tests/workloads/workload_driver.h"
#include "workloads/model/model.h"
#include "workloads/step/internal/mixed_precision.h"
#include "workloads/step/steps.h"

namespace stepbench {
namespace {

constexpr std::int64_t kContext = 24;

std::unique_ptr<Model> small_gpt() {
  test::Options options = test::tiny_images("gpt");
  const FieldSpec tokens{.name = "tokens", .shape = {kContext}, .dtype = DType::kInt64};
  at::manual_seed(5);
  auto model =
      make_model(test::train_case(options), {.input = tokens, .target = tokens, .classes = 40});
  const at::NoGradGuard no_grad;
  for (at::Tensor parameter : model->parameters()) parameter.add_(at::randn_like(parameter), 0.1);
  model->train(false);
  return model;
}

// The largest difference between the cache's logits and those of a whole forward pass, over prompts
// and single tokens up to the end of `text`, relative to the largest logit.
double cache_error(Model& model, const at::Tensor& text, std::int64_t prompt) {
  Decoder& decoder = *model.decoder();
  decoder.restart();
  double worst = 0;
  for (std::int64_t end = prompt; end <= text.size(1); ++end) {
    const std::int64_t from = end == prompt ? 0 : end - 1;
    const at::Tensor cached = decoder.next(text.narrow(1, from, end - from));
    const at::Tensor whole = model.forward(text.narrow(1, 0, end)).select(1, end - 1);
    const at::Tensor error = (cached - whole).abs().max() / whole.abs().max();
    worst = std::max(worst, error.item<double>());
  }
  return worst;
}

TEST(KeyValueCache, Logits_MatchAWholeForwardPass) {
  const at::NoGradGuard no_grad;
  const auto model = small_gpt();
  const at::Tensor text = at::randint(40, {3, kContext}, at::kLong);
  for (const std::int64_t prompt : {1, 7, 24}) {
    EXPECT_LT(cache_error(*model, text, prompt), 1e-5) << prompt;
  }
  for (const std::int64_t sequences : {4, 2, 6}) {  // batches may become smaller and larger again
    const at::Tensor other = at::randint(40, {sequences, 12}, at::kLong);
    EXPECT_LT(cache_error(*model, other, 5), 1e-5) << sequences;
  }
}

TEST(KeyValueCache, Autocast_KeepsItsType) {
  const at::NoGradGuard no_grad;
  const auto model = small_gpt();
  const at::Tensor text = at::randint(40, {2, 12}, at::kLong);
  EXPECT_LT(cache_error(*model, text, 5), 1e-5);
  const step::AutocastScope autocast(c10::kCPU, at::kBFloat16);
  EXPECT_LT(cache_error(*model, text, 5), 0.03);  // eight bits of mantissa
}

TEST(KeyValueCache, TokenBeyondContext_IsRejected) {
  const at::NoGradGuard no_grad;
  const auto model = small_gpt();
  Decoder& decoder = *model->decoder();
  (void)decoder.next(at::randint(40, {1, kContext}, at::kLong));
  EXPECT_THAT(
      [&] {
        (void)decoder.next(at::randint(40, {1, 1}, at::kLong));
      },
      ThrowsMessage<Error>(HasSubstr("25 tokens are more than the context of 24")));
}

test::Options requests() {
  return {{"workload", std::string("generate")},  {"data.kind", std::string("synthetic_tokens")},
          {"data.sequence_length", kContext},     {"data.vocabulary", std::int64_t{40}},
          {"data.samples", std::int64_t{6}},      {"loader.engine", std::string("inline")},
          {"loader.batch_size", std::int64_t{2}}, {"model.kind", std::string("gpt")},
          {"model.size", std::string("tiny")},    {"generate.new_tokens", std::int64_t{5}}};
}

test::Driven driven(const test::Options& options, std::int64_t steps) {
  return test::drive(test::train_case(options), step::make_generate_step, steps);
}

std::vector<std::size_t> phases_of(const StepRecorder::Step& step) {
  std::vector<std::size_t> phases;
  for (std::size_t i = 0; i < kMaxPhases; ++i) {
    if ((step.occurred >> i & 1U) != 0) phases.push_back(i);
  }
  return phases;
}

TEST(GenerateStep, Prompt_IsReadBeforeSingleTokens) {
  const StepRecorder::Step step = driven(requests(), 1).steps.at(0);
  EXPECT_THAT(phases_of(step), ElementsAre(static_cast<std::size_t>(PhaseId::kDataWait),
                                           static_cast<std::size_t>(declared_phase(0)),
                                           static_cast<std::size_t>(declared_phase(1))));
  EXPECT_EQ(test::count_of(step, Count::kTokens), 2 * 5);
  EXPECT_EQ(step.later_tokens, 4);
  EXPECT_GT(step.first_token_ns, step.start_ns);
}

TEST(GenerateStep, OneToken_HasNoDecoding) {
  test::Options options = requests();
  options["generate.new_tokens"] = std::int64_t{1};
  const StepRecorder::Step step = driven(options, 1).steps.at(0);
  EXPECT_EQ(phases_of(step).size(), 2U);
  EXPECT_EQ(step.later_tokens, 0);
}

TEST(GenerateStep, Fingerprint_IsOfTheText) {
  std::vector<double> losses;
  for (const std::int64_t batch : {2, 3}) {
    test::Options options = requests();
    options["loader.batch_size"] = batch;
    losses.push_back(driven(options, 0).fingerprint.loss.value());
  }
  EXPECT_EQ(losses[0], losses[1]);
  EXPECT_GT(losses[0], 0);
}

}  // namespace
}  // namespace stepbench
