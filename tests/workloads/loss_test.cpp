// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/loss.h"

#include <ATen/ops/log_softmax.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/zeros.h>

#include "tests/testing.h"
#include "tests/workloads/test_case.h"

namespace stepbench {
namespace {

step::Loss loss_named(const std::string& name, std::int64_t classes) {
  return step::Loss(test::train_case({{"model.loss", name}}), classes);
}

TEST(Loss, CrossEntropy_IsTheMeanOverPositions) {
  const at::Tensor logits = at::rand({2, 3, 5});
  const at::Tensor target = at::randint(5, {2, 3}, at::kLong);
  const at::Tensor picked = at::log_softmax(logits, -1).gather(-1, target.unsqueeze(-1));
  EXPECT_NEAR(loss_named("cross_entropy", 5)(logits, target).item<double>(),
              -picked.mean().item<double>(), 1e-6);
}

TEST(Loss, SquaredAndBinary_UseOneHotLabels) {
  const at::Tensor logits = at::zeros({2, 4});
  const at::Tensor target = at::randint(4, {2}, at::kLong);
  EXPECT_DOUBLE_EQ(loss_named("mse", 4)(logits, target).item<double>(), 0.25);
  EXPECT_NEAR(loss_named("bce", 4)(logits, target).item<double>(), std::log(2), 1e-6);
}

TEST(Loss, Masking_HidesAndTargetsSomeTokens) {
  step::Loss loss = loss_named("masked_cross_entropy", 100);
  const at::Tensor tokens = at::randint(99, {16, 64}, at::kLong);
  const transfer::BatchTensors prepared = loss.prepare({tokens, tokens.add(1)});
  const at::Tensor hidden = prepared.input.eq(99);
  const double share = hidden.to(at::kFloat).mean().item<double>();
  EXPECT_NEAR(share, 0.15, 0.04);
  EXPECT_TRUE(prepared.target.eq(-100).logical_xor(hidden).all().item<bool>());
  EXPECT_TRUE(prepared.target.masked_select(hidden).equal(tokens.masked_select(hidden)));
  EXPECT_TRUE(prepared.input.masked_select(hidden.logical_not())
                  .equal(tokens.masked_select(hidden.logical_not())));
}

TEST(Loss, OnlyHiddenTokens_Count) {
  step::Loss loss = loss_named("masked_cross_entropy", 10);
  const at::Tensor tokens = at::randint(9, {2, 8}, at::kLong);
  const transfer::BatchTensors prepared = loss.prepare({tokens, tokens});
  at::Tensor logits = at::rand({2, 8, 10});
  const double before = loss(logits, prepared.target).item<double>();
  logits.masked_fill_(prepared.target.eq(-100).unsqueeze(-1), 7);

  EXPECT_NEAR(loss(logits, prepared.target).item<double>(), before, 1e-6);
}

TEST(Loss, Padding_IsNeitherHiddenNorATarget) {
  step::Loss loss(test::train_case({{"data.kind", std::string("synthetic_tokens")},
                                    {"data.lengths", std::string("uniform")},
                                    {"model.loss", std::string("masked_cross_entropy")}}),
                  100);
  const at::Tensor tokens = at::randint(1, 99, {16, 64}, at::kLong);
  const at::Tensor target = tokens.add(1);
  tokens.slice(1, 24).fill_(0);
  target.slice(1, 24).fill_(-100);
  const transfer::BatchTensors prepared = loss.prepare({tokens, target});
  EXPECT_TRUE(prepared.target.slice(1, 24).eq(-100).all().item<bool>());
  EXPECT_TRUE(prepared.input.slice(1, 24).eq(0).all().item<bool>());
  EXPECT_GT(prepared.input.eq(99).sum().item<std::int64_t>(), 16);
}

TEST(Loss, Mask_RepeatsForASeed) {
  const at::Tensor tokens = at::randint(9, {4, 16}, at::kLong);
  step::Loss first = loss_named("masked_cross_entropy", 10);
  step::Loss second = loss_named("masked_cross_entropy", 10);
  EXPECT_TRUE(first.prepare({tokens, tokens}).input.equal(second.prepare({tokens, tokens}).input));
}

}  // namespace
}  // namespace stepbench
