// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue/sections.h"

namespace stepbench {
namespace {

Variant mlp() {
  return {.name = "mlp",
          .doc =
              "Fully connected layers with relu over the flattened sample; takes any data with a "
              "class label.",
          .options = {
              {.name = "hidden",
               .type = OptionType::kInteger,
               .doc = "Width of the hidden layers. Unset: 1024, or 32 with size: tiny.",
               .unit = "features",
               .min = 1,
               .max = 1 << 20},
              {.name = "layers",
               .type = OptionType::kInteger,
               .doc = "Hidden layers. Unset: 3, or 1 with size: tiny.",
               .min = 1,
               .max = 1000},
          }};
}

Variant gpt() {
  return {.name = "gpt",
          .doc =
              "Decoder of GPT-2 as in nanoGPT, with tied embeddings; standard is the 124M model. "
              "Takes token "
              "sequences.",
          .options = {
              {.name = "blocks",
               .type = OptionType::kInteger,
               .doc = "Transformer blocks. Unset: 12, or 2 with size: tiny.",
               .min = 1,
               .max = 1000},
          }};
}

std::vector<Option> own_model_options(std::string path_doc) {
  return {{.name = "path",
           .type = OptionType::kPath,
           .doc = std::move(path_doc),
           .required = true,
           .identity = Identity::kContext,
           .must_exist = true},
          {.name = "id",
           .type = OptionType::kString,
           .doc = "A name for the model. Cases with different ids are different cases; the path "
                  "alone makes no difference."}};
}

Variant torchscript() {
  return {.name = "torchscript",
          .doc =
              "A model of your own, saved by torch.jit.script or torch.jit.trace and trained as "
              "it is. Takes one tensor, gives logits. Legacy: PyTorch deprecates TorchScript.",
          .options = own_model_options("File that torch.jit.script(model).save() wrote.")};
}

Variant plugin() {
  return {.name = "plugin",
          .doc =
              "A model of your own in a shared library built against the installed package; see "
              "workloads/model/plugin.h. Its options stand under `plugin`.",
          .options = own_model_options("The shared library. Only the worker loads it.")};
}

enum class Input : std::uint8_t { kImage, kVector, kTokens, kAny };

Input data_input(const ResolvedCase& resolved) {
  const std::string& kind = resolved.text("data.kind");
  if (kind == "synthetic_tokens" || kind == "token_bin") return Input::kTokens;
  if (kind == "safetensors" || kind == "raw_tensor") return Input::kAny;  // the files tell
  if (kind == "mnist_idx") return Input::kVector;                         // one channel
  if (kind != "synthetic") return Input::kImage;
  return !resolved.has("data.features") && resolved.integer("data.channels") == 3 ? Input::kImage
                                                                                  : Input::kVector;
}

// A model from a file: what it takes is found out when it is set up.
bool is_own(const std::string& kind) { return kind == "torchscript" || kind == "plugin"; }

// Nothing when the model can take the data, else what it needs. The same is checked against the
// data set itself when the case is set up.
std::string unmet_need(const ResolvedCase& resolved) {
  const std::string& kind = resolved.text("model.kind");
  const Input input = data_input(resolved);
  if (is_own(kind) || input == Input::kAny) return "";
  if (kind == "mlp")
    return input == Input::kTokens ? "samples with one class label (data.kind: synthetic)" : "";
  if (kind == "gpt" || kind == "bert_base") {
    return input == Input::kTokens ? ""
                                   : "token sequences (data.kind: synthetic_tokens or token_bin)";
  }
  if (input != Input::kImage)
    return "images of three channels (data.kind: jpeg_folder, webdataset, cifar_bin or synthetic)";
  if (kind == "vit_b16" && resolved.has("data.image_size") &&
      resolved.integer("data.image_size") % 16 != 0) {
    return "images whose size is a multiple of 16 (data.image_size: 224)";
  }
  return "";
}

}  // namespace

Section model_section() {
  return {
      .name = "model",
      .doc = "The model and how a step drives it.",
      .selector = "kind",
      .options =
          {
              {.name = "kind",
               .type = OptionType::kEnum,
               .doc = "Architecture.",
               .required = true,
               .choices = {"mlp", "resnet18", "resnet50", "vit_b16", "gpt", "bert_base",
                           "torchscript", "plugin"}},
              {.name = "size",
               .type = OptionType::kEnum,
               .doc = "standard: the published widths and depths. tiny: the same architecture at a "
                      "size that trains "
                      "in milliseconds, for trying a configuration out.",
               .default_value = std::string{"standard"},
               .choices = {"standard", "tiny"},
               .identity_default = std::string{"standard"}},
              {.name = "precision",
               .type = OptionType::kEnum,
               .doc = "fp32; tf32: matrix products and convolutions on tensor cores with 10-bit "
                      "mantissas (CUDA); bf16 "
                      "and fp16: autocast, where weights and gradients stay fp32, and with fp16 "
                      "the loss is scaled as "
                      "torch.amp.GradScaler does.",
               .default_value = std::string{"fp32"},
               .choices = {"fp32", "tf32", "bf16", "fp16"},
               .identity_default = std::string{"fp32"}},
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
                      "is divided by "
                      "their number.",
               .unit = "batches",
               .default_value = std::int64_t{1},
               .min = 1,
               .max = 1 << 16,
               .identity_default = std::int64_t{1}},
              {.name = "cuda_graph",
               .type = OptionType::kBool,
               .doc = "Capture the step once as a CUDA graph and replay it, which takes the host's "
                      "launches out of the step. Needs batches of one size (joined epochs, or "
                      "loader.drop_last) and "
                      "an optimizer that counts on the device.",
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
          },
      .variants =
          {
              mlp(),
              {.name = "resnet18",
               .doc = "Residual network of 18 layers, as torchvision's. Takes images."},
              {.name = "resnet50",
               .doc = "Residual network of 50 layers, as torchvision's. Takes images."},
              {.name = "vit_b16",
               .doc = "Vision transformer, base size with 16 x 16 patches, as torchvision's. Takes "
                      "square images whose "
                      "size is a multiple of 16."},
              gpt(),
              {.name = "bert_base",
               .doc = "BERT with its language head. Takes token sequences. It was published with "
                      "loss: masked_cross_entropy."},
              torchscript(),
              plugin(),
          },
  };
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

// Of torch's CUDA allocator.
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
  std::vector<Metric> metrics = loader_metrics();
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
           "cannot hold the scaled loss of fp16, whose overflow the host reads; "
           "use bf16");
  }
  if (resolved.text("optimizer.kind") != "sgd" &&
      resolved.text("optimizer.implementation") != "fused") {
    refuse("optimizer.implementation",
           "would freeze the step count that single and foreach keep on the host; use fused");
  }
}

