// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/optimizer.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/scalar_tensor.h>
#include <unistd.h>

#include "tests/testing.h"
#include "tests/workloads/python.h"
#include "tests/workloads/test_case.h"

namespace stepbench {
namespace {

std::vector<at::Tensor> new_parameters() {
  at::manual_seed(3);
  std::vector<at::Tensor> parameters;
  for (const std::int64_t n : {1, 5, 64}) parameters.push_back(at::rand({n, 3}).requires_grad_());
  return parameters;
}

// Ten updates whose gradients depend on the parameters, so that a wrong step affects the next ones.
template <typename Step>
std::vector<at::Tensor> after_ten_steps(const std::vector<at::Tensor>& parameters, Step step) {
  for (int i = 0; i < 10; ++i) {
    at::Tensor loss = at::zeros({});
    for (const at::Tensor& parameter : parameters)
      loss = loss + (parameter * parameter * (i + 1)).sum();
    for (at::Tensor parameter : parameters) parameter.mutable_grad().reset();
    loss.backward();
    step();
  }
  return parameters;
}

void expect_same(const std::vector<at::Tensor>& ours, const std::vector<at::Tensor>& theirs,
                 const std::string& which) {
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_TRUE(at::allclose(ours[i], theirs[i], 1e-5, 1e-7)) << which << ", parameter " << i;
  }
}

void append(std::ofstream& file, const std::vector<at::Tensor>& parameters) {
  for (const at::Tensor& parameter : parameters) {
    const at::Tensor values = parameter.detach().contiguous();
    file.write(static_cast<const char*>(values.data_ptr()),
               static_cast<std::streamsize>(values.nbytes()));
  }
}

TEST(Optimizer, TenUpdates_MatchPython) {
  struct Setting {
    const char* kind;
    double momentum;
    bool nesterov;
    double weight_decay;
  };
  const std::string path =
      testing::TempDir() + "/stepbench-updates-" + std::to_string(::getpid()) + ".bin";
  std::vector<std::string> arguments = {path};
  {
    std::ofstream file(path, std::ios::binary);
    append(file, new_parameters());
    for (const Setting& setting : {Setting{"sgd", 0, false, 0},
                                   {"sgd", 0.9, false, 0},
                                   {"sgd", 0.9, false, 0.1},
                                   {"sgd", 0.9, true, 0.1},
                                   {"adam", 0, false, 0},
                                   {"adam", 0, false, 0.1},
                                   {"adamw", 0, false, 0},
                                   {"adamw", 0, false, 0.1}}) {
      for (const std::string implementation : {"single", "foreach", "fused"}) {
        test::Options options = {{"optimizer.kind", std::string(setting.kind)},
                                 {"optimizer.implementation", implementation},
                                 {"optimizer.weight_decay", setting.weight_decay}};
        if (setting.momentum > 0) {
          options["optimizer.momentum"] = setting.momentum;
          options["optimizer.nesterov"] = setting.nesterov;
        }
        const auto ours = step::make_optimizer(test::train_case(options), new_parameters());
        append(file, after_ten_steps(ours->parameters(), [&] { ours->step(); }));
        std::ostringstream text;
        text << setting.kind << ',' << implementation << ',' << setting.momentum << ','
             << setting.nesterov << ',' << setting.weight_decay;
        arguments.push_back(text.str());
      }
    }
  }
  std::istringstream differences(test::run_python("same_updates.py", arguments));
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    double difference = 1;
    differences >> difference;
    EXPECT_LT(difference, 1e-6) << arguments[i];
  }
  fs::remove(path);
}

