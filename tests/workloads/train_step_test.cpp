// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/train_step.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/measure/instrument.h"
#include "tests/workloads/test_case.h"
#include "workloads/step/eval_step.h"
#include "workloads/step/grad_scaler.h"

namespace stepbench {
namespace {

using testing::ElementsAre;

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

struct Driven {
  std::vector<PhaseId> phases;
  StepRecorder::Step step;
};

Driven drive_one_step(const test::Options& options,
                      decltype(&step::make_train_step) make = step::make_train_step) {
  const TickClock clock;
  WorkerContext context{clock, {}, {}};
  const auto workload = make(test::train_case(options), context);
  EXPECT_EQ(workload->set_up(), std::nullopt);
  PhaseLog log;
  Instrument* listener = &log;
  StepRecorder recorder(clock);
  recorder.listeners({&listener, 1});
  recorder.start_step(0);
  workload->step(recorder);
  const StepRecorder::Step step = recorder.finish_step();
  workload->tear_down();
  return {log.phases, step};
}

TEST(TrainStep, PhasesComeInTheOrderOfATrainingLoop) {
  EXPECT_THAT(drive_one_step(test::tiny_images("resnet18")).phases,
              ElementsAre(PhaseId::kDataWait, PhaseId::kZeroGrad, PhaseId::kForward, PhaseId::kLoss,
                          PhaseId::kBackward, PhaseId::kOptimizer));
}

TEST(TrainStep, AccumulationRepeatsMicroBatchesInOneStep) {
  test::Options options = test::tiny_images("mlp");
  options["model.accumulate"] = std::int64_t{2};
  const Driven driven = drive_one_step(options);
  EXPECT_THAT(driven.phases,
              ElementsAre(PhaseId::kDataWait, PhaseId::kZeroGrad, PhaseId::kForward, PhaseId::kLoss,
                          PhaseId::kBackward, PhaseId::kDataWait, PhaseId::kForward, PhaseId::kLoss,
                          PhaseId::kBackward, PhaseId::kOptimizer));
  EXPECT_EQ(driven.step.counts[static_cast<std::size_t>(Count::kSamples)], 16);
}

// Flags and samples of each step, `steps` of them.
std::vector<std::pair<std::int64_t, std::int64_t>> drive(Workload& workload, const Clock& clock,
                                                         std::int64_t steps) {
  std::vector<std::pair<std::int64_t, std::int64_t>> driven;
  StepRecorder recorder(clock);
  for (std::int64_t i = 0; i < steps; ++i) {
    recorder.start_step(i);
    workload.step(recorder);
    const StepRecorder::Step& step = recorder.finish_step();
    driven.emplace_back(step.flags, step.counts[static_cast<std::size_t>(Count::kSamples)]);
  }
  return driven;
}

TEST(TrainStep, ABatchIsCountedInTheStepThatComputesOnIt) {
  for (const std::string placement : {"inline", "prefetch_stream", "upstream"}) {
    test::Options options = test::tiny_images("mlp");
    options["data.samples"] = std::int64_t{20};  // 8, 8 and 4
    options["loader.epochs"] = std::string("separate");
    options["transfer.placement"] = placement;
    const TickClock clock;
    WorkerContext context{clock, {}, {}};
    const auto workload = step::make_train_step(test::train_case(options), context);
    ASSERT_EQ(workload->set_up(), std::nullopt);
    EXPECT_EQ(workload->steps_per_epoch(), 3);
    std::vector<std::int64_t> samples, partial, borders;
    for (const auto& [flags, count] : drive(*workload, clock, 7)) {
      samples.push_back(count);
      partial.push_back(flags & kPartialBatch);
      borders.push_back(flags & kEpochBorder);
    }
    workload->tear_down();
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

TEST(TrainStep, JoinedEpochsMakeEveryStepTheSame) {
  for (const std::string placement : {"inline", "prefetch_stream", "upstream"}) {
    test::Options options = test::tiny_images("mlp");
    options["data.samples"] = std::int64_t{20};
    options["transfer.placement"] = placement;
    const TickClock clock;
    WorkerContext context{clock, {}, {}};
    const auto workload = step::make_train_step(test::train_case(options), context);
    ASSERT_EQ(workload->set_up(), std::nullopt);
    EXPECT_EQ(workload->steps_per_epoch(), 0);
    for (const auto& [flags, samples] : drive(*workload, clock, 7)) {
      EXPECT_EQ(flags & ~std::int64_t{kFirstBatch}, 0) << placement;
      EXPECT_EQ(samples, 8) << placement;
    }
    workload->tear_down();
  }
}

TEST(TrainStep, BordersRepeatAfterAsManyStepsAsJoinWholeEpochs) {
  for (const auto& [accumulate, steps] :
       {std::pair(1, 4), std::pair(2, 2), std::pair(3, 4), std::pair(4, 1), std::pair(6, 2)}) {
    test::Options options = test::tiny_images("mlp");  // four batches per epoch
    options["loader.epochs"] = std::string("separate");
    options["model.accumulate"] = std::int64_t{accumulate};
    const TickClock clock;
    WorkerContext context{clock, {}, {}};
    const auto workload = step::make_train_step(test::train_case(options), context);
    ASSERT_EQ(workload->set_up(), std::nullopt);
    EXPECT_EQ(workload->steps_per_epoch(), steps) << accumulate;
    workload->tear_down();
  }
}

TEST(TrainStep, EveryPrecisionAndLayoutTrains) {
  for (const std::string precision : {"fp32", "bf16", "fp16"}) {
    for (const std::string format : {"contiguous", "channels_last"}) {
      test::Options options = test::tiny_images("resnet18");
      options["model.precision"] = precision;
      options["model.memory_format"] = format;
      EXPECT_EQ(drive_one_step(options).phases.size(), 6U) << precision << " " << format;
    }
  }
}

TEST(TrainStep, EveryOptionOfTheStepTrains) {
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

TEST(EvalStep, IsTheForwardPassAlone) {
  EXPECT_THAT(drive_one_step(test::tiny_images("resnet18"), step::make_eval_step).phases,
              ElementsAre(PhaseId::kDataWait, PhaseId::kForward));
}

TEST(GradScaler, LeavesOutAnOverflowingStepAndHalvesItsFactor) {
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

TEST(TrainStep, ADeviceThatIsNotThereIsAReasonToSkip) {
  test::Options options = test::tiny_images("mlp");
  options["device"] = std::string("cuda:63");
  const TickClock clock;
  WorkerContext context{clock, {}, {}};
  const auto workload = step::make_train_step(test::train_case(options), context);
  EXPECT_THAT(workload->set_up().value_or(""), testing::HasSubstr("CUDA device"));
  workload->tear_down();
}

TEST(TrainStep, ADeviceOfAnotherKindIsAMistake) {
  test::Options options = test::tiny_images("mlp");
  options["device"] = std::string("tpu");
  const TickClock clock;
  WorkerContext context{clock, {}, {}};
  EXPECT_THROW((void)step::make_train_step(test::train_case(options), context), ConfigError);
}

}  // namespace
}  // namespace stepbench
