// SPDX-License-Identifier: Apache-2.0
#include "workloads/model/model_kinds.h"

#include <utility>

#include "harness/base/error.h"

namespace stepbench::model {
namespace {

Variant mlp_variant() {
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

Variant gpt_variant() {
  return {.name = "gpt",
          .doc =
              "Decoder of GPT-2 as in nanoGPT, with tied embeddings; standard is the 124M model. "
              "Takes token sequences.",
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

Variant torchscript_variant() {
  return {.name = "torchscript",
          .doc =
              "A model of your own, saved by torch.jit.script or torch.jit.trace and trained as it "
              "is. Takes one tensor, gives logits. Legacy: PyTorch deprecates TorchScript.",
          .options = own_model_options("File that torch.jit.script(model).save() wrote.")};
}

Variant plugin_variant() {
  return {.name = "plugin",
          .doc =
              "A model of your own in a shared library built against the installed package; see "
              "workloads/model/plugin.h. Its options stand under `plugin`.",
          .options = own_model_options("The shared library. Only the worker loads it.")};
}

Variant aoti_variant() {
  return {.name = "aoti",
          .doc =
              "A model of your own, compiled ahead of time by torch.export and AOTInductor in "
              "Python and run without Python, for eval_step. Takes one tensor, gives logits. "
              "Device, precision and shapes were fixed when it was exported.",
          .options = own_model_options(
              "File that torch._inductor.aoti_compile_and_package() wrote (model.pt2).")};
}

Variant python_variant() {
  return {.name = "python",
          .doc =
              "An nn.Module of your own, made by the function model() of a Python file and run "
              "inside this step. Its forward() takes one tensor and gives logits (or an object "
              "that has .logits). model() gets the arguments under `python` that it takes, and "
              "may take classes and input_shape.",
          .options = own_model_options("The Python file. Modules beside it can be imported.")};
}

std::string needs_labels(data::InputKind input, const ResolvedCase&) {
  return input == data::InputKind::kTokens ? "samples with one class label (data.kind: synthetic)"
                                           : "";
}

std::string needs_tokens(data::InputKind input, const ResolvedCase&) {
  return input == data::InputKind::kTokens
             ? ""
             : "token sequences (data.kind: synthetic_tokens or token_bin)";
}

std::string needs_images(data::InputKind input, const ResolvedCase&) {
  return input == data::InputKind::kImage
             ? ""
             : "images of three channels (data.kind: jpeg_folder, webdataset, cifar_bin or "
               "synthetic)";
}

std::string needs_patches(data::InputKind input, const ResolvedCase& resolved) {
  std::string need = needs_images(input, resolved);
  if (need.empty() && resolved.has("data.image_size") &&
      resolved.integer("data.image_size") % 16 != 0) {
    need = "images whose size is a multiple of 16 (data.image_size: 224)";
  }
  return need;
}

// The catalogue's digest depends on this order: append new models.
std::vector<ModelKind> table() {
  return {
      {.variant = mlp_variant(), .unmet_need = needs_labels},
      {.variant = {.name = "resnet18",
                   .doc = "Residual network of 18 layers, as torchvision's. Takes images."},
       .unmet_need = needs_images,
       .has_blocks = true},
      {.variant = {.name = "resnet50",
                   .doc = "Residual network of 50 layers, as torchvision's. Takes images."},
       .unmet_need = needs_images,
       .has_blocks = true},
      {.variant = {.name = "vit_b16",
                   .doc = "Vision transformer, base size with 16 x 16 patches, as torchvision's. "
                          "Takes square images whose size is a multiple of 16."},
       .unmet_need = needs_patches,
       .has_blocks = true},
      {.variant = gpt_variant(), .unmet_need = needs_tokens, .generates = true, .has_blocks = true},
      {.variant = {.name = "bert_base",
                   .doc = "BERT with its language head. Takes token sequences. It was published "
                          "with loss: masked_cross_entropy."},
       .unmet_need = needs_tokens,
       .masked_loss = true,
       .sees_padding = true,
       .has_blocks = true},
      {.variant = torchscript_variant(), .masked_loss = true},
      {.variant = plugin_variant(), .masked_loss = true},
      {.variant = aoti_variant(), .masked_loss = true},
      {.variant = python_variant(), .masked_loss = true},
  };
}

}  // namespace

const std::vector<ModelKind>& model_kinds() {
  static const std::vector<ModelKind> all = table();
  return all;
}

const ModelKind& model_kind(const ResolvedCase& resolved) {
  const std::string& name = resolved.text("model.kind");
  for (const ModelKind& kind : model_kinds()) {
    if (kind.variant.name == name) return kind;
  }
  throw ConfigError("model.kind", "unknown model '" + name + "'");
}

}  // namespace stepbench::model
