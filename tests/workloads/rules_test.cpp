// SPDX-License-Identifier: Apache-2.0
// What the planner says of model steps before anything runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workloads/test_case.h"
#include "workloads/built_in.h"
#include "workloads/distributed/sync_rule.h"

namespace stepbench {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class Heard final : public RuleSink {
 public:
  void error(std::string_view option, std::string reason) override {
    errors.push_back(std::string(option) + ": " + reason);
  }
  void skip(std::string reason) override { skips.push_back(std::move(reason)); }
  void note(std::string) override {}

  std::vector<std::string> errors, skips;
};

void judge(const test::Options& options, const RuleFacts& facts, Heard& heard) {
  ResolvedCase resolved = test::train_case(options);
  for (const WorkloadRule& rule : built_in_rules()) {
    if (rule.workload == resolved.workload) rule.rule(resolved, facts, heard);
  }
}

test::Options with(test::Options options, const std::string& name, Value value) {
  options[name] = std::move(value);
  return options;
}

test::Options prompts() {
  return {{"workload", std::string("generate")},
          {"data.kind", std::string("synthetic_tokens")},
          {"model.kind", std::string("gpt")},
          {"model.size", std::string("tiny")}};
}

TEST(GenerateRules, TextIsALatency) {
  Heard heard;
  ResolvedCase resolved = test::train_case(prompts());
  for (const WorkloadRule& rule : built_in_rules()) {
    if (rule.workload == "generate") rule.rule(resolved, {}, heard);
  }
  EXPECT_THAT(heard.errors, IsEmpty());
  EXPECT_EQ(resolved.text("schedule.sync"), "step");
}

TEST(GenerateRules, MoreTokensThanTheContextHoldsAreAMistake) {
  Heard heard;
  judge(with(prompts(), "generate.new_tokens", std::int64_t{128}), {}, heard);
  judge(with(prompts(), "generate.prompt_tokens", std::int64_t{100}), {}, heard);
  judge(with(prompts(), "generate.prompt_tokens", std::int64_t{96}), {}, heard);
  EXPECT_THAT(
      heard.errors,
      ElementsAre("generate.new_tokens: 128 new tokens and a prompt are more than the context of "
                  "128 tokens holds: lower it, or raise data.sequence_length",
                  "generate.prompt_tokens: 100 tokens of a prompt and 32 new ones are 132, more "
                  "than the context of 128 tokens holds: lower it, or raise "
                  "data.sequence_length"));
}

TEST(GenerateRules, AModelWithoutACacheIsAMistakeThatNamesOneThatHasIt) {
  Heard heard;
  judge(with(prompts(), "model.kind", std::string("bert_base")), {}, heard);
  judge(with(prompts(), "model.accumulate", std::int64_t{2}), {}, heard);
  EXPECT_THAT(heard.errors,
              ElementsAre("model.kind: bert_base has no key-value cache to generate with; these "
                          "have one: gpt",
                          "model.accumulate: generate has no gradients to accumulate; leave it "
                          "out"));
}

test::Options twice(test::Options options) {
  return with(std::move(options), "model.activation_checkpointing", true);
}

TEST(ModelRules, OnlyBlocksOfATrainingRunTwice) {
  Heard heard;
  judge(twice(test::tiny_images("resnet18")), {}, heard);
  judge(twice(with(prompts(), "workload", std::string("train_step"))), {}, heard);
  EXPECT_THAT(heard.errors, IsEmpty());
  judge(twice(prompts()), {}, heard);
  judge(twice(test::tiny_images("mlp")), {}, heard);
  judge(twice(with(test::tiny_images("python"), "model.path", std::string("my.py"))), {}, heard);
  const std::string option = "model.activation_checkpointing: activation_checkpointing ";
  EXPECT_THAT(heard.errors,
              ElementsAre(option + "runs blocks again in the backward pass, and generate has none; "
                                   "leave it out",
                          option + "would save nothing of mlp, which keeps the input of each layer "
                                   "and no more; models of blocks are resnet18, resnet50, vit_b16, "
                                   "gpt, bert_base",
                          option + "knows the blocks of built-in models alone; call "
                                   "torch.utils.checkpoint in the forward() of your model"));
}

TEST(ModelRules, WhatCannotRunTwiceIsLeftOutOfASweep) {
  Heard heard;
  judge(twice(test::tiny_images("mlp")), {.swept = true}, heard);
  EXPECT_THAT(heard.errors, IsEmpty());
  EXPECT_THAT(heard.skips, ElementsAre(StartsWith("activation_checkpointing would save nothing")));
}

TEST(ModelRules, ATimedChoiceOfAlgorithmsIsNotDeterministic) {
  const test::Options options = with(test::tiny_images("resnet18"), "model.deterministic", true);
  Heard heard;
  judge(options, {}, heard);
  EXPECT_THAT(heard.errors, IsEmpty());
  judge(with(options, "model.cudnn_benchmark", true), {}, heard);
  judge(with(options, "model.cudnn_benchmark", true), {.swept = true}, heard);
  EXPECT_THAT(heard.errors,
              ElementsAre(StartsWith("model.deterministic: cudnn_benchmark takes the algorithm")));
  EXPECT_THAT(heard.skips, ElementsAre(StartsWith("cudnn_benchmark takes the algorithm")));
}

test::Options arriving(test::Options options, double rate) {
  return with(std::move(options), "schedule.arrivals.rate", rate);
}

TEST(RequestRules, StepsThatAnswerRequestsBecomeLatencies) {
  ResolvedCase resolved = test::train_case(
      with(arriving(test::tiny_images("resnet18"), 20), "workload", std::string("eval_step")));
  Heard heard;
  for (const WorkloadRule& rule : built_in_rules()) {
    if (rule.workload == "eval_step") rule.rule(resolved, {}, heard);
  }
  EXPECT_THAT(heard.errors, IsEmpty());
  EXPECT_EQ(resolved.text("schedule.sync"), "step");
}

TEST(RequestRules, NobodyAsksForAStepOfTraining) {
  Heard heard;
  judge(arriving(test::tiny_images("resnet18"), 20), {}, heard);
  judge(with(arriving(test::tiny_images("resnet18"), 20), "workload", std::string("loader")), {},
        heard);
  EXPECT_THAT(heard.errors,
              ElementsAre("schedule.arrivals.rate: nobody asks for a step of train_step; requests "
                          "arrive at generate, eval_step and python_step",
                          StartsWith("schedule.arrivals.rate: nobody asks for a step of loader")));
}

TEST(RequestRules, ALimitOfTheirLatencyIsForRequestsToo) {
  const std::string limit = "schedule.arrivals.p99_limit_ms";
  Heard heard;
  judge(with(test::tiny_images("resnet18"), limit, 20.0), {}, heard);
  judge(with(prompts(), limit, 20.0), {}, heard);
  EXPECT_THAT(heard.errors, ElementsAre(StartsWith(limit + ": nobody asks for a step")));
}

TEST(RequestRules, ArrivalsMustFitIntoTheLaunch) {
  Heard heard;
  judge(arriving(prompts(), 0.05), {}, heard);
  judge(arriving(prompts(), 0.05), {.smoke = true}, heard);
  judge(with(arriving(prompts(), 5), "schedule.active", std::string("auto")), {}, heard);
  judge(with(arriving(prompts(), 5), "profile.counts", std::string("perf")), {}, heard);
  EXPECT_THAT(
      heard.errors,
      ElementsAre(StartsWith("schedule.arrivals.rate: 60 requests at 0.0500/s take 1,200 s, "
                             "longer than a launch may (limits.wall_s: 600)"),
                  StartsWith("schedule.active: auto measures until time / steps is exact"),
                  StartsWith("profile.counts: would count the instructions of waiting")));
}

TEST(ModelRules, AModelThatTakesTheDataIsFine) {
  for (const std::string kind : {"mlp", "resnet18", "vit_b16"}) {
    Heard heard;
    judge(test::tiny_images(kind), {}, heard);
    EXPECT_THAT(heard.errors, IsEmpty()) << kind;
  }
}

TEST(ModelRules, AModelThatCannotTakeTheDataIsAMistake) {
  Heard heard;
  judge(test::tiny_images("gpt"), {}, heard);
  judge(with(test::tiny_images("resnet18"), "data.features", std::int64_t{64}), {}, heard);
  judge(with(test::tiny_images("vit_b16"), "data.image_size", std::int64_t{40}), {}, heard);
  EXPECT_THAT(heard.errors, ElementsAre(StartsWith("model.kind: gpt takes token sequences"),
                                        StartsWith("model.kind: resnet18 takes images"),
                                        StartsWith("model.kind: vit_b16 takes images whose size")));
}

test::Options tokens(const std::string& model, const std::string& loss) {
  return with(with(test::tiny_images(model), "data.kind", std::string("synthetic_tokens")),
              "model.loss", loss);
}

TEST(ModelRules, ALossThatFitsModelAndDataIsFine) {
  Heard heard;
  for (const std::string loss : {"cross_entropy", "mse", "bce"}) {
    judge(with(test::tiny_images("resnet18"), "model.loss", loss), {}, heard);
  }
  judge(tokens("bert_base", "masked_cross_entropy"), {}, heard);
  judge(tokens("torchscript", "masked_cross_entropy"), {}, heard);
  EXPECT_THAT(heard.errors, IsEmpty());
}

TEST(ModelRules, ALossThatDoesNotFitIsAMistakeThatNamesTheRightOne) {
  Heard heard;
  judge(tokens("gpt", "masked_cross_entropy"), {}, heard);
  judge(tokens("gpt", "mse"), {}, heard);
  judge(tokens("bert_base", "bce"), {}, heard);
  judge(with(test::tiny_images("resnet18"), "model.loss", std::string("masked_cross_entropy")), {},
        heard);
  EXPECT_THAT(heard.errors,
              ElementsAre(StartsWith("model.loss: masked_cross_entropy hides tokens"),
                          StartsWith("model.loss: mse compares every class"),
                          StartsWith("model.loss: bce compares every class"),
                          StartsWith("model.loss: masked_cross_entropy hides tokens")));
}

TEST(ModelRules, FilesOfKnownContentAreMatchedWithModelsBeforeTheyAreOpened) {
  struct Match {
    const char* data;
    const char* model;
    bool fits;
  };
  for (const Match& match :
       {Match{"token_bin", "gpt", true}, Match{"token_bin", "bert_base", true},
        Match{"token_bin", "resnet18", false}, Match{"mnist_idx", "mlp", true},
        Match{"mnist_idx", "resnet18", false}, Match{"mnist_idx", "gpt", false},
        Match{"cifar_bin", "resnet18", true}, Match{"cifar_bin", "vit_b16", true},
        Match{"cifar_bin", "gpt", false}, Match{"webdataset", "resnet18", true},
        Match{"webdataset", "bert_base", false}}) {
    Heard heard;
    judge({{"data.kind", std::string(match.data)}, {"model.kind", std::string(match.model)}}, {},
          heard);
    EXPECT_EQ(heard.errors.empty(), match.fits) << match.data << " for " << match.model;
  }
}

TEST(ModelRules, TensorFilesMustSayHowManyClassesThereAre) {
  Heard heard;
  judge({{"data.kind", std::string("safetensors")}, {"model.kind", std::string("mlp")}}, {}, heard);
  EXPECT_THAT(heard.errors,
              ElementsAre(StartsWith("data.classes: data.kind safetensors does not")));
  Heard told;
  judge({{"data.kind", std::string("safetensors")},
         {"data.classes", std::int64_t{10}},
         {"model.kind", std::string("mlp")}},
        {}, told);
  EXPECT_THAT(told.errors, IsEmpty());
}

TEST(ModelRules, Tf32OnTheCpuIsSkippedInASweepAndAMistakeOutsideOne) {
  const auto options = with(test::tiny_images("mlp"), "model.precision", std::string("tf32"));
  Heard swept;
  judge(options, {.swept = true}, swept);
  EXPECT_THAT(swept.errors, IsEmpty());
  EXPECT_THAT(swept.skips, ElementsAre(StartsWith("precision tf32 needs a CUDA device")));
  Heard alone;
  judge(options, {}, alone);
  EXPECT_THAT(alone.errors, ElementsAre(StartsWith("model.precision: precision tf32")));
}

TEST(ModelRules, WhatWasFixedWhenAModelWasCompiledIsNotForTheCaseToChoose) {
  Heard heard;
  judge(with(test::tiny_images("aoti"), "model.precision", std::string("bf16")), {}, heard);
  EXPECT_THAT(heard.errors, ElementsAre(StartsWith("model.kind: aoti is a compiled forward pass"),
                                        StartsWith("model.precision: bf16 is autocast")));
}

test::Options graph_on(const std::string& device) {
  test::Options options =
      with(with(test::tiny_images("mlp"), "device", device), "model.cuda_graph", true);
  options["loader.epochs"] = std::string("separate");
  options["loader.drop_last"] = true;
  return options;
}

TEST(ModelRules, ACudaGraphOnTheCpuIsSkippedInASweepAndAMistakeOutsideOne) {
  Heard swept;
  judge(graph_on("cpu"), {.swept = true}, swept);
  EXPECT_THAT(swept.errors, IsEmpty());
  EXPECT_THAT(swept.skips, ElementsAre(StartsWith("a CUDA graph needs a CUDA device")));
  Heard alone;
  judge(graph_on("cpu"), {}, alone);
  EXPECT_THAT(alone.errors, ElementsAre(StartsWith("model.cuda_graph: a CUDA graph needs")));
}

TEST(ModelRules, ACudaGraphRefusesWhatAReplayCouldNotDo) {
  const RuleFacts facts{.cuda_available = true};
  Heard fine;
  judge(graph_on("cuda"), facts, fine);
  test::Options adam = with(graph_on("cuda"), "optimizer.kind", std::string("adamw"));
  judge(with(adam, "optimizer.implementation", std::string("fused")), facts, fine);
  judge(with(graph_on("cuda"), "loader.epochs", std::string("joined")), facts, fine);
  EXPECT_THAT(fine.errors, IsEmpty());

  Heard heard;
  judge(with(graph_on("cuda"), "loader.drop_last", false), facts, heard);
  judge(with(graph_on("cuda"), "model.accumulate", std::int64_t{2}), facts, heard);
  judge(with(graph_on("cuda"), "model.precision", std::string("fp16")), facts, heard);
  judge(with(adam, "optimizer.implementation", std::string("foreach")), facts, heard);
  EXPECT_THAT(heard.errors, ElementsAre(StartsWith("loader.drop_last: model.cuda_graph"),
                                        StartsWith("model.accumulate: model.cuda_graph"),
                                        StartsWith("model.precision: model.cuda_graph"),
                                        StartsWith("optimizer.implementation: model.cuda_graph")));
}

TEST(ModelRules, BatchesLeftInHostMemoryCannotFeedAModelOnTheDevice) {
  Heard heard;
  judge(with(with(test::tiny_images("mlp"), "device", std::string("cuda")), "transfer.placement",
             std::string("none")),
        {.cuda_available = true}, heard);
  EXPECT_THAT(heard.errors, ElementsAre(StartsWith("transfer.placement: none leaves batches")));
}

TEST(TransferRules, PlacementsThatCopyToADeviceAreSkippedOnTheCpuWhenSweptAndRefusedAlone) {
  for (const std::string placement : {"inline_non_blocking", "prefetch_stream", "pin_thread"}) {
    const test::Options options =
        with(test::tiny_images("mlp"), "transfer.placement", Value(placement));
    Heard swept;
    judge(options, {.swept = true}, swept);
    EXPECT_THAT(swept.errors, IsEmpty());
    EXPECT_THAT(swept.skips,
                ElementsAre(StartsWith("transfer.placement: " + placement + " copies to a CUDA")));
    Heard alone;
    judge(options, {}, alone);
    EXPECT_THAT(alone.errors, ElementsAre(StartsWith("transfer.placement: ")));
  }
}

TEST(TransferRules, PlacementsThatCopyNothingAreFineOnTheCpu) {
  for (const std::string placement : {"inline", "upstream", "none"}) {
    Heard heard;
    judge(with(test::tiny_images("mlp"), "transfer.placement", Value(placement)), {}, heard);
    EXPECT_THAT(heard.errors, IsEmpty()) << placement;
    EXPECT_THAT(heard.skips, IsEmpty()) << placement;
  }
}

test::Options in_pin_thread(const std::string& engine, std::int64_t workers, bool pin_memory) {
  test::Options options = test::tiny_images("mlp");
  options["device"] = std::string("cuda");
  options["transfer.placement"] = std::string("pin_thread");
  options["loader.engine"] = engine;
  options["loader.num_workers"] = workers;
  options["loader.pin_memory"] = pin_memory;
  return options;
}

TEST(TransferRules, ThePinThreadOfThreadsAndOfProcessesCopies) {
  for (const std::string engine : {"thread", "fork"}) {
    Heard heard;
    judge(in_pin_thread(engine, 1, true), {.cuda_available = true, .cores = 2}, heard);
    EXPECT_THAT(heard.errors, IsEmpty()) << engine;
    EXPECT_THAT(heard.skips, IsEmpty()) << engine;
  }
}

TEST(TransferRules, WithoutAPinThreadNothingCopiesInIt) {
  struct Refusal {
    test::Options options;
    const char* reason;
  };
  for (const Refusal& refusal :
       {Refusal{in_pin_thread("thread", 1, false), "pin_thread copies what the loader's pin"},
        Refusal{in_pin_thread("thread", 0, true), "pin_thread needs workers: with num_workers 0"},
        Refusal{in_pin_thread("inline", 0, true), "pin_thread needs workers: with num_workers 0"},
        Refusal{in_pin_thread("torch_cpp", 1, false), "pin_thread needs a pin thread, which"}}) {
    const std::string text = std::string("transfer.placement: ") + refusal.reason;
    Heard alone;
    judge(refusal.options, {.cuda_available = true, .cores = 2}, alone);
    EXPECT_THAT(alone.errors, ElementsAre(StartsWith(text)));
    Heard swept;
    judge(refusal.options, {.cuda_available = true, .swept = true, .cores = 2}, swept);
    EXPECT_THAT(swept.errors, IsEmpty());
    EXPECT_THAT(swept.skips, ElementsAre(StartsWith(text)));
  }
}

TEST(TransferRules, TheWorkloadTransferHasNoPinThread) {
  const test::Options copies = {{"workload", std::string("transfer")},
                                {"device", std::string("cuda")},
                                {"transfer.placement", std::string("pin_thread")}};
  Heard heard;
  judge(copies, {.cuda_available = true}, heard);
  EXPECT_THAT(heard.errors, ElementsAre(testing::HasSubstr("use workload: train_step")));
}

TEST(TransferRules, TheWorkloadTransferNeedsSomethingToCopy) {
  const test::Options copies = {{"workload", std::string("transfer")}};
  Heard heard;
  for (const std::string placement : {"none", "upstream", "inline"}) {
    judge(with(copies, "transfer.placement", Value(placement)), {.device_auto = true}, heard);
  }
  EXPECT_THAT(heard.errors, IsEmpty());
  EXPECT_EQ(heard.skips.size(), 3U);
  Heard fine;
  judge(with(copies, "transfer.placement", std::string("prefetch_stream")), {}, fine);
  EXPECT_THAT(fine.errors, IsEmpty());
  judge(with(with(copies, "transfer.placement", std::string("prefetch_stream")), "copy.source",
             std::string("pinned")),
        {.device_auto = true}, fine);
  EXPECT_THAT(fine.skips, ElementsAre("pinned memory needs a CUDA device"));
}

test::Options in_ranks(const std::string& workload, std::int64_t ranks) {
  test::Options options = test::tiny_images("mlp");
  options["workload"] = workload;
  options["distributed.ranks"] = ranks;
  return options;
}

TEST(GroupTrainStepRules, DdpIsTakenWhereNothingIsSaid) {
  ResolvedCase group = test::train_case(in_ranks("train_step", 2));
  Heard heard;
  distributed::check_group_train_step(group, {}, heard);
  EXPECT_THAT(heard.errors, IsEmpty());
  EXPECT_EQ(group.text("distributed.sync"), "ddp");
  ResolvedCase alone = test::train_case(in_ranks("train_step", 1));
  distributed::check_group_train_step(alone, {}, heard);
  EXPECT_FALSE(alone.has("distributed.sync"));
}

TEST(GroupTrainStepRules, WhatRanksCannotShareIsRefusedAloneAndLeftOutOfASweep) {
  struct Wrong {
    const char* option;
    Value value;
    const char* reason;
  };
  for (const Wrong& wrong :
       {Wrong{"model.cuda_graph", true, "model.cuda_graph: is for one process"},
        Wrong{"loader.engine", std::string("python"),
              "loader.engine: python takes all samples in each of the ranks"},
        Wrong{"device", std::string("cuda:1"), "device: cuda:1 is one device"}}) {
    ResolvedCase resolved =
        test::train_case(with(in_ranks("train_step", 2), wrong.option, wrong.value));
    Heard alone;
    distributed::check_group_train_step(resolved, {}, alone);
    EXPECT_THAT(alone.errors, ElementsAre(HasSubstr(wrong.reason)));
    Heard swept;
    distributed::check_group_train_step(resolved, {.swept = true}, swept);
    EXPECT_THAT(swept.errors, IsEmpty());
    EXPECT_THAT(swept.skips, ElementsAre(HasSubstr(wrong.reason)));
  }
}

TEST(GroupTrainStepRules, WhatBelongsToDdpIsRefusedBesideAnother) {
  const test::Options flat =
      with(in_ranks("train_step", 2), "distributed.sync", std::string("flat"));
  ResolvedCase fine = test::train_case(flat);
  Heard heard;
  distributed::check_group_train_step(fine, {}, heard);
  EXPECT_THAT(heard.errors, IsEmpty());
  EXPECT_FALSE(fine.has("distributed.bucket_cap_mb"));
  ResolvedCase wrong = test::train_case(with(flat, "distributed.bucket_cap_mb", 5.0));
  distributed::check_group_train_step(wrong, {}, heard);
  EXPECT_THAT(heard.errors, ElementsAre("distributed.bucket_cap_mb: needs distributed.sync: ddp"));
  // With ddp, said or not, they hold.
  ResolvedCase given =
      test::train_case(with(in_ranks("train_step", 2), "distributed.bucket_cap_mb", 5.0));
  distributed::check_group_train_step(given, {}, heard);
  EXPECT_EQ(given.number("distributed.bucket_cap_mb"), 5.0);
}

TEST(GroupTrainStepRules, SyncIsRefusedWhereThereIsNoModelOfOurs) {
  for (const char* workload : {"collective", "python_step", "python_script"}) {
    Heard heard;
    const test::Options ranks = with(in_ranks(workload, 2), "script.path", std::string("train.py"));
    judge(with(ranks, "distributed.sync", std::string("ddp")), {}, heard);
    EXPECT_THAT(heard.errors,
                Contains(HasSubstr("distributed.sync: `workload: " + std::string(workload) +
                                   "` has no model of which stepbench would exchange gradients")));
  }
  Heard buckets;
  judge(with(in_ranks("collective", 2), "distributed.bucket_cap_mb", 5.0), {}, buckets);
  EXPECT_THAT(buckets.errors, Contains(HasSubstr("distributed.bucket_cap_mb: is of gradients")));
  Heard eval;
  judge(in_ranks("eval_step", 2), {}, eval);
  EXPECT_THAT(eval.errors, Contains(HasSubstr("runs in one process; train_step, python_script")));
}

test::Options collective(const std::string& op, std::int64_t bytes, std::int64_t ranks) {
  return {{"workload", std::string("collective")},
          {"collective.op", op},
          {"collective.bytes", bytes},
          {"distributed.ranks", ranks}};
}

TEST(CollectiveRules, BytesThatRanksCannotShareAreRefusedAloneAndLeftOutOfASweep) {
  struct Size {
    test::Options options;
    const char* reason;  // null: fine
  };
  const test::Options bytes =
      with(collective("all_reduce", 7, 2), "collective.dtype", std::string("bfloat16"));
  for (const Size& size :
       {Size{collective("all_reduce", 4, 3), nullptr}, Size{collective("broadcast", 4, 3), nullptr},
        Size{collective("all_gather", 24, 3), nullptr},
        Size{collective("all_reduce", 2, 3), "2 is no multiple of 4, an element of float32; use 4"},
        Size{bytes, "7 is no multiple of 2, an element of bfloat16; use 6 or 8"},
        Size{collective("all_to_all", 1024, 3),
             "1024 is no multiple of 12, an element of float32 for each of 3 ranks; use 1020 or "
             "1032"}}) {
    Heard alone;
    judge(size.options, {}, alone);
    Heard swept;
    judge(size.options, {.swept = true}, swept);
    EXPECT_THAT(swept.errors, IsEmpty());
    if (size.reason == nullptr) {
      EXPECT_THAT(alone.errors, IsEmpty());
      EXPECT_THAT(swept.skips, IsEmpty());
      continue;
    }
    const std::string text = std::string("collective.bytes: ") + size.reason;
    EXPECT_THAT(alone.errors, ElementsAre(text));
    EXPECT_THAT(swept.skips, ElementsAre(text));
  }
}

TEST(CollectiveRules, ABackendWithoutItsDeviceIsAMistake) {
  const auto heard_of = [](const std::string& backend, const std::string& device, bool cuda) {
    Heard heard;
    judge(with(with(collective("all_reduce", 1024, 2), "collective.backend", backend), "device",
               device),
          {.cuda_available = cuda}, heard);
    return heard.errors;
  };
  EXPECT_THAT(heard_of("nccl", "cpu", false),
              ElementsAre("collective.backend: nccl needs a CUDA device, and there is none here; "
                          "use backend: gloo"));
  EXPECT_THAT(heard_of("nccl", "cpu", true),
              ElementsAre(StartsWith("collective.backend: nccl exchanges the memory of CUDA")));
  EXPECT_THAT(heard_of("gloo", "cuda", true),
              ElementsAre(StartsWith("collective.backend: gloo exchanges the memory of hosts")));
  EXPECT_THAT(heard_of("nccl", "cuda", true), IsEmpty());
  EXPECT_THAT(heard_of("gloo", "cpu", true), IsEmpty());
  EXPECT_THAT(heard_of("auto", "cuda", true), IsEmpty());
}

TEST(CheckpointRules, AllWindowsHoldAsManyCheckpoints) {
  const auto errors_of = [](std::int64_t every, std::int64_t active, const RuleFacts& facts) {
    test::Options options = test::tiny_images("mlp");
    options["checkpoint.every"] = every;
    options["checkpoint.path"] = std::string("/tmp");
    options["schedule.active"] = active;
    Heard heard;
    judge(options, facts, heard);
    return heard.errors;
  };
  EXPECT_THAT(errors_of(20, 60, {}), IsEmpty());
  EXPECT_THAT(errors_of(0, 50, {}), IsEmpty());
  EXPECT_THAT(errors_of(20, 50, {.smoke = true}), IsEmpty());
  EXPECT_THAT(errors_of(20, 50, {}),
              ElementsAre("checkpoint.every: windows of 50 steps (schedule.active) do not all hold "
                          "as many checkpoints; give schedule.active a multiple of 20, e.g. 60"));
}

TEST(CheckpointRules, WhereToWriteIsAsked) {
  Heard heard;
  judge(with(test::tiny_images("mlp"), "checkpoint.every", std::int64_t{1}), {}, heard);
  EXPECT_THAT(heard.errors, ElementsAre(StartsWith("checkpoint.path: expected the folder")));
}

}  // namespace
}  // namespace stepbench
