// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/make_dataset.h"

#include <string>

#include "harness/error.h"
#include "workloads/data/jpeg_folder.h"
#include "workloads/data/synthetic.h"
#include "workloads/data/synthetic_tokens.h"

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

SyntheticOptions synthetic_options(const ResolvedCase& resolved) {
  SyntheticOptions options{.samples = resolved.integer("data.samples"),
                           .shape = {},
                           .classes = resolved.integer("data.classes"),
                           .fill = resolved.text("data.fill") == "all",
                           .cost = cost_kind(resolved.text("data.cost")),
                           .touch_bytes = resolved.integer("data.touch_bytes")};
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
  }
  return options;
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
  throw ConfigError(
      "data.kind",
      "'" + kind + "' is not a kind of data set; known: jpeg_folder, synthetic, synthetic_tokens");
}

}  // namespace stepbench