TEST(Optimizer, FusedStep_SkipsAnOverflow) {
  for (const std::string kind : {"sgd", "adam", "adamw"}) {
    const ResolvedCase resolved = test::train_case(
        {{"optimizer.kind", kind}, {"optimizer.implementation", std::string("fused")}});
    const auto plain = step::make_optimizer(resolved, new_parameters());
    after_ten_steps(plain->parameters(), [&] { plain->step(); });
    const auto scaled = step::make_optimizer(resolved, new_parameters());
    ASSERT_TRUE(scaled->takes_loss_scale());
    step::LossScale scale{.factor = at::scalar_tensor(1024.0), .overflow = at::scalar_tensor(1.0)};
    const auto step = [&](double overflow) {
      for (at::Tensor parameter : scaled->parameters()) parameter.mutable_grad() *= 1024;
      scale.overflow->fill_(overflow);
      scaled->step(scale);
    };
    after_ten_steps(scaled->parameters(), [&] { step(1); });
    expect_same(scaled->parameters(), new_parameters(), kind + " after overflows");
    after_ten_steps(scaled->parameters(), [&] { step(0); });
    expect_same(scaled->parameters(), plain->parameters(), kind);
  }
  EXPECT_FALSE(step::make_optimizer(test::train_case({{"optimizer.kind", std::string("sgd")}}),
                                    new_parameters())
                   ->takes_loss_scale());
}

TEST(Optimizer, NoGradient_LeavesTheParameter) {
  auto parameters = new_parameters();
  const at::Tensor before = parameters[0].detach().clone();
  const auto optimizer =
      step::make_optimizer(test::train_case({{"optimizer.kind", std::string("sgd")}}), parameters);
  parameters[1].sum().backward();
  optimizer->step();
  EXPECT_TRUE(at::equal(parameters[0], before));
}

TEST(Optimizer, Reset_ForgetsAllUpdates) {
  for (const std::string kind : {"sgd", "adam", "adamw"}) {
    for (const std::string implementation : {"single", "foreach", "fused"}) {
      test::Options options = {{"optimizer.kind", kind},
                               {"optimizer.implementation", implementation}};
      if (kind == "sgd") options["optimizer.momentum"] = 0.9;
      const ResolvedCase resolved = test::train_case(options);
      const auto fresh = step::make_optimizer(resolved, new_parameters());
      after_ten_steps(fresh->parameters(), [&] { fresh->step(); });
      const auto used = step::make_optimizer(resolved, new_parameters());
      after_ten_steps(used->parameters(), [&] { used->step(); });
      used->reset();
      {
        const at::NoGradGuard no_grad;
        const auto before = new_parameters();
        for (std::size_t i = 0; i < before.size(); ++i) used->parameters()[i].copy_(before[i]);
      }
      after_ten_steps(used->parameters(), [&] { used->step(); });
      expect_same(used->parameters(), fresh->parameters(), kind + " " + implementation);
    }
  }
}

TEST(Optimizer, ZeroGrad_FreesOrFills) {
  auto parameters = new_parameters();
  const auto optimizer =
      step::make_optimizer(test::train_case({{"optimizer.kind", std::string("sgd")}}), parameters);
  parameters[1].sum().backward();
  optimizer->zero_grad(false);
  ASSERT_TRUE(parameters[1].grad().defined());
  EXPECT_EQ(parameters[1].grad().abs().sum().item<float>(), 0);
  optimizer->zero_grad(true);
  EXPECT_FALSE(parameters[1].grad().defined());
}

TEST(Optimizer, Clipping_OnlyLowersTheNorm) {
  auto parameters = new_parameters();
  (parameters[1].sum() * 10 + parameters[2].sum()).backward();
  const double norm = std::sqrt(15 * 100.0 + 192);
  EXPECT_NEAR(step::gradient_norm(parameters).item<double>(), norm, 1e-3);
  step::clip_gradients(parameters, 100);
  EXPECT_NEAR(step::gradient_norm(parameters).item<double>(), norm, 1e-3);
  step::clip_gradients(parameters, 1);
  EXPECT_NEAR(step::gradient_norm(parameters).item<double>(), 1, 1e-5);
}

}  // namespace
}  // namespace stepbench
