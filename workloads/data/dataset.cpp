// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/dataset.h"

#include <utility>

#include "harness/base/error.h"

namespace stepbench::data {

void IterableDataset::read(const SampleKey&, SampleSlots, Scratch&, ReadCost&) const {
  throw Error("an iterable data set has no sample by index");
}

Option path_option(std::string doc) {
  return {.name = "path",
          .type = OptionType::kPath,
          .doc = std::move(doc),
          .required = true,
          .identity = Identity::kContext,
          .must_exist = true,
          .also_called = {"root", "data_dir", "folder", "directory"}};
}

Option dtype_option(const std::string& otherwise) {
  return {.name = "dtype",
          .type = OptionType::kEnum,
          .doc =
              "Type of the tensor that the model gets. float32: converted, bytes divided by 255 as "
              "torchvision's ToTensor does. stored: as in the file, a plain copy.",
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

Option on_error_option() {
  return {.name = "on_error",
          .type = OptionType::kEnum,
          .doc =
              "What an unreadable sample does. error: fails the case and names the file. skip: the "
              "next readable sample takes its place, and it is counted.",
          .default_value = std::string{"error"},
          .choices = {"error", "skip"},
          .identity_default = std::string{"error"}};
}

Option samples_option() {
  return {.name = "samples",
          .type = OptionType::kInteger,
          .doc = "Samples in the data set.",
          .unit = "samples",
          .default_value = std::int64_t{1024},
          .min = 1,
          .max = 1e12,
          .identity_default = std::int64_t{1024}};
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
              "true: random resized crop and horizontal flip, as in training. false: resize the "
              "shorter side to image_size * 256 / 224 and crop the centre, as in evaluation.",
          .default_value = true,
          .identity_default = true};
}

Option decode_option() {
  return {.name = "decode",
          .type = OptionType::kEnum,
          .doc =
              "exact: the pixels that Pillow decodes. fast: lets the JPEG decoder shrink by 2, 4 "
              "or 8 where the crop stays at least as large as the output.",
          .default_value = std::string{"exact"},
          .choices = {"exact", "fast"},
          .identity_default = std::string{"exact"}};
}

Option jpeg_decoder_option() {
  return {.name = "jpeg_decoder",
          .type = OptionType::kEnum,
          .doc =
              "Who reads the Huffman codes of a JPEG file; all else is libjpeg-turbo's, and the "
              "pixels are the same. own: ours, for baseline files; it takes half the "
              "instructions. libjpeg: libjpeg-turbo's, as Pillow and torchvision have it.",
          .default_value = std::string{"own"},
          .choices = {"own", "libjpeg"},
          .identity_default = std::string{"own"}};
}

bool has_own_jpeg_decoder(const ResolvedCase& resolved) {
  return resolved.text_or("data.jpeg_decoder", "own") == "own";
}

bool skips_errors(const ResolvedCase& resolved) { return resolved.text("data.on_error") == "skip"; }

bool wants_floats(const ResolvedCase& resolved) { return resolved.text("data.dtype") == "float32"; }

}  // namespace stepbench::data
