// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "workloads/catalogue/data_formats.h"
#include "workloads/catalogue/sections.h"

namespace stepbench {
namespace {

Variant jpeg_folder() {
  return {
      .name = "jpeg_folder",
      .doc =
          "JPEG files in one sub-folder per class, as torchvision's ImageFolder reads them: "
          "decoded as Pillow's "
          "convert(\"RGB\") does (EXIF rotation is not applied), cropped, resized, normalised with "
          "the ImageNet mean "
          "and deviation. Fields: image float32 (3, H, W), label int64.",
      .options =
          {
              {.name = "path",
               .type = OptionType::kPath,
               .doc = "Folder with one sub-folder per class. `stepbench data make jpeg_folder` "
                      "makes one.",
               .required = true,
               .identity = Identity::kContext,
               .must_exist = true},
              image_size_option(),
              augment_option(),
              decode_option(),
              on_error_option(),
          },
  };
}

Variant synthetic() {
  const Requires with_cost{.option = "data.cost",
                           .op = Requires::Op::kNotEqual,
                           .value = std::string{"none"},
                           .doc = "needs a cost per sample (cost: sleep or spin)"};
  return {
      .name = "synthetic",
      .doc =
          "Samples made from (seed, index) with a chosen size and cost, to separate the loader's "
          "own cost from "
          "that of real data. Fields: image float32, label int64.",
      .options =
          {
              {.name = "samples",
               .type = OptionType::kInteger,
               .doc = "Samples in the data set.",
               .unit = "samples",
               .default_value = std::int64_t{1024},
               .min = 1,
               .max = 1e12,
               .identity_default = std::int64_t{1024}},
              image_size_option(),
              {.name = "channels",
               .type = OptionType::kInteger,
               .doc = "Planes of the image tensor.",
               .default_value = std::int64_t{3},
               .min = 1,
               .max = 4096,
               .identity_default = std::int64_t{3}},
              {.name = "features",
               .type = OptionType::kInteger,
               .doc = "When set, a sample is a vector of this length in place of an image.",
               .min = 1,
               .max = 1e9},
              {.name = "classes",
               .type = OptionType::kInteger,
               .doc = "Labels are drawn from 0 to classes - 1.",
               .default_value = std::int64_t{10},
               .min = 1,
               .max = 1e9,
               .identity_default = std::int64_t{10}},
              {.name = "fill",
               .type = OptionType::kEnum,
               .doc = "all: every byte of a sample is written. label: the image memory is left as "
                      "it is and only the "
                      "label is written, which costs next to nothing.",
               .default_value = std::string{"all"},
               .choices = {"all", "label"},
               .identity_default = std::string{"all"}},
              {.name = "cost",
               .type = OptionType::kEnum,
               .doc = "What a sample costs beyond its bytes. sleep: waits, as remote storage does; "
                      "spin: computes, as "
                      "a decoder does (sleep hides that cores are scarce).",
               .default_value = std::string{"none"},
               .choices = {"none", "sleep", "spin"},
               .identity_default = std::string{"none"}},
              {.name = "cost_us",
               .type = OptionType::kNumber,
               .doc = "Mean cost of one sample.",
               .unit = "us",
               .default_value = 1000.0,
               .min = 0,
               .max = 60e6,
               .requires_ = with_cost},
              {.name = "cost_distribution",
               .type = OptionType::kEnum,
               .doc = "How the cost varies from sample to sample; drawn from (seed, index), so it "
                      "repeats exactly.",
               .default_value = std::string{"fixed"},
               .choices = {"fixed", "normal", "exponential", "gamma"},
               .identity_default = std::string{"fixed"},
               .requires_ = with_cost},
              {.name = "cost_cv",
               .type = OptionType::kNumber,
               .doc = "Standard deviation of the cost divided by its mean; for normal and gamma.",
               .default_value = 0.25,
               .min = 0.001,
               .max = 10,
               .requires_ = with_cost},
              {.name = "straggler_share",
               .type = OptionType::kNumber,
               .doc = "Share of the samples that cost straggler_us more; drawn from (seed, index). "
                      "A straggler holds up all later batches unless loader.in_order is false.",
               .default_value = 0.0,
               .min = 0,
               .max = 1,
               .identity_default = 0.0,
               .requires_ = with_cost},
              {.name = "straggler_us",
               .type = OptionType::kNumber,
               .doc = "What a straggler costs beyond its share of the distribution.",
               .unit = "us",
               .default_value = 0.0,
               .min = 0,
               .max = 60e6,
               .identity_default = 0.0,
               .requires_ = with_cost},
              {.name = "dtype",
               .type = OptionType::kEnum,
               .doc = "Type of the image: float32 in [-1, 1), or uint8, a quarter of the bytes.",
               .default_value = std::string{"float32"},
               .choices = {"float32", "uint8"},
               .identity_default = std::string{"float32"}},
              {.name = "touch_bytes",
               .type = OptionType::kInteger,
               .doc = "Extra memory that each sample reads, as a tokenizer table or a decoder's "
                      "buffers would: it "
                      "wears the caches.",
               .unit = "bytes",
               .default_value = std::int64_t{0},
               .min = 0,
               .max = 1e9,
               .identity_default = std::int64_t{0}},
          },
  };
}

Variant synthetic_tokens() {
  return {.name = "synthetic_tokens",
          .doc =
              "Sequences of token ids made from (seed, index), for language models. Fields: tokens "
              "int64, target "
              "int64, the token that follows each.",
          .options = {
              {.name = "samples",
               .type = OptionType::kInteger,
               .doc = "Samples in the data set.",
               .unit = "samples",
               .default_value = std::int64_t{1024},
               .min = 1,
               .max = 1e12,
               .identity_default = std::int64_t{1024}},
              {.name = "sequence_length",
               .type = OptionType::kInteger,
               .doc = "Tokens in a sample.",
               .unit = "tokens",
               .default_value = std::int64_t{128},
               .min = 1,
               .max = 1 << 20,
               .identity_default = std::int64_t{128}},
              {.name = "vocabulary",
               .type = OptionType::kInteger,
               .doc = "Different tokens. 50257 is GPT-2's number, 30522 BERT's.",
               .unit = "tokens",
               .default_value = std::int64_t{50257},
               .min = 1,
               .max = 1 << 30,
               .identity_default = std::int64_t{50257}},
          }};
}

}  // namespace

Section data_section() {
  Section section{
      .name = "data",
      .doc = "Where the samples come from and how one becomes a tensor.",
      .selector = "kind",
      .options =
          {
              {.name = "kind",
               .type = OptionType::kEnum,
               .doc = "The format of the data set.",
               .default_value = std::string{"synthetic"},
               .choices = {}},
              {.name = "id",
               .type = OptionType::kString,
               .doc = "A name for the content of the data set. Cases with different ids are "
                      "different cases; the path "
                      "alone makes no difference."},
              {.name = "page_cache",
               .type = OptionType::kEnum,
               .doc = "State of the data set's files before the loader is made and before each "
                      "cycle of the schedule, its warm-up included. warm: read once. cold: "
                      "evicted, as far as no process has them mapped; what the warm-up and a pass "
                      "over the data read is warm again. What was reached is recorded. Unset: as "
                      "they are.",
               .choices = {"warm", "cold"}},
          },
      .variants = {jpeg_folder(), synthetic(), synthetic_tokens()},
  };
  for (Variant& variant : data_format_variants()) section.variants.push_back(std::move(variant));
  for (const Variant& variant : section.variants) {
    section.options[0].choices.push_back(variant.name);
  }
  return section;
}

void check_data(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (!resolved.has("data.page_cache") || resolved.has("data.path")) return;
  if (!facts.swept) {
    sink.error("data.page_cache", "data.kind " + resolved.text("data.kind") + " reads no files");
  }
  resolved.options["data.page_cache"] = Value{};
}

}  // namespace stepbench
