// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/data_kinds.h"

#include <algorithm>
#include <string>

#include "harness/base/error.h"
#include "workloads/data/formats/cifar_bin.h"
#include "workloads/data/formats/mnist_idx.h"
#include "workloads/data/formats/tensor_files.h"
#include "workloads/data/formats/token_bin.h"
#include "workloads/data/formats/web_dataset.h"
#include "workloads/data/generate/make_formats.h"
#include "workloads/data/generate/make_jpeg_folder.h"
#include "workloads/data/generate/make_webdataset.h"
#include "workloads/data/jpeg/jpeg_folder.h"
#include "workloads/data/python_parts.h"
#include "workloads/data/sample_lengths.h"
#include "workloads/data/synthetic/synthetic.h"
#include "workloads/data/synthetic/synthetic_tokens.h"

namespace stepbench::data {
namespace {

DataKind made(DataKind kind, const Maker& maker) {
  kind.maker = &maker;
  return kind;
}

// The catalogue's digest depends on this order: append new kinds.
std::vector<DataKind> table() {
  return {
      made(jpeg_folder_kind(), jpeg_folder_maker()),
      synthetic_kind(),
      synthetic_tokens_kind(),
      made(mnist_idx_kind(), mnist_idx_maker()),
      made(cifar_bin_kind(), cifar_bin_maker()),
      made(token_bin_kind(), token_bin_maker()),
      made(safetensors_kind(), safetensors_maker()),
      made(raw_tensor_kind(), raw_tensor_maker()),
      made(webdataset_kind(), webdataset_maker()),
      python_kind(),
  };
}

}  // namespace

const std::vector<DataKind>& data_kinds() {
  static const std::vector<DataKind> all = table();
  return all;
}

const DataKind& data_kind(std::string_view name) {
  for (const DataKind& kind : data_kinds()) {
    if (kind.variant.name == name) return kind;
  }
  throw ConfigError("data.kind", "unknown data kind '" + std::string(name) + "'");
}

const DataKind& data_kind(const ResolvedCase& resolved) {
  return data_kind(resolved.text("data.kind"));
}

std::unique_ptr<Dataset> make_dataset(const ResolvedCase& resolved, PythonParts* python) {
  const DataKind& kind = data_kind(resolved);
  if (kind.open != nullptr) return kind.open(resolved);
  if (python == nullptr) {
    throw ConfigError("data.kind", kind.variant.name + " is read only by stepbench-worker");
  }
  return python->open_dataset(resolved);
}

std::vector<const Maker*> makers() {
  std::vector<const Maker*> all;
  for (const DataKind& kind : data_kinds()) {
    if (kind.maker != nullptr) all.push_back(kind.maker);
  }
  return all;
}

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
               .choices = {},
               .also_called = {"format", "dataset"},
               .values_called = {{"image_folder", "jpeg_folder"},
                                 {"imagefolder", "jpeg_folder"},
                                 {"imagenet", "jpeg_folder"},
                                 {"cifar", "cifar_bin"},
                                 {"cifar10", "cifar_bin"},
                                 {"cifar100", "cifar_bin"},
                                 {"mnist", "mnist_idx"},
                                 {"wds", "webdataset"},
                                 {"fake_data", "synthetic"},
                                 {"random", "synthetic"}}},
              {.name = "id",
               .type = OptionType::kString,
               .doc = "A name for the content of the data set. Cases with different ids are "
                      "different cases; the path alone makes no difference."},
              {.name = "page_cache",
               .type = OptionType::kEnum,
               .doc = "State of the data set's files before the loader is made and before each "
                      "cycle of the schedule, its warm-up included. warm: read once. cold: "
                      "evicted, as far as no process has them mapped; what the warm-up and a pass "
                      "over the data read is warm again. What was reached is recorded. Unset: as "
                      "they are.",
               .choices = {"warm", "cold"}},
          },
      .variants = {},
  };
  for (const DataKind& kind : data_kinds()) {
    section.options[0].choices.push_back(kind.variant.name);
    section.variants.push_back(kind.variant);
  }
  return section;
}

void check_data(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (resolved.has("data.page_cache") && !resolved.has("data.path")) {
    if (!facts.swept) {
      sink.error("data.page_cache", "data.kind " + resolved.text("data.kind") + " reads no files");
    }
    resolved.options["data.page_cache"] = Value{};
  }
  check_lengths(resolved, facts, sink);
}

}  // namespace stepbench::data
