// SPDX-License-Identifier: Apache-2.0
#include "workloads/model/model_section.h"

#include <string>
#include <utility>

#include "harness/base/format.h"
#include "workloads/data/data_kinds.h"
#include "workloads/data/sample_lengths.h"
#include "workloads/model/model_kinds.h"

namespace stepbench::model {
Section model_section() {
  Section section{
      .name = "model",
      .doc = "The model and how a step drives it.",
      .selector = "kind",
      .options =
          {
              {.name = "kind",
               .type = OptionType::kEnum,
               .doc = "Architecture.",
               .required = true,
               .choices = {},
               .also_called = {"arch", "architecture", "backbone"},
               .values_called = {{"vit", "vit_b16"},
                                 {"vit_base", "vit_b16"},
                                 {"bert", "bert_base"},
                                 {"gpt2", "gpt"},
                                 {"jit", "torchscript"},
                                 {"aotinductor", "aoti"},
                                 {"pt2", "aoti"},
                                 {"nn_module", "python"}}},
              {.name = "size",
               .type = OptionType::kEnum,
               .doc = "standard: the published widths and depths. tiny: the same architecture at a "
                      "size that trains in milliseconds, for trying a configuration out.",
               .default_value = std::string{"standard"},
               .choices = {"standard", "tiny"},
               .identity_default = std::string{"standard"}},
              {.name = "precision",
               .type = OptionType::kEnum,
               .doc = "fp32; tf32: matrix products and convolutions on tensor cores with 10-bit "
                      "mantissas (CUDA); bf16 and fp16: autocast, where weights and gradients stay "
                      "fp32, and with fp16 the loss is scaled as torch.amp.GradScaler does. A CPU "
                      "without instructions for them computes both in software, many times slower.",
               .default_value = std::string{"fp32"},
               .choices = {"fp32", "tf32", "bf16", "fp16"},
               .identity_default = std::string{"fp32"},
               .also_called = {"amp", "autocast", "dtype", "mixed_precision"},
               .values_called = {{"float32", "fp32"},
                                 {"float", "fp32"},
                                 {"bfloat16", "bf16"},
                                 {"float16", "fp16"},
                                 {"half", "fp16"},
                                 {"32", "fp32"},
                                 {"32-true", "fp32"},
                                 {"16", "fp16"},
                                 {"16-mixed", "fp16"},
                                 {"bf16-mixed", "bf16"}}},
              {.name = "loss",
               .type = OptionType::kEnum,
               .doc = "cross_entropy: of every label or token. masked_cross_entropy: 15 % of the "
                      "tokens are hidden from the model, which is scored on them alone. mse and "
                      "bce: squared error, and binary cross entropy per class, against one-hot "
                      "labels.",
               .default_value = std::string{"cross_entropy"},
               .choices = {"cross_entropy", "masked_cross_entropy", "mse", "bce"},
               .identity_default = std::string{"cross_entropy"}},
              {.name = "accumulate",
               .type = OptionType::kInteger,
               .doc = "Micro-batches per optimizer step; their phases add up in one step. The loss "
                      "is divided by their number.",
               .unit = "batches",
               .default_value = std::int64_t{1},
               .min = 1,
               .max = 1 << 16,
               .identity_default = std::int64_t{1},
               .also_called = {"grad_accum", "gradient_accumulation_steps"}},
              {.name = "cuda_graph",
               .type = OptionType::kBool,
               .doc = "Capture the step once as a CUDA graph and replay it, which takes the host's "
                      "launches out of the step. Needs batches of one size (joined epochs, or "
                      "loader.drop_last) and an optimizer that counts on the device.",
               .default_value = false,
               .identity_default = false},
              {.name = "cudnn_benchmark",
               .type = OptionType::kBool,
               .doc = "Let cuDNN time its convolution algorithms for each new shape and keep the "
                      "fastest (torch.backends.cudnn.benchmark); the warm-up pays for it.",
               .default_value = false,
               .identity_default = false},
              {.name = "device_peak_flops",
               .type = OptionType::kNumber,
               .doc = "What the device can do at most in this precision; MFU is the achieved share "
                      "of it. Unset: from the data sheets of known GPUs.",
               .unit = "FLOP/s",
               .min = 1,
               .identity = Identity::kContext},
              {.name = "memory_format",
               .type = OptionType::kEnum,
               .doc = "Layout of images and convolution weights.",
               .default_value = std::string{"contiguous"},
               .choices = {"contiguous", "channels_last"},
               .identity_default = std::string{"contiguous"}},
              {.name = "activation_checkpointing",
               .type = OptionType::kBool,
               .doc = "Keep the input of each block alone (a transformer layer, a residual block) "
                      "and run the block again in the backward pass, as torch.utils.checkpoint "
                      "does: less memory for a longer step. Losses and gradients stay the same, "
                      "and FLOPs are those of the model. Of train_step.",
               .default_value = false,
               .identity_default = false,
               .also_called = {"gradient_checkpointing", "activation_checkpoint", "recompute",
                               "checkpoint_activations"}},
              {.name = "deterministic",
               .type = OptionType::kBool,
               .doc = "torch.use_deterministic_algorithms(True) with cuDNN's deterministic "
                      "algorithms: the same inputs give the same bits, at a price. New memory is "
                      "filled with NaN, and an operation that has no such algorithm fails the "
                      "case, with its name. On a GPU the environment needs "
                      "CUBLAS_WORKSPACE_CONFIG=:4096:8.",
               .default_value = false,
               .identity_default = false,
               .also_called = {"deterministic_algorithms", "use_deterministic_algorithms",
                               "cudnn_deterministic"}},
          },
      .variants = {},
  };
  for (const ModelKind& kind : model_kinds()) {
    section.options[0].choices.push_back(kind.variant.name);
    section.variants.push_back(kind.variant);
  }
  return section;
}

Section plugin_section() {
  return {.name = "plugin",
          .doc =
              "Options of the plug-in that model.path names, by name; sweepable as plugin.NAME. "
              "The plug-in declares them: a worker checks them when the plan is made.",
          .selector = {},
          .open = true};
}

namespace {

std::vector<Metric> allocator_metrics() {
  std::vector<Metric> metrics = {
      {.name = "peak_allocated_bytes",
       .unit = "bytes",
       .doc = "Most memory that tensors held at once in the last window."},
      {.name = "peak_reserved_bytes",
       .unit = "bytes",
       .doc = "Most memory that the allocator held from the driver in the last window."},
      {.name = "reserved_bytes",
       .unit = "bytes",
       .doc = "Memory that the allocator held from the driver after the last window."},
      {.name = "allocations_per_step",
       .unit = "",
       .role = Role::kContext,
       .direction = Direction::kNeither,
       .doc = "Blocks that tensors asked for, per step of the last window.",
       .exact = true},
      {.name = "device_allocations_per_step",
       .unit = "",
       .doc = "Calls of cudaMalloc per step of the last window; 0 in steady state.",
       .exact = true},
      {.name = "allocator_retries",
       .unit = "",
       .doc = "Times in the last window that cached memory was given back to satisfy a request."},
      {.name = "upload_device_ns",
       .unit = "ns",
       .doc = "A batch's copy to the device by the loader's pin thread (transfer.placement: "
              "pin_thread), on its own stream, by CUDA events. It runs beside the step, whose "
              "h2d_device_ns is the wait for what was still missing."},
  };
  const auto series = [&](const char* name, const char* unit, const char* doc) {
    metrics.push_back({.name = name,
                       .unit = unit,
                       .role = Role::kContext,
                       .direction = Direction::kNeither,
                       .doc = doc});
  };
  series("step_allocations", "", "Profiled: blocks that tensors asked for in the step.");
  series("step_device_allocations", "", "Profiled: calls of cudaMalloc in the step.");
  series("step_allocated_bytes", "bytes", "Profiled: memory that tensors held at the step's end.");
  series("step_reserved_bytes", "bytes",
         "Profiled: memory that the allocator held from the driver at the step's end.");
  series("step_peak_allocated_bytes", "bytes",
         "Profiled: most memory that tensors held at once in the step.");
  return metrics;
}

}  // namespace

std::vector<Metric> model_metrics() {
  std::vector<Metric> metrics;
  const auto add = [&](Source source, std::vector<Metric> own) {
    for (Metric& metric : read_from(source, std::move(own))) metrics.push_back(std::move(metric));
  };
  add(Source::kCounted,
      {{.name = "model_parameters",
        .unit = "",
        .role = Role::kContext,
        .direction = Direction::kNeither,
        .doc = "Trainable numbers in the model.",
        .exact = true},
       {.name = "model_flops_per_step",
        .unit = "FLOP",
        .role = Role::kContext,
        .direction = Direction::kNeither,
        .doc = "Operations of the model's matrix products, convolutions and attention in a step of "
               "full batches, forward and backward; counted after the last window.",
        .exact = true},
       {.name = "device_peak_flops",
        .unit = "FLOP/s",
        .role = Role::kContext,
        .direction = Direction::kNeither,
        .doc = "What the device can do at most in the model's precision."}});
  add(Source::kAllocator, allocator_metrics());
  return metrics;
}

namespace {

void check_cuda_graph(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (!resolved.flag("model.cuda_graph")) return;
  const auto refuse = [&](const char* option, const std::string& reason) {
    sink.error(option, "model.cuda_graph " + reason);
  };
  if (resolved.text("device") == "cpu") {
    const std::string reason = "a CUDA graph needs a CUDA device; the case runs on the CPU";
    facts.swept || facts.device_auto ? sink.skip(reason) : sink.error("model.cuda_graph", reason);
    return;
  }
  if (resolved.text("loader.epochs") == "separate" && !resolved.flag("loader.drop_last")) {
    refuse("loader.drop_last",
           "replays a step of one batch size; needs loader.drop_last: true or epochs: joined");
  }
  if (resolved.workload != "train_step") return;
  if (resolved.integer("model.accumulate") != 1) {
    refuse("model.accumulate", "captures one micro-batch per step; needs accumulate: 1");
  }
  if (resolved.text("model.precision") == "fp16") {
    refuse("model.precision",
           "cannot hold the scaled loss of fp16, whose overflow the host reads; use bf16");
  }
  if (resolved.text("optimizer.kind") != "sgd" &&
      resolved.text("optimizer.implementation") != "fused") {
    refuse("optimizer.implementation",
           "would freeze the step count that single and foreach keep on the host; use fused");
  }
}

std::string models_of_blocks() {
  std::string names;
  for (const ModelKind& kind : model_kinds()) {
    if (kind.has_blocks) names += (names.empty() ? "" : ", ") + kind.variant.name;
  }
  return names;
}

void check_recomputed(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (!resolved.flag_or("model.activation_checkpointing", false)) return;
  const auto refuse = [&](const std::string& reason) {
    const std::string text = "activation_checkpointing " + reason;
    facts.swept ? sink.skip(text) : sink.error("model.activation_checkpointing", text);
  };
  const ModelKind& kind = model_kind(resolved);
  const std::string& name = kind.variant.name;
  if (resolved.workload != "train_step") {
    refuse(formatted("runs blocks again in the backward pass, and {} has none; leave it out",
                     resolved.workload));
  } else if (kind.from_file()) {
    refuse("knows the blocks of built-in models alone; call torch.utils.checkpoint in the " +
           std::string(name == "python" ? "forward() of your model" : "model of your file"));
  } else if (!kind.has_blocks) {
    refuse(
        formatted("would save nothing of {}, which keeps the input of each layer and no more; "
                  "models of blocks are {}",
                  name, models_of_blocks()));
  } else if (resolved.flag("model.cuda_graph")) {
    refuse(
        "sets the generator of random numbers back in the backward pass, which a CUDA graph "
        "cannot record; leave one of the two out");
  }
}

void check_deterministic(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (!resolved.flag_or("model.deterministic", false) || !resolved.flag("model.cudnn_benchmark"))
    return;
  const std::string reason =
      "cudnn_benchmark takes the algorithm that was fastest in this launch, which deterministic "
      "forbids; leave one of the two out";
  facts.swept ? sink.skip(reason) : sink.error("model.deterministic", reason);
}

// Rejects options that do not work with samples of different lengths.
void check_padding(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (!data::lengths_differ(resolved)) return;
  const std::string& lengths = resolved.text("data.lengths");
  const auto refuse = [&](const std::string& reason) {
    const std::string text = formatted("lengths {}: {}", lengths, reason);
    facts.swept ? sink.skip(text) : sink.error("data.lengths", text);
  };
  if (resolved.workload == "generate") {
    refuse(
        "workload generate takes its prompts from the front of each sample; set "
        "generate.prompt_tokens in place of data.lengths");
  } else if (model_kind(resolved).sees_padding) {
    refuse(
        formatted("every position of {} sees all others, and nothing hides the padding from them; "
                  "use gpt, whose positions see earlier ones alone",
                  model_kind(resolved).variant.name));
  } else if (resolved.flag("model.cuda_graph")) {
    refuse("a CUDA graph replays batches of one shape; leave out model.cuda_graph");
  } else if (resolved.text("model.kind") == "aoti") {
    refuse("an aoti model was compiled for one shape");
  } else if (resolved.text_or("transfer.placement", "") == "upstream") {
    refuse("transfer.placement: upstream keeps samples of one length on the device");
  }
}

void check_loss(const ResolvedCase& resolved, RuleSink& sink) {
  const std::string& loss = resolved.text("model.loss");
  const ModelKind& kind = model_kind(resolved);
  const data::InputKind input = data::data_kind(resolved).input(resolved);
  const bool tokens = input == data::InputKind::kTokens;
  if (loss == "masked_cross_entropy") {
    if (kind.masked_loss && (!kind.from_file() || tokens || input == data::InputKind::kAny)) return;
    sink.error("model.loss", formatted("{} hides tokens and asks for them, which fits bert_base; "
                                       "{} with data.kind {} takes cross_entropy",
                                       loss, kind.variant.name, resolved.text("data.kind")));
  } else if (loss != "cross_entropy" && tokens) {
    sink.error("model.loss", loss +
                                 " compares every class of one label per sample; token sequences "
                                 "take cross_entropy or, with bert_base, masked_cross_entropy");
  }
}

// Rejects options that were fixed when the model was compiled.
void check_compiled_model(const ResolvedCase& resolved, RuleSink& sink) {
  if (resolved.text("model.kind") != "aoti") return;
  if (resolved.workload == "train_step") {
    sink.error("model.kind",
               "aoti is a compiled forward pass and has no backward: use workload: eval_step, or "
               "train the model as model.kind: python or plugin");
  }
  const std::string& precision = resolved.text("model.precision");
  if (precision == "bf16" || precision == "fp16") {
    sink.error("model.precision", precision +
                                      " is autocast, which a compiled model does not see: export "
                                      "it under torch.autocast, and leave model.precision out");
  }
}

}  // namespace

void check_model(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const ModelKind& kind = model_kind(resolved);
  const data::InputKind input = data::data_kind(resolved).input(resolved);
  const bool unknown = kind.from_file() || input == data::InputKind::kAny;
  const std::string need = unknown ? "" : kind.unmet_need(input, resolved);
  if (!need.empty()) {
    sink.error("model.kind",
               formatted("{} takes {}, which data.kind {} does not give with these options",
                         resolved.text("model.kind"), need, resolved.text("data.kind")));
  }
  const bool known_when_opened =
      data::data_kind(resolved).open == nullptr;  // a user's data set, when opened
  if (input == data::InputKind::kAny && !known_when_opened && !resolved.has("data.classes")) {
    sink.error("data.classes",
               formatted("data.kind {} does not tell how many classes (or tokens) there are, and a "
                         "model's output is sized by it; set data.classes",
                         resolved.text("data.kind")));
  }
  check_loss(resolved, sink);
  check_padding(resolved, facts, sink);
  check_compiled_model(resolved, sink);
  check_cuda_graph(resolved, facts, sink);
  check_recomputed(resolved, facts, sink);
  check_deterministic(resolved, facts, sink);
  if (resolved.text("model.precision") == "tf32" && resolved.text("device") == "cpu") {
    const std::string reason = "precision tf32 needs a CUDA device; the case runs on the CPU";
    facts.swept || facts.device_auto ? sink.skip(reason) : sink.error("model.precision", reason);
  }
  if (resolved.workload != "train_step" && resolved.integer("model.accumulate") != 1) {
    sink.error("model.accumulate",
               resolved.workload + " has no gradients to accumulate; leave it out");
  }
}

}  // namespace stepbench::model
