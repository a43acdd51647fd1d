// SPDX-License-Identifier: Apache-2.0
// The planner's messages about cases of the built-in workloads before anything runs.
#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "workloads/built_in.h"
#include "workloads/distributed/distributed_sections.h"

namespace stepbench {
namespace {

using Texts = std::vector<std::string>;

struct Heard {
  Texts errors, skips;
};

class Sink final : public RuleSink {
 public:
  explicit Sink(Heard& heard) : heard_(heard) {}

  void error(std::string_view option, std::string reason) override {
    heard_.errors.push_back(std::string(option) + ": " + reason);
  }
  void skip(std::string reason) override { heard_.skips.push_back(std::move(reason)); }
  void note(std::string) override {}
  void plan_note(std::string) override {}

 private:
  Heard& heard_;
};

Heard judged(ResolvedCase& resolved, const RuleFacts& facts) {
  Heard heard;
  Sink sink(heard);
  for (const WorkloadRule& rule : built_in_rules()) {
    if (rule.workload == resolved.workload) rule.rule(resolved, facts, sink);
  }
  return heard;
}

Heard judged(const test::Options& options, const RuleFacts& facts = {}) {
  ResolvedCase resolved = test::train_case(options);
  return judged(resolved, facts);
}

std::string text(const char* words) { return words; }

// `options` changed by `more`.
test::Options with(test::Options options, const test::Options& more) {
  for (const auto& [name, value] : more) options[name] = value;
  return options;
}

test::Options images(const char* model, const test::Options& more = {}) {
  return with(test::tiny_images(model), more);
}

test::Options prompts(const test::Options& more = {}) {
  return with({{"workload", text("generate")},
               {"data.kind", text("synthetic_tokens")},
               {"model.kind", text("gpt")},
               {"model.size", text("tiny")}},
              more);
}

test::Options files(const char* data, const char* model, const test::Options& more = {}) {
  return with({{"data.kind", text(data)}, {"model.kind", text(model)}}, more);
}

test::Options tokens(const char* model, const char* loss) {
  return images(model, {{"data.kind", text("synthetic_tokens")}, {"model.loss", text(loss)}});
}

test::Options graph(const test::Options& more = {}) {
  return images("mlp", with({{"device", text("cuda")},
                             {"model.cuda_graph", true},
                             {"loader.epochs", text("separate")},
                             {"loader.drop_last", true}},
                            more));
}

test::Options pin_thread(const char* engine, std::int64_t workers, bool pin_memory) {
  return images("mlp", {{"device", text("cuda")},
                        {"transfer.placement", text("pin_thread")},
                        {"loader.engine", text(engine)},
                        {"loader.num_workers", workers},
                        {"loader.pin_memory", pin_memory}});
}

test::Options copies(const char* placement, const test::Options& more = {}) {
  return with({{"workload", text("transfer")}, {"transfer.placement", text(placement)}}, more);
}

test::Options collective(const char* op, std::int64_t bytes, std::int64_t ranks,
                         const test::Options& more = {}) {
  return with({{"workload", text("collective")},
               {"collective.op", text(op)},
               {"collective.bytes", bytes},
               {"distributed.ranks", ranks}},
              more);
}

test::Options in_ranks(const char* workload, std::int64_t ranks, const test::Options& more = {}) {
  return images("mlp", with({{"workload", text(workload)}, {"distributed.ranks", ranks}}, more));
}

test::Options checkpoints(std::int64_t every, std::int64_t active) {
  return images("mlp", {{"checkpoint.every", every},
                        {"checkpoint.path", text("/tmp")},
                        {"schedule.active", active}});
}

constexpr RuleFacts kAlone;
constexpr RuleFacts kCuda{.cuda_available = true, .cores = 2};
const test::Options kTwice = {{"model.activation_checkpointing", true}};

struct Mistake {
  test::Options options;
  RuleFacts facts;
  std::string words;  // empty: it is valid
  bool skipped_in_a_sweep = true;
};

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> rows = {
      // generate
      {prompts({{"generate.new_tokens", std::int64_t{128}}}), kAlone,
       "generate.new_tokens: 128 new tokens and a prompt are more than the context of 128 tokens "
       "holds: lower it, or raise data.sequence_length",
       false},
      {prompts({{"generate.prompt_tokens", std::int64_t{100}}}), kAlone,
       "generate.prompt_tokens: 100 tokens of a prompt and 32 new ones are 132, more than the "
       "context of 128 tokens holds: lower it, or raise data.sequence_length",
       false},
      {prompts({{"generate.prompt_tokens", std::int64_t{96}}}), kAlone, ""},
      {prompts({{"model.kind", text("bert_base")}}), kAlone,
       "model.kind: bert_base has no key-value cache to generate with; these have one: gpt", false},
      {prompts({{"model.accumulate", std::int64_t{2}}}), kAlone,
       "model.accumulate: generate has no gradients to accumulate; leave it out", false},
      // Blocks that run twice.
      {images("resnet18", kTwice), kAlone, ""},
      {prompts(with(kTwice, {{"workload", text("train_step")}})), kAlone, ""},
      {prompts(kTwice), kAlone,
       "model.activation_checkpointing: activation_checkpointing runs blocks again in the backward "
       "pass, and generate has none; leave it out"},
      {images("mlp", kTwice), kAlone,
       "activation_checkpointing would save nothing of mlp, which keeps the input of each layer "
       "and "
       "no more; models of blocks are resnet18, resnet50, vit_b16, gpt, bert_base"},
      {images("python", with(kTwice, {{"model.path", text("my.py")}})), kAlone,
       "activation_checkpointing knows the blocks of built-in models alone; call "
       "torch.utils.checkpoint in the forward() of your model"},
      // Models and the data that they take.
      {images("mlp"), kAlone, ""},
      {images("resnet18"), kAlone, ""},
      {images("vit_b16"), kAlone, ""},
      {images("gpt"), kAlone, "model.kind: gpt takes token sequences", false},
      {images("resnet18", {{"data.features", std::int64_t{64}}}), kAlone,
       "model.kind: resnet18 takes images", false},
      {images("vit_b16", {{"data.image_size", std::int64_t{40}}}), kAlone,
       "model.kind: vit_b16 takes images whose size", false},
      {files("token_bin", "gpt"), kAlone, ""},
      {files("token_bin", "bert_base"), kAlone, ""},
      {files("token_bin", "resnet18"), kAlone, "model.kind: ", false},
      {files("mnist_idx", "mlp"), kAlone, ""},
      {files("mnist_idx", "resnet18"), kAlone, "model.kind: ", false},
      {files("mnist_idx", "gpt"), kAlone, "model.kind: ", false},
      {files("cifar_bin", "resnet18"), kAlone, ""},
      {files("cifar_bin", "vit_b16"), kAlone, ""},
      {files("cifar_bin", "gpt"), kAlone, "model.kind: ", false},
      {files("webdataset", "resnet18"), kAlone, ""},
      {files("webdataset", "bert_base"), kAlone, "model.kind: ", false},
      {files("safetensors", "mlp"), kAlone, "data.classes: data.kind safetensors does not", false},
      {files("safetensors", "mlp", {{"data.classes", std::int64_t{10}}}), kAlone, ""},
      {images("aoti"), kAlone, "model.kind: aoti is a compiled forward pass", false},
      // Losses.
      {images("resnet18", {{"model.loss", text("cross_entropy")}}), kAlone, ""},
      {images("resnet18", {{"model.loss", text("mse")}}), kAlone, ""},
      {images("resnet18", {{"model.loss", text("bce")}}), kAlone, ""},
      {tokens("bert_base", "masked_cross_entropy"), kAlone, ""},
      {tokens("torchscript", "masked_cross_entropy"), kAlone, ""},
      {tokens("gpt", "masked_cross_entropy"), kAlone,
       "model.loss: masked_cross_entropy hides tokens", false},
      {tokens("gpt", "mse"), kAlone, "model.loss: mse compares every class", false},
      {tokens("bert_base", "bce"), kAlone, "model.loss: bce compares every class", false},
      {images("resnet18", {{"model.loss", text("masked_cross_entropy")}}), kAlone,
       "model.loss: masked_cross_entropy hides tokens", false},
      // Switches of the device.
      {images("resnet18", {{"model.deterministic", true}}), kAlone, ""},
      {images("resnet18", {{"model.deterministic", true}, {"model.cudnn_benchmark", true}}), kAlone,
       "cudnn_benchmark takes the algorithm"},
      {images("mlp", {{"model.precision", text("tf32")}}), kAlone,
       "precision tf32 needs a CUDA device"},
      {graph({{"device", text("cpu")}}), kAlone, "a CUDA graph needs a CUDA device"},
      {graph(), kCuda, ""},
      {graph({{"optimizer.kind", text("adamw")}, {"optimizer.implementation", text("fused")}}),
       kCuda, ""},
      {graph({{"loader.epochs", text("joined")}}), kCuda, ""},
      {graph({{"loader.drop_last", false}}), kCuda, "loader.drop_last: model.cuda_graph", false},
      {graph({{"model.accumulate", std::int64_t{2}}}), kCuda, "model.accumulate: model.cuda_graph",
       false},
      {graph({{"model.precision", text("fp16")}}), kCuda, "model.precision: model.cuda_graph",
       false},
      {graph({{"optimizer.kind", text("adamw")}, {"optimizer.implementation", text("foreach")}}),
       kCuda, "optimizer.implementation: model.cuda_graph", false},
      // Transfer.
      {images("mlp", {{"device", text("cuda")}, {"transfer.placement", text("none")}}), kCuda,
       "transfer.placement: none leaves batches", false},
      {images("mlp", {{"transfer.placement", text("inline")}}), kAlone, ""},
      {images("mlp", {{"transfer.placement", text("upstream")}}), kAlone, ""},
      {images("mlp", {{"transfer.placement", text("none")}}), kAlone, ""},
      {images("mlp", {{"transfer.placement", text("inline_non_blocking")}}), kAlone,
       "transfer.placement: inline_non_blocking copies to a CUDA"},
      {images("mlp", {{"transfer.placement", text("prefetch_stream")}}), kAlone,
       "transfer.placement: prefetch_stream copies to a CUDA"},
      {images("mlp", {{"transfer.placement", text("pin_thread")}}), kAlone,
       "transfer.placement: pin_thread copies to a CUDA"},
      {pin_thread("thread", 1, true), kCuda, ""},
      {pin_thread("fork", 1, true), kCuda, ""},
      {pin_thread("thread", 1, false), kCuda,
       "transfer.placement: pin_thread copies what the loader's pin"},
      {pin_thread("thread", 0, true), kCuda,
       "transfer.placement: pin_thread needs workers: with num_workers 0"},
      {pin_thread("inline", 0, true), kCuda,
       "transfer.placement: pin_thread needs workers: with num_workers 0"},
      {pin_thread("torch_cpp", 1, false), kCuda,
       "transfer.placement: pin_thread needs a pin thread, which"},
      {copies("pin_thread", {{"device", text("cuda")}}), kCuda, "use workload: train_step", false},
      {copies("prefetch_stream"), kAlone, ""},
      // Ranks.
      {in_ranks("eval_step", 2), kAlone, "runs in one process; train_step, python_script", false},
      {collective("all_reduce", 1024, 2, {{"distributed.bucket_cap_mb", 5.0}}), kAlone,
       "distributed.bucket_cap_mb: is of gradients", false},
      {collective("all_reduce", 4, 3), kAlone, ""},
      {collective("broadcast", 4, 3), kAlone, ""},
      {collective("all_gather", 24, 3), kAlone, ""},
      {collective("all_reduce", 2, 3), kAlone,
       "collective.bytes: 2 is not a multiple of 4, an element of float32; use 4"},
      {collective("all_reduce", 7, 2, {{"collective.dtype", text("bfloat16")}}), kAlone,
       "collective.bytes: 7 is not a multiple of 2, an element of bfloat16; use 6 or 8"},
      {collective("all_to_all", 1024, 3), kAlone,
       "collective.bytes: 1024 is not a multiple of 12, an element of float32 for each of 3 ranks; "
       "use "
       "1020 or 1032"},
      {collective("all_reduce", 1024, 2, {{"collective.backend", text("nccl")}}), kAlone,
       "collective.backend: nccl needs a CUDA device, and there is none here; use backend: gloo",
       false},
      {collective("all_reduce", 1024, 2, {{"collective.backend", text("nccl")}}), kCuda,
       "collective.backend: nccl exchanges the memory of CUDA", false},
      {collective("all_reduce", 1024, 2,
                  {{"collective.backend", text("gloo")}, {"device", text("cuda")}}),
       kCuda, "collective.backend: gloo exchanges the memory of hosts", false},
      {collective("all_reduce", 1024, 2,
                  {{"collective.backend", text("nccl")}, {"device", text("cuda")}}),
       kCuda, ""},
      {collective("all_reduce", 1024, 2, {{"collective.backend", text("gloo")}}), kCuda, ""},
      {collective("all_reduce", 1024, 2,
                  {{"collective.backend", text("auto")}, {"device", text("cuda")}}),
       kCuda, ""},
      // Checkpoints: all windows hold as many.
      {checkpoints(20, 60), kAlone, ""},
      {checkpoints(0, 50), kAlone, ""},
      {checkpoints(20, 50), {.smoke = true}, ""},
      {checkpoints(20, 50), kAlone,
       "checkpoint.every: windows of 50 steps (schedule.active) do not all hold as many "
       "checkpoints; give schedule.active a multiple of 20, e.g. 60",
       false},
      {images("mlp", {{"checkpoint.every", std::int64_t{1}}}), kAlone,
       "checkpoint.path: expected the folder", false},
  };
  return rows;
}

// Each is one mistake; points that only this machine or model cannot run are skipped in a sweep.
TEST(Rules, Mistake_IsNamedOrSkippedInASweep) {
  for (const Mistake& row : mistakes()) {
    SCOPED_TRACE(row.words);
    std::string options;
    for (const auto& [name, value] : row.options) options += name + " ";
    SCOPED_TRACE(options);
    const Heard alone = judged(row.options, row.facts);
    EXPECT_THAT(alone.skips, IsEmpty());
    if (row.words.empty()) {
      EXPECT_THAT(alone.errors, IsEmpty());
      continue;
    }
    ASSERT_EQ(alone.errors.size(), 1U);
    EXPECT_THAT(alone.errors.front(), HasSubstr(row.words));
    if (!row.skipped_in_a_sweep) continue;
    RuleFacts swept = row.facts;
    swept.swept = true;
    const Heard left_out = judged(row.options, swept);
    EXPECT_THAT(left_out.errors, IsEmpty());
    ASSERT_EQ(left_out.skips.size(), 1U);
    EXPECT_THAT(alone.errors.front(), EndsWith(left_out.skips.front()));
  }
}

TEST(Rules, TwoMistakes_AreBothNamed) {
  const Heard heard = judged(images("aoti", {{"model.precision", text("bf16")}}));
  EXPECT_THAT(heard.errors, ElementsAre(HasSubstr("model.kind: aoti is a compiled forward pass"),
                                        HasSubstr("model.precision: bf16 is autocast")));
}

TEST(Rules, RequestSteps_BecomeLatencies) {
  ResolvedCase resolved = test::train_case(prompts());
  EXPECT_THAT(judged(resolved, {}).errors, IsEmpty());
  EXPECT_EQ(resolved.text("schedule.sync"), "step");
}

TEST(Rules, Transfer_NeedsACopy) {
  for (const char* const placement : {"none", "upstream", "inline"}) {
    const Heard heard = judged(copies(placement), {.device_auto = true});
    EXPECT_THAT(heard.errors, IsEmpty());
    EXPECT_EQ(heard.skips.size(), 1U);
  }
  EXPECT_THAT(
      judged(copies("prefetch_stream", {{"copy.source", text("pinned")}}), {.device_auto = true})
          .skips,
      ElementsAre("pinned memory needs a CUDA device"));
}

// Only the rule of ranks that train one model.
Heard synced(ResolvedCase& resolved, const RuleFacts& facts = {}) {
  Heard heard;
  Sink sink(heard);
  distributed::check_group_train_step(resolved, facts, sink);
  return heard;
}

TEST(GroupTrainStepRules, Default_IsDdp) {
  ResolvedCase group = test::train_case(in_ranks("train_step", 2));
  EXPECT_THAT(synced(group).errors, IsEmpty());
  EXPECT_EQ(group.text("distributed.sync"), "ddp");
  ResolvedCase alone = test::train_case(in_ranks("train_step", 1));
  EXPECT_THAT(synced(alone).errors, IsEmpty());
  EXPECT_FALSE(alone.has("distributed.sync"));
}

TEST(GroupTrainStepRules, Unshareable_IsRejected) {
  const std::pair<test::Options, const char*> rows[] = {
      {{{"model.cuda_graph", true}}, "model.cuda_graph: is for one process"},
      {{{"loader.engine", text("python")}},
       "loader.engine: python takes all samples in each of the ranks"},
      {{{"device", text("cuda:1")}}, "device: cuda:1 is one device"}};
  for (const auto& [options, reason] : rows) {
    ResolvedCase resolved = test::train_case(in_ranks("train_step", 2, options));
    EXPECT_THAT(synced(resolved).errors, ElementsAre(HasSubstr(reason)));
    const Heard swept = synced(resolved, {.swept = true});
    EXPECT_THAT(swept.errors, IsEmpty());
    EXPECT_THAT(swept.skips, ElementsAre(HasSubstr(reason)));
  }
}

TEST(GroupTrainStepRules, DdpOption_NeedsDdp) {
  const test::Options flat = {{"distributed.sync", text("flat")}};
  const test::Options buckets = {{"distributed.bucket_cap_mb", 5.0}};
  ResolvedCase fine = test::train_case(in_ranks("train_step", 2, flat));
  EXPECT_THAT(synced(fine).errors, IsEmpty());
  EXPECT_FALSE(fine.has("distributed.bucket_cap_mb"));
  ResolvedCase wrong = test::train_case(in_ranks("train_step", 2, with(flat, buckets)));
  EXPECT_THAT(synced(wrong).errors,
              ElementsAre("distributed.bucket_cap_mb: needs distributed.sync: ddp"));
  // With ddp, explicit or by default, they are kept.
  ResolvedCase given = test::train_case(in_ranks("train_step", 2, buckets));
  EXPECT_THAT(synced(given).errors, IsEmpty());
  EXPECT_EQ(given.number("distributed.bucket_cap_mb"), 5.0);
}

TEST(GroupTrainStepRules, Sync_NeedsOurModel) {
  for (const char* workload : {"collective", "python_step", "python_script"}) {
    const Heard heard = judged(in_ranks(
        workload, 2, {{"script.path", text("train.py")}, {"distributed.sync", text("ddp")}}));
    EXPECT_THAT(heard.errors, Contains(HasSubstr("distributed.sync: `workload: " + text(workload) +
                                                 "` has no model of which stepbench would exchange "
                                                 "gradients")));
  }
}

}  // namespace
}  // namespace stepbench
