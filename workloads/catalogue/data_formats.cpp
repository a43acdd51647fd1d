// SPDX-License-Identifier: Apache-2.0
// Kinds of data sets that are read from files of numbers, and the options only they have.
#include "workloads/catalogue/data_formats.h"

#include <utility>

namespace stepbench {
namespace {

Option path_option(std::string doc) {
  return {.name = "path",
          .type = OptionType::kPath,
          .doc = std::move(doc),
          .required = true,
          .identity = Identity::kContext,
          .must_exist = true};
}

Option dtype_option(const std::string& otherwise) {
  return {.name = "dtype",
          .type = OptionType::kEnum,
          .doc =
              "Type of the tensor that the model gets. float32: converted, bytes divided by 255 "
              "as torchvision's ToTensor does. stored: as in the file, a plain copy.",
          .default_value = otherwise,
          .choices = {"float32", "stored"},
          .identity_default = otherwise};
}

Option split_option() {
  return {.name = "split",
          .type = OptionType::kEnum,
          .doc = "Which of the published files are read.",
          .default_value = std::string{"train"},
          .choices = {"train", "test"},
          .identity_default = std::string{"train"}};
}

Option classes_option(Value default_value, std::string doc) {
  return {.name = "classes",
          .type = OptionType::kInteger,
          .doc = std::move(doc),
          .default_value = default_value,
          .min = 1,
          .max = 1e9,
          .identity_default = default_value};
}

Variant mnist_idx() {
  return {.name = "mnist_idx",
          .doc =
              "The two idx files of MNIST, Fashion-MNIST or EMNIST, mapped. Fields: image (1, H, "
              "W), label int64.",
          .options = {path_option("Folder with train-images-idx3-ubyte and "
                                  "train-labels-idx1-ubyte, unpacked. `stepbench data make "
                                  "mnist_idx` makes one."),
                      split_option(), dtype_option("float32"),
                      classes_option(std::int64_t{10}, "Labels lie in 0 to classes - 1."),
                      on_error_option()}};
}

Variant cifar_bin() {
  return {.name = "cifar_bin",
          .doc =
              "The binary version of CIFAR-10 or CIFAR-100, mapped. Fields: image (3, 32, 32), "
              "label int64.",
          .options = {path_option("Folder with data_batch_1.bin to data_batch_5.bin or train.bin, "
                                  "or one such file. `stepbench data make cifar_bin` makes one."),
                      {.name = "labels",
                       .type = OptionType::kEnum,
                       .doc = "cifar10: one label byte per record. cifar100: a coarse and a fine "
                              "one, of which the fine one is used.",
                       .default_value = std::string{"cifar10"},
                       .choices = {"cifar10", "cifar100"},
                       .identity_default = std::string{"cifar10"}},
                      split_option(),
                      dtype_option("float32"),
                      on_error_option()}};
}

Variant token_bin() {
  return {
      .name = "token_bin",
      .doc =
          "Files of token ids as nanoGPT and llm.c write them, mapped. Fields: tokens int64, "
          "target int64, the token that follows each.",
      .options = {
          path_option("A file, or a folder whose .bin files are read in the order of their names. "
                      "`stepbench data make token_bin` makes one."),
          {.name = "header",
           .type = OptionType::kEnum,
           .doc = "auto: llm.c's header of 1024 bytes where its magic number stands, else none. "
                  "none: tokens from the first byte on (nanoGPT). llm.c: the header must be there.",
           .default_value = std::string{"auto"},
           .choices = {"auto", "none", "llm.c"},
           .identity_default = std::string{"auto"}},
          {.name = "token_type",
           .type = OptionType::kEnum,
           .doc = "Type of a token in a file without header; llm.c's header tells it.",
           .default_value = std::string{"uint16"},
           .choices = {"uint16", "uint32"},
           .identity_default = std::string{"uint16"}},
          {.name = "windows",
           .type = OptionType::kEnum,
           .doc = "sequential: window i starts at token i * sequence_length (llm.c). random: "
                  "anywhere, drawn from (seed, epoch, index) (nanoGPT), which reads all over the "
                  "file.",
           .default_value = std::string{"sequential"},
           .choices = {"sequential", "random"},
           .identity_default = std::string{"sequential"}},
          {.name = "sequence_length",
           .type = OptionType::kInteger,
           .doc = "Tokens in a sample.",
           .unit = "tokens",
           .default_value = std::int64_t{1024},
           .min = 1,
           .max = 1 << 20,
           .identity_default = std::int64_t{1024}},
          {.name = "vocabulary",
           .type = OptionType::kInteger,
           .doc = "Tokens must be smaller than this; what the model's embedding is sized for.",
           .unit = "tokens",
           .default_value = std::int64_t{50257},
           .min = 1,
           .max = 1 << 30,
           .identity_default = std::int64_t{50257}},
          on_error_option()}};
}

Variant safetensors() {
  const auto name_option = [](std::string name, std::string doc, std::string otherwise) {
    return Option{.name = std::move(name),
                  .type = OptionType::kString,
                  .doc = std::move(doc),
                  .default_value = otherwise,
                  .identity_default = otherwise};
  };
  return {.name = "safetensors",
          .doc =
              "Two tensors of a safetensors file, mapped; sample i is row i of both. Fields: "
              "input, target.",
          .options = {path_option("A file, or a folder with one .safetensors file. `stepbench data "
                                  "make safetensors` makes one."),
                      name_option("input", "Name of the tensor that the model gets.", "image"),
                      name_option("target", "Name of the tensor of classes. Empty: none.", "label"),
                      dtype_option("stored"),
                      classes_option(Value{},
                                     "Targets lie in 0 to classes - 1; what a model's "
                                     "output is sized for."),
                      on_error_option()}};
}

Variant raw_tensor() {
  return {
      .name = "raw_tensor",
      .doc =
          "Records of one shape, one after another without a header, mapped. Fields: input, and "
          "target int64 where there is a target.bin.",
      .options = {
          path_option("Folder with input.bin and, for training, target.bin (one int64 per record), "
                      "or a file. `stepbench data make raw_tensor` makes one."),
          {.name = "shape",
           .type = OptionType::kString,
           .doc = "Shape of one record, as 3x32x32.",
           .required = true,
           .pattern = "[1-9][0-9]{0,11}(x[1-9][0-9]{0,11}){0,7}"},
          {.name = "stored",
           .type = OptionType::kEnum,
           .doc = "Type of the numbers in the file, little-endian.",
           .default_value = std::string{"uint8"},
           .choices = {"uint8", "int32", "int64", "float32"},
           .identity_default = std::string{"uint8"}},
          dtype_option("stored"),
          classes_option(Value{},
                         "Targets lie in 0 to classes - 1; what a model's output is sized "
                         "for."),
          on_error_option()}};
}

Variant webdataset() {
  return {
      .name = "webdataset",
      .doc =
          "Tar shards of JPEG images as WebDataset reads them: consecutive entries with the same "
          "name are a sample, .jpg its image and .cls its class. An iterable data set: shards go "
          "round the ranks and those of a rank round its workers, each worker drops its own last "
          "batch, and loader.shuffle does not apply. Fields: image float32 (3, H, W), label int64.",
      .options = {
          path_option("Folder with .tar shards, or one of them. `stepbench data make webdataset` "
                      "makes one."),
          image_size_option(),
          augment_option(),
          decode_option(),
          classes_option(std::int64_t{1000},
                         "Classes lie in 0 to classes - 1; what a model's "
                         "output is sized for."),
          {.name = "shuffle_buffer",
           .type = OptionType::kInteger,
           .doc = "Samples that each worker holds and draws from at random. The order of the "
                  "shards is drawn anew in each epoch then, too. 0: as they stand in the shards.",
           .unit = "samples",
           .default_value = std::int64_t{0},
           .min = 0,
           .max = 1 << 24,
           .identity_default = std::int64_t{0}},
          on_error_option()}};
}

}  // namespace

Option on_error_option() {
  return {.name = "on_error",
          .type = OptionType::kEnum,
          .doc =
              "What an unreadable sample does. error: fails the case and names the file. skip: "
              "the next readable sample takes its place, and it is counted.",
          .default_value = std::string{"error"},
          .choices = {"error", "skip"},
          .identity_default = std::string{"error"}};
}

Option image_size_option() {
  return {.name = "image_size",
          .type = OptionType::kInteger,
          .doc = "Height and width of the image tensor that the model gets.",
          .unit = "px",
          .default_value = std::int64_t{224},
          .min = 1,
          .max = 8192,
          .identity_default = std::int64_t{224}};
}

Option augment_option() {
  return {.name = "augment",
          .type = OptionType::kBool,
          .doc =
              "true: random resized crop and horizontal flip, as in training. false: "
              "resize the shorter side "
              "to image_size * 256 / 224 and crop the centre, as in evaluation.",
          .default_value = true,
          .identity_default = true};
}

Option decode_option() {
  return {.name = "decode",
          .type = OptionType::kEnum,
          .doc =
              "exact: the pixels that Pillow decodes. fast: lets the JPEG decoder shrink "
              "by 2, 4 or 8 where "
              "the crop stays at least as large as the output.",
          .default_value = std::string{"exact"},
          .choices = {"exact", "fast"},
          .identity_default = std::string{"exact"}};
}

std::vector<Variant> data_format_variants() {
  return {mnist_idx(), cifar_bin(), token_bin(), safetensors(), raw_tensor(), webdataset()};
}

}  // namespace stepbench
