// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/make_dataset.h"

#include <string>

#include "harness/base/error.h"
#include "workloads/data/cifar_bin.h"
#include "workloads/data/jpeg_folder.h"
#include "workloads/data/mnist_idx.h"
#include "workloads/data/synthetic.h"
#include "workloads/data/synthetic_tokens.h"
#include "workloads/data/tensor_files.h"
#include "workloads/data/token_bin.h"
#include "workloads/data/web_dataset.h"

namespace stepbench {
namespace {

CostKind cost_kind(const std::string& name) {
  if (name == "sleep") return CostKind::kSleep;
  return name == "spin" ? CostKind::kSpin : CostKind::kNone;
}

CostDistribution distribution(const std::string& name) {
  if (name == "normal") return CostDistribution::kNormal;
  if (name == "exponential") return CostDistribution::kExponential;
  return name == "gamma" ? CostDistribution::kGamma : CostDistribution::kFixed;
}

DType stored_type(const std::string& name) {
  if (name == "uint8") return DType::kUInt8;
  if (name == "int32") return DType::kInt32;
  return name == "int64" ? DType::kInt64 : DType::kFloat32;
}

SyntheticOptions synthetic_options(const ResolvedCase& resolved) {
  SyntheticOptions options{.samples = resolved.integer("data.samples"),
                           .shape = {},
                           .classes = resolved.integer("data.classes"),
                           .fill = resolved.text("data.fill") == "all",
                           .cost = cost_kind(resolved.text("data.cost")),
                           .touch_bytes = resolved.integer("data.touch_bytes"),
                           .dtype = stored_type(resolved.text("data.dtype"))};
  if (resolved.has("data.features")) {
    options.shape = {resolved.integer("data.features")};
  } else {
    const std::int64_t size = resolved.integer("data.image_size");
    options.shape = {resolved.integer("data.channels"), size, size};
  }
  if (options.cost != CostKind::kNone) {
    options.cost_us = resolved.number("data.cost_us");
    options.distribution = distribution(resolved.text("data.cost_distribution"));
    options.cost_cv = resolved.number("data.cost_cv");
    options.straggler_share = resolved.number("data.straggler_share");
    options.straggler_us = resolved.number("data.straggler_us");
  }
  return options;
}

ByteImageOptions byte_images(const ResolvedCase& resolved) {
  return {.as_float = resolved.text("data.dtype") == "float32",
          .classes = resolved.has("data.classes") ? resolved.integer("data.classes") : 10,
          .skip_errors = resolved.text("data.on_error") == "skip"};
}

TokenBinOptions token_options(const ResolvedCase& resolved) {
  const std::string& header = resolved.text("data.header");
  return {.path = resolved.text("data.path"),
          .header = header == "none"    ? TokenHeader::kNone
                    : header == "llm.c" ? TokenHeader::kLlmC
                                        : TokenHeader::kAuto,
          .wide = resolved.text("data.token_type") == "uint32",
          .sequence_length = resolved.integer("data.sequence_length"),
          .vocabulary = resolved.integer("data.vocabulary"),
          .random = resolved.text("data.windows") == "random",
          .skip_errors = resolved.text("data.on_error") == "skip"};
}

TensorFileOptions tensor_files(const ResolvedCase& resolved) {
  return {.path = resolved.text("data.path"),
          .as_float = resolved.text("data.dtype") == "float32",
          .classes = resolved.has("data.classes") ? resolved.integer("data.classes") : 0,
          .skip_errors = resolved.text("data.on_error") == "skip"};
}

// Null: no kind that is read from files of numbers.
std::unique_ptr<Dataset> open_files(const std::string& kind, const ResolvedCase& resolved) {
  if (kind == "mnist_idx") {
    return open_mnist_idx(
        find_idx_files(resolved.text("data.path"), resolved.text("data.split") == "test"),
        byte_images(resolved));
  }
  if (kind == "cifar_bin") {
    const bool hundred = resolved.text("data.labels") == "cifar100";
    return open_cifar_bin(find_cifar_files(resolved.text("data.path"), hundred,
                                           resolved.text("data.split") == "test"),
                          hundred, byte_images(resolved));
  }
  if (kind == "token_bin") return std::make_unique<TokenBin>(token_options(resolved));
  if (kind == "safetensors") {
    return open_safetensors(
        {.common = tensor_files(resolved),
         .input = resolved.text("data.input"),
         .target = resolved.has("data.target") ? resolved.text("data.target") : ""});
  }
  if (kind == "raw_tensor") {
    return open_raw_tensor({.common = tensor_files(resolved),
                            .shape = parse_shape(resolved.text("data.shape")),
                            .stored = stored_type(resolved.text("data.stored"))});
  }
  if (kind == "webdataset") {
    return std::make_unique<WebDataset>(
        WebDatasetOptions{.path = resolved.text("data.path"),
                          .image = {.image_size = resolved.integer("data.image_size"),
                                    .augment = resolved.flag("data.augment"),
                                    .fast_decode = resolved.text("data.decode") == "fast"},
                          .classes = resolved.integer("data.classes"),
                          .shuffle_buffer = resolved.integer("data.shuffle_buffer"),
                          .skip_errors = resolved.text("data.on_error") == "skip"});
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Dataset> make_dataset(const ResolvedCase& resolved) {
  const std::string& kind = resolved.text("data.kind");
  if (kind == "synthetic") return std::make_unique<Synthetic>(synthetic_options(resolved));
  if (kind == "synthetic_tokens") {
    return std::make_unique<SyntheticTokens>(
        SyntheticTokensOptions{.samples = resolved.integer("data.samples"),
                               .sequence_length = resolved.integer("data.sequence_length"),
                               .vocabulary = resolved.integer("data.vocabulary")});
  }
  if (kind == "jpeg_folder") {
    return std::make_unique<JpegFolder>(
        JpegFolderOptions{.path = resolved.text("data.path"),
                          .image_size = resolved.integer("data.image_size"),
                          .augment = resolved.flag("data.augment"),
                          .fast_decode = resolved.text("data.decode") == "fast",
                          .skip_errors = resolved.text("data.on_error") == "skip"});
  }
  if (std::unique_ptr<Dataset> dataset = open_files(kind, resolved)) return dataset;
  throw ConfigError("data.kind", "'" + kind + "' is not a kind of data set");
}

}  // namespace stepbench