void check_loss(const ResolvedCase& resolved, RuleSink& sink) {
  const std::string& loss = resolved.text("model.loss");
  const std::string& kind = resolved.text("model.kind");
  const Input input = data_input(resolved);
  const bool tokens = input == Input::kTokens;
  if (loss == "masked_cross_entropy") {
    if (kind == "bert_base" || (is_own(kind) && (tokens || input == Input::kAny))) return;
    sink.error("model.loss", loss + " hides tokens and asks for them, which fits bert_base; " +
                                 kind + " with data.kind " + resolved.text("data.kind") +
                                 " takes cross_entropy");
  } else if (loss != "cross_entropy" && tokens) {
    sink.error("model.loss", loss +
                                 " compares every class of one label per sample; token "
                                 "sequences take cross_entropy or, with bert_base, "
                                 "masked_cross_entropy");
  }
}

}  // namespace

void check_model(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const std::string need = unmet_need(resolved);
  if (!need.empty()) {
    sink.error("model.kind", resolved.text("model.kind") + " takes " + need + ", which data.kind " +
                                 resolved.text("data.kind") + " does not give with these options");
  }
  if (data_input(resolved) == Input::kAny && !resolved.has("data.classes")) {
    sink.error("data.classes", "data.kind " + resolved.text("data.kind") +
                                   " does not tell how many classes (or tokens) there are, and a "
                                   "model's output is sized by it; set data.classes");
  }
  check_loss(resolved, sink);
  check_cuda_graph(resolved, facts, sink);
  if (resolved.text("model.precision") == "tf32" && resolved.text("device") == "cpu") {
    const std::string reason = "precision tf32 needs a CUDA device; the case runs on the CPU";
    facts.swept || facts.device_auto ? sink.skip(reason) : sink.error("model.precision", reason);
  }
  if (resolved.workload == "eval_step" && resolved.integer("model.accumulate") != 1) {
    sink.error("model.accumulate", "an eval_step has no gradients to accumulate; leave it out");
  }
}

}  // namespace stepbench
