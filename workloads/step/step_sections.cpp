// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/step_sections.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/format.h"
#include "workloads/loader/loader_workload.h"
#include "workloads/model/model_kinds.h"
#include "workloads/model/model_section.h"

namespace stepbench::step {
namespace {

Option zero_or_more(std::string name, std::string doc) {
  return {.name = std::move(name),
          .type = OptionType::kNumber,
          .doc = std::move(doc),
          .default_value = 0.0,
          .min = 0,
          .identity_default = 0.0};
}

Option below_one(std::string name, std::string doc, double value) {
  return {.name = std::move(name),
          .type = OptionType::kNumber,
          .doc = std::move(doc),
          .default_value = value,
          .min = 0,
          .max = 1,
          .identity_default = value};
}

std::vector<Option> adam_options() {
  return {below_one("beta1", "Decay of the running mean of gradients.", 0.9),
          below_one("beta2", "Decay of the running mean of squared gradients.", 0.999),
          below_one("eps", "Added to the denominator.", 1e-8)};
}

}  // namespace

Section optimizer_section() {
  Section section{
      .name = "optimizer",
      .doc = "The update at the end of a training step.",
      .selector = "kind",
      .options =
          {
              {.name = "kind",
               .type = OptionType::kEnum,
               .doc = "Update rule, as torch.optim's class of that name.",
               .default_value = std::string{"sgd"},
               .choices = {},
               .identity_default = std::string{"sgd"}},
              {.name = "implementation",
               .type = OptionType::kEnum,
               .doc = "single: a loop over parameters with one small operation after another. "
                      "foreach: one multi-tensor operation per kind of arithmetic (Python's "
                      "default on CUDA). fused: one operation for the whole update.",
               .default_value = std::string{"single"},
               .choices = {"single", "foreach", "fused"},
               .identity_default = std::string{"single"}},
              {.name = "lr",
               .type = OptionType::kNumber,
               .doc = "Learning rate.",
               .default_value = 0.01,
               .min = 0,
               .identity_default = 0.01,
               .also_called = {"learning_rate"}},
              zero_or_more("weight_decay",
                           "Decay of the weights: an L2 penalty, or decoupled from the gradient "
                           "with adamw, where torch.optim defaults to 0.01."),
              zero_or_more(
                  "clip_norm",
                  "Scale gradients down so that their total norm is at most this; 0: never."),
              {.name = "set_to_none",
               .type = OptionType::kBool,
               .doc = "zero_grad frees gradients instead of filling them with zeros.",
               .default_value = true,
               .identity_default = true},
          },
      .variants =
          {
              {.name = "sgd",
               .doc = "Stochastic gradient descent, with momentum if asked for.",
               .options =
                   {
                       zero_or_more("momentum", "Momentum factor; 0: plain SGD without state."),
                       {.name = "nesterov",
                        .type = OptionType::kBool,
                        .doc = "Nesterov's momentum. It needs momentum > 0.",
                        .default_value = false,
                        .identity_default = false},
                   }},
              {.name = "adam",
               .doc = "Adam, with an L2 penalty if asked for.",
               .options = adam_options()},
              {.name = "adamw",
               .doc = "Adam with decoupled weight decay.",
               .options = adam_options()},
          },
  };
  for (const Variant& kind : section.variants) section.options[0].choices.push_back(kind.name);
  return section;
}

void check_optimizer(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (!resolved.flag_or("optimizer.nesterov", false)) return;
  if (resolved.number("optimizer.momentum") > 0) return;
  if (!facts.swept) {
    sink.error("optimizer.nesterov", "needs optimizer.momentum > 0; here it is 0");
  }
  resolved.options["optimizer.nesterov"] = false;
  sink.no_effect("optimizer.nesterov", "optimizer.momentum > 0");
}

namespace {

constexpr const char* kEvery = "checkpoint.every";

}  // namespace

Section checkpoint_section() {
  const Requires with_checkpoints{.option = kEvery,
                                  .op = Requires::Op::kGreater,
                                  .value = std::int64_t{0},
                                  .doc = "needs checkpoints (every > 0)"};
  return {
      .name = "checkpoint",
      .doc =
          "Writing the state of training (parameters, buffers and what the optimizer keeps) in "
          "the middle of it, as a script does that may be interrupted.",
      .selector = {},
      .options = {
          {.name = "every",
           .type = OptionType::kInteger,
           .doc = "After so many steps the state is written, in the phase `checkpoint` of the "
                  "step; 0: never.",
           .unit = "steps",
           .default_value = std::int64_t{0},
           .min = 0,
           .identity_default = std::int64_t{0}},
          {.name = "path",
           .type = OptionType::kPath,
           .doc = "The folder to write to, on the disk that is to be measured. One file of this "
                  "launch, replaced each time and removed at the end.",
           .identity = Identity::kContext,
           .requires_ = with_checkpoints},
          {.name = "fsync",
           .type = OptionType::kBool,
           .doc = "Wait until it is on the disk. Without, as with torch.save, the kernel writes it "
                  "later.",
           .default_value = false,
           .identity_default = false,
           .requires_ = with_checkpoints},
          {.name = "async",
           .type = OptionType::kBool,
           .doc = "The step only copies the state; another thread writes the copy beside the next "
                  "steps. A checkpoint waits for the one before it.",
           .default_value = false,
           .identity_default = false,
           .requires_ = with_checkpoints},
      }};
}

std::vector<Phase> train_phases() {
  return {{"checkpoint", "Writing the state of training (checkpoint.every)."}};
}

std::vector<Metric> checkpoint_metrics() {
  return {{.name = "checkpoint_bytes",
           .unit = "bytes",
           .role = Role::kContext,
           .direction = Direction::kNeither,
           .doc = "A checkpoint's file.",
           .source = Source::kCounted,
           .exact = true},
          {.name = "checkpoint_block_ns",
           .unit = "ns",
           .doc = "What a checkpoint adds to the step that writes it; mean over the windows.",
           .source = Source::kHostClock},
          {.name = "checkpoint_bytes_per_s",
           .unit = "bytes/s",
           .direction = Direction::kHigherIsBetter,
           .doc = "A checkpoint's bytes over the time that it took to write them, beside the steps "
                  "with checkpoint.async; mean over the windows.",
           .source = Source::kHostClock}};
}

void check_checkpoint(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const std::int64_t every = resolved.integer_or(kEvery, 0);
  if (every == 0) return;
  if (resolved.text_or("checkpoint.path", "").empty()) {
    sink.error("checkpoint.path", "expected the folder to write to, e.g. /tmp");
  }
  if (facts.smoke) return;
  const Value* active = resolved.options.get("schedule.active");
  const bool automatic = active != nullptr && std::holds_alternative<std::string>(*active);
  const std::string option = automatic ? "schedule.window" : "schedule.active";
  const std::int64_t steps = resolved.integer_or(option, every);
  if (steps % every == 0) return;
  const std::int64_t next = (steps / every + 1) * every;
  sink.error(kEvery, formatted("windows of {} steps ({}) do not all hold as many checkpoints; give "
                               "{} a multiple of {}, e.g. {}",
                               steps, option, option, every, next));
}

namespace {

constexpr std::int64_t kMaxTokens = 1 << 20;

std::string generators() {
  std::string names;
  for (const model::ModelKind& kind : model::model_kinds()) {
    if (kind.generates) names += (names.empty() ? "" : ", ") + kind.variant.name;
  }
  return names;
}

void check_lengths(const ResolvedCase& resolved, RuleSink& sink) {
  if (!resolved.has("data.sequence_length")) return;
  const std::int64_t context = resolved.integer("data.sequence_length");
  const auto [prompt, made] = generate_lengths(resolved, context);
  if (prompt >= 1 && prompt + made <= context) return;
  const bool asked = resolved.has("generate.prompt_tokens");
  const std::string tokens = asked ? formatted("{} tokens of a prompt and {} new ones are {},",
                                               prompt, made, prompt + made)
                                   : formatted("{} new tokens and a prompt are", made);
  sink.error(
      asked ? "generate.prompt_tokens" : "generate.new_tokens",
      formatted(
          "{} more than the context of {} tokens holds: lower it, or raise data.sequence_length",
          tokens, context));
}

}  // namespace

Section generate_section() {
  return {
      .name = "generate",
      .doc =
          "How much text a request asks for. A sample of the data is a request: its first tokens "
          "are the prompt, and data.sequence_length is the model's context.",
      .options = {
          {.name = "prompt_tokens",
           .type = OptionType::kInteger,
           .doc = "Tokens of a prompt. Unset: what new_tokens leave of the context.",
           .unit = "tokens",
           .min = 1,
           .max = kMaxTokens,
           .also_called = {"input_len", "prompt_length", "random_input_len"}},
          {.name = "new_tokens",
           .type = OptionType::kInteger,
           .doc =
               "Tokens that are made for each prompt, always all of them: the likeliest one each "
               "time (greedy), and none ends the text.",
           .unit = "tokens",
           .default_value = std::int64_t{32},
           .min = 1,
           .max = kMaxTokens,
           .also_called = {"max_new_tokens", "max_tokens", "output_len", "random_output_len"}},
      }};
}

std::vector<Phase> generate_phases() {
  return {{"prefill", "The prompt through the model, to the first token on the host."},
          {"decode",
           "One token at a time through the model and its key-value cache, each to the "
           "host before the next."}};
}

GenerateLengths generate_lengths(const ResolvedCase& resolved, std::int64_t context) {
  const std::int64_t made = resolved.integer("generate.new_tokens");
  return {.prompt_tokens = resolved.integer_or("generate.prompt_tokens", context - made),
          .new_tokens = made};
}

void check_generate(ResolvedCase& resolved, const RuleFacts&, RuleSink& sink) {
  if (!model::model_kind(resolved).generates) {
    sink.error("model.kind",
               formatted("{} has no key-value cache to generate with; these have one: {}",
                         resolved.text("model.kind"), generators()));
  }
  check_lengths(resolved, sink);
  if (resolved.flag_or("model.cuda_graph", false)) {
    sink.error("model.cuda_graph",
               "replays a step of fixed shapes; generation attends to one position more each time");
  }
  if (resolved.text("model.loss") != "cross_entropy") {
    sink.error("model.loss", "nothing is scored when text is made; leave it out");
  }
  // A token only counts for the user once it is on the host.
  resolved.options["schedule.sync"] = std::string("step");
}

Section step_section() {
  return {.name = "step",
          .doc =
              "A step of your own in Python. The file defines make(), which returns an object "
              "with step(self, record), or step(record) itself; they get the arguments under "
              "`python` that they take.",
          .selector = {},
          .options = {
              {.name = "path",
               .type = OptionType::kPath,
               .doc = "The Python file. Modules beside it can be imported.",
               .required = true,
               .identity = Identity::kContext,
               .must_exist = true},
              {.name = "id",
               .type = OptionType::kString,
               .doc = "A name for the step. Cases with different ids are different cases; the path "
                      "alone makes no difference."},
          }};
}

std::vector<Phase> python_step_phases() {
  return {{"clip_grad", "The user's code limits the gradient."},
          {"lr_scheduler", "The user's code sets the learning rate."},
          {"ema", "The user's code averages weights."},
          {"metrics", "The user's code computes metrics or writes logs."},
          {"checkpoint", "The user's code writes the state of training."}};
}

std::vector<Metric> python_step_metrics() {
  std::vector<Metric> metrics = model::model_metrics();
  for (Metric& metric : loader::loader_metrics()) {
    if (std::string_view(metric.name).starts_with("python_")) metrics.push_back(std::move(metric));
  }
  return metrics;
}

using std::string_literals::operator""s;

Section script_section() {
  return {
      .name = "script",
      .doc = "A Python script with a loop over measure(), see tools/examples/python.",
      .elsewhere = {{"interpreter", "give it as --interpreter PATH"},
                    {"python", "give its Python as --interpreter PATH"}},
      .options = {
          {.name = "path",
           .type = OptionType::kPath,
           .doc = "The script, seen from the current folder.",
           .required = true,
           .identity = Identity::kContext,
           .must_exist = true},
          {.name = "args",
           .doc = "Its arguments, as a shell would split them; sweepable.",
           .default_value = ""s,
           .identity_default = ""s,
           .also_called = {"argv", "arguments"}},
          {.name = "loop",
           .doc = "The loop that is measured, by its name in measure(loader, name=...); "
                  "sweepable. Empty: the first one.",
           .default_value = ""s,
           .identity_default = ""s},
          {.name = "gc",
           .type = OptionType::kEnum,
           .doc = "Python's collector of garbage, when the loop begins: freeze lets it never again "
                  "look at what the script has made so far (gc.freeze), off stops it "
                  "(gc.disable); sweepable. Workers of a loader are forked with it.",
           .default_value = "default"s,
           .choices = {"default", "freeze", "off"},
           .identity_default = "default"s,
           .also_called = {"garbage_collector"}},
      }};
}

std::vector<Phase> script_phases() {
  return {{.name = "augment", .doc = "Changing a batch on the device or in the training process."},
          {.name = "metrics", .doc = "Computing and recording metrics."},
          {.name = "clip_grad", .doc = "Limiting the gradient."},
          {.name = "lr_scheduler", .doc = "Setting the learning rate."},
          {.name = "ema", .doc = "Averaging weights."},
          {.name = "checkpoint", .doc = "Writing the state of training."}};
}

std::vector<Metric> script_metrics() {
  const auto device_bytes = [](std::string name, std::string doc) {
    return Metric{.name = std::move(name),
                  .unit = "bytes",
                  .doc = std::move(doc),
                  .source = Source::kAllocator};
  };
  return {{.name = "gc_ns",
           .unit = "ns",
           .doc = "Time per step that Python's collector of garbage took; every thread of the "
                  "interpreter stands still meanwhile.",
           .source = Source::kHostClock},
          {.name = "gc_collections",
           .unit = "collections",
           .direction = Direction::kNeither,
           .doc = "Collections per step.",
           .source = Source::kCounted},
          device_bytes("peak_allocated_bytes",
                       "Most memory that tensors held at once in the last window."),
          device_bytes("peak_reserved_bytes",
                       "Most memory that the allocator held from the driver in the last window."),
          device_bytes("reserved_bytes",
                       "Memory that the allocator held from the driver after the last window.")};
}

void check_script(ResolvedCase& resolved, const RuleFacts&, RuleSink& sink) {
  if (std::filesystem::is_directory(resolved.text("script.path"))) {
    sink.error("script.path", "is a folder; expected a Python script");
  }
  // A script runs in its own process, where torch.profiler records.
  if (resolved.text_or("profile.ops", "none") == "native") {
    resolved.options["profile.ops"] = "kineto"s;
  }
  if (resolved.text_or("profile.counts", "none") != "none") {
    sink.error("profile.counts",
               "the instructions of a script are not counted; make its step one of `workload: "
               "python_step`");
  }
}

}  // namespace stepbench::step
