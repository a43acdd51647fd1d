// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/steps.h"

#include <ATen/Parallel.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "tests/workloads/workload_driver.h"
#include "workloads/step/internal/mixed_precision.h"

namespace stepbench {
namespace {

class PhaseLog final : public Instrument {
 public:
  std::vector<PhaseId> phases;

  std::string_view name() const override { return "log"; }
  std::optional<std::string> exercise() override { return std::nullopt; }
  void change(Action, Action) override {}
  void step_begin(std::int64_t) override { phases.clear(); }
  void step_end() noexcept override {}
  void phase_begin(PhaseId id, DeviceStream) override { phases.push_back(id); }
  void phase_end(PhaseId, DeviceStream) noexcept override {}
  void report(ReportSink&) const override {}
};

struct OneStep {
  std::vector<PhaseId> phases;
  StepRecorder::Step step;
};

OneStep drive_one_step(const test::Options& options,
                       decltype(&step::make_train_step) make = step::make_train_step) {
  PhaseLog log;
  const test::Driven driven = test::drive(test::train_case(options), make, 1, &log);
  return {log.phases, driven.steps.at(0)};
}

TEST(TrainStep, Phases_RunInOrder) {
  EXPECT_THAT(drive_one_step(test::tiny_images("resnet18")).phases,
              ElementsAre(PhaseId::kDataWait, PhaseId::kZeroGrad, PhaseId::kForward, PhaseId::kLoss,
                          PhaseId::kBackward, PhaseId::kOptimizer));
}

TEST(TrainStep, Accumulation_RepeatsMicroBatches) {
  test::Options options = test::tiny_images("mlp");
  options["model.accumulate"] = std::int64_t{2};
  const OneStep driven = drive_one_step(options);
  EXPECT_THAT(driven.phases,
              ElementsAre(PhaseId::kDataWait, PhaseId::kZeroGrad, PhaseId::kForward, PhaseId::kLoss,
                          PhaseId::kBackward, PhaseId::kDataWait, PhaseId::kForward, PhaseId::kLoss,
                          PhaseId::kBackward, PhaseId::kOptimizer));
  EXPECT_EQ(test::count_of(driven.step, Count::kSamples), 16);
}

TEST(TrainStep, Batch_CountsInItsComputingStep) {
  for (const std::string placement : {"inline", "prefetch_stream", "upstream"}) {
    test::Options options = test::tiny_images("mlp");
    options["data.samples"] = std::int64_t{20};  // 8, 8 and 4
    options["loader.epochs"] = std::string("separate");
    options["transfer.placement"] = placement;
    const test::Driven driven = test::drive(test::train_case(options), step::make_train_step, 7);
    EXPECT_EQ(driven.steps_per_epoch, 3);
    std::vector<std::int64_t> samples, partial, borders;
    for (const StepRecorder::Step& step : driven.steps) {
      samples.push_back(test::count_of(step, Count::kSamples));
      partial.push_back(step.flags & kPartialBatch);
      borders.push_back(step.flags & kEpochBorder);
    }
    constexpr auto kPartial = std::int64_t{kPartialBatch};
    constexpr auto kBorder = std::int64_t{kEpochBorder};
    EXPECT_THAT(samples, ElementsAre(8, 8, 4, 8, 8, 4, 8)) << placement;
    EXPECT_THAT(partial, ElementsAre(0, 0, kPartial, 0, 0, kPartial, 0)) << placement;
    if (placement == "prefetch_stream") {  // the wait for an epoch's first batch is a step earlier
      EXPECT_THAT(borders, ElementsAre(0, 0, kBorder, 0, 0, kBorder, 0));
    } else {
      EXPECT_THAT(borders, ElementsAre(0, 0, 0, kBorder, 0, 0, kBorder)) << placement;
    }
  }
}

TEST(TrainStep, JoinedEpochs_MakeEqualSteps) {
  for (const std::string placement : {"inline", "prefetch_stream", "upstream"}) {
    test::Options options = test::tiny_images("mlp");
    options["data.samples"] = std::int64_t{20};
    options["transfer.placement"] = placement;
    const test::Driven driven = test::drive(test::train_case(options), step::make_train_step, 7);
    EXPECT_EQ(driven.steps_per_epoch, 0);
    for (const StepRecorder::Step& step : driven.steps) {
      EXPECT_EQ(step.flags & ~std::int64_t{kFirstBatch}, 0) << placement;
      EXPECT_EQ(test::count_of(step, Count::kSamples), 8) << placement;
    }
  }
}

TEST(TrainStep, Borders_RepeatAfterWholeEpochs) {
  for (const auto& [accumulate, steps] :
       {std::pair(1, 4), std::pair(2, 2), std::pair(3, 4), std::pair(4, 1), std::pair(6, 2)}) {
    test::Options options = test::tiny_images("mlp");  // four batches per epoch
    options["loader.epochs"] = std::string("separate");
    options["model.accumulate"] = std::int64_t{accumulate};
    EXPECT_EQ(test::drive(test::train_case(options), step::make_train_step, 0).steps_per_epoch,
              steps)
        << accumulate;
  }
}

TEST(TrainStep, EachPrecisionAndLayout_Trains) {
  for (const std::string precision : {"fp32", "bf16", "fp16"}) {
    for (const std::string format : {"contiguous", "channels_last"}) {
      test::Options options = test::tiny_images("resnet18");
      options["model.precision"] = precision;
      options["model.memory_format"] = format;
      EXPECT_EQ(drive_one_step(options).phases.size(), 6U) << precision << " " << format;
    }
  }
}

TEST(TrainStep, EachStepOption_Trains) {
  for (const auto& [name, value] : {std::pair<std::string, Value>{"optimizer.clip_norm", 0.5},
                                    {"optimizer.set_to_none", false},
                                    {"model.loss", std::string("mse")},
                                    {"model.loss", std::string("bce")},
                                    {"model.cudnn_benchmark", true}}) {
    test::Options options = test::tiny_images("resnet18");
    options[name] = value;
    EXPECT_EQ(drive_one_step(options).phases.size(), 6U) << name;
  }
}

TEST(EvalStep, Phases_AreForwardOnly) {
  EXPECT_THAT(drive_one_step(test::tiny_images("resnet18"), step::make_eval_step).phases,
              ElementsAre(PhaseId::kDataWait, PhaseId::kForward));
}

TEST(GradScaler, Overflow_SkipsAndHalvesTheFactor) {
  const at::Tensor weight = at::zeros({2}).requires_grad_();
  step::GradScaler scaler{at::Device(at::kCPU)};
  scaler.scale(weight.sum()).backward();
  EXPECT_EQ(weight.grad()[0].item<float>(), 65536);
  scaler.unscale({weight});
  EXPECT_EQ(weight.grad()[0].item<float>(), 1);
  EXPECT_TRUE(scaler.finite());
  scaler.update();
  weight.grad().fill_(std::numeric_limits<float>::infinity());
  scaler.unscale({weight});
  EXPECT_FALSE(scaler.finite());
  scaler.update();
  EXPECT_EQ(scaler.scale(at::ones({})).item<float>(), 32768);
}

TEST(TrainStep, MissingDevice_SkipsAndOtherKindThrows) {
  test::Options options = test::tiny_images("mlp");
  options["device"] = std::string("cuda:63");
  const TickClock clock;
  WorkerContext context{clock, {}, {}};
  const auto workload = step::make_train_step(test::train_case(options), context);
  EXPECT_THAT(workload->set_up().value_or(""), HasSubstr("CUDA device"));
  workload->tear_down();
  options["device"] = std::string("tpu");
  EXPECT_THROW((void)step::make_train_step(test::train_case(options), context), ConfigError);
}

Fingerprint after_three_steps(const test::Options& options) {
  at::set_num_threads(1);
  return test::drive(test::train_case(options), step::make_train_step, 3).fingerprint;
}

TEST(Fingerprint, SameSeed_RepeatsBitForBit) {
  const Fingerprint first = after_three_steps(test::tiny_images("resnet18"));
  const Fingerprint second = after_three_steps(test::tiny_images("resnet18"));
  EXPECT_EQ(first.loss, second.loss);
  EXPECT_EQ(first.gradient_norm, second.gradient_norm);
  EXPECT_GT(first.loss, 0);
  EXPECT_GT(first.gradient_norm, 0);
}

TEST(Fingerprint, OtherSeedOrRate_Differs) {
  test::Options options = test::tiny_images("mlp");
  const Fingerprint base = after_three_steps(options);
  options["seed"] = std::int64_t{1};
  EXPECT_NE(after_three_steps(options).loss, base.loss);
  options["seed"] = std::int64_t{0};
  options["optimizer.lr"] = 0.02;
  EXPECT_NE(after_three_steps(options).loss, base.loss);
}

TEST(Fingerprint, Loading_DoesNotMatter) {
  test::Options options = test::tiny_images("mlp");
  options["loader.shuffle"] = true;
  const Fingerprint base = after_three_steps(options);
  options["loader.buffers"] = std::string("reused");
  EXPECT_EQ(after_three_steps(options).loss, base.loss);
  options["loader.engine"] = std::string("thread");
  options["loader.num_workers"] = std::int64_t{2};
  EXPECT_EQ(after_three_steps(options).loss, base.loss);
}

// Two micro-batches of four give the gradient of one batch of eight, because the loss is a mean.
TEST(Fingerprint, Accumulation_MatchesTheWholeBatch) {
  test::Options options = test::tiny_images("mlp");
  const Fingerprint whole = after_three_steps(options);
  options["loader.batch_size"] = std::int64_t{4};
  options["model.accumulate"] = std::int64_t{2};
  EXPECT_NEAR(after_three_steps(options).loss.value(), whole.loss.value(), 1e-5);
}

}  // namespace
}  // namespace stepbench
