// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/synthetic/synthetic_tokens.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "harness/base/format.h"
#include "workloads/data/dataset.h"
#include "workloads/data/random.h"

namespace stepbench::data {
namespace {

constexpr std::uint32_t kTokenDraws = 4;  // Philox sequence, above those of `synthetic`

Variant synthetic_tokens_variant() {
  Variant variant{
      .name = "synthetic_tokens",
      .doc =
          "Sequences of token ids made from (seed, index), for language models. Fields: tokens "
          "int64, target int64, the token that follows each.",
      .options = {
          samples_option(),
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
  std::ranges::move(length_options(), std::back_inserter(variant.options));
  return variant;
}

}  // namespace

SyntheticTokens::SyntheticTokens(SyntheticTokensOptions options) : options_(std::move(options)) {
  const std::vector<std::int64_t> shape = {options_.sequence_length};
  fields_ = {{.name = "tokens", .shape = shape, .dtype = DType::kInt64},
             {.name = "target", .shape = shape, .dtype = DType::kInt64}};
}

std::unique_ptr<Dataset::Scratch> SyntheticTokens::make_scratch() const {
  return std::make_unique<Scratch>();
}

void SyntheticTokens::read(const SampleKey& key, SampleSlots out, Scratch&, ReadCost& cost) const {
  const std::int64_t began = cost.clock != nullptr ? cost.clock->now_ns() : 0;
  Philox random(key.seed, static_cast<std::uint64_t>(key.index), kTokenDraws);
  const auto draw = [&] {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(options_.vocabulary)));
  };
  const auto put = [](std::byte* to, std::int64_t position, std::int64_t token) {
    std::memcpy(to + static_cast<std::size_t>(position) * sizeof token, &token, sizeof token);
  };
  std::int64_t token = draw();
  const std::int64_t length =
      options_.lengths ? options_.lengths->of(key.index, key.seed) : options_.sequence_length;
  for (std::int64_t i = 0; i < length; ++i) {
    put(out[0], i, token);
    token = draw();
    put(out[1], i, token);
  }
  if (cost.clock != nullptr) cost.decode_ns += cost.clock->now_ns() - began;
}

std::string SyntheticTokens::digest() const {
  return formatted("synthetic_tokens:{}:{}:{}{}", options_.samples, options_.sequence_length,
                   options_.vocabulary, options_.lengths ? ":" + options_.lengths->digest() : "");
}

DataKind synthetic_tokens_kind() {
  return {.variant = synthetic_tokens_variant(),
          .input = [](const ResolvedCase&) { return InputKind::kTokens; },
          .open = [](const ResolvedCase& resolved) -> std::unique_ptr<Dataset> {
            return std::make_unique<SyntheticTokens>(
                SyntheticTokensOptions{.samples = resolved.integer("data.samples"),
                                       .sequence_length = resolved.integer("data.sequence_length"),
                                       .vocabulary = resolved.integer("data.vocabulary"),
                                       .lengths = sample_lengths(resolved)});
          }};
}

}  // namespace stepbench::data
