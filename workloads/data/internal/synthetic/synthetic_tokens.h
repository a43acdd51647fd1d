// SPDX-License-Identifier: Apache-2.0
// data.kind synthetic_tokens: generated sequences of token ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/data/dataset.h"
#include "workloads/data/sample_lengths.h"

namespace stepbench::data {

struct SyntheticTokensOptions {
  std::int64_t samples = 1024;
  std::int64_t sequence_length = 128;
  std::int64_t vocabulary = 50257;
  std::optional<SampleLengths> lengths = {};  // nullopt: all have sequence_length
};

// Sequences of token ids as a function of (seed, index): `tokens`, and as `target` the token after
// each.
class SyntheticTokens final : public Dataset {
 public:
  explicit SyntheticTokens(SyntheticTokensOptions options);

  [[nodiscard]] std::int64_t size() const override { return options_.samples; }
  [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return fields_; }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override;
  [[nodiscard]] const SampleLengths* lengths() const override {
    return options_.lengths ? &*options_.lengths : nullptr;
  }
  void read(const SampleKey& key, SampleSlots out, Scratch& scratch, ReadCost& cost) const override;
  [[nodiscard]] std::int64_t classes() const override { return options_.vocabulary; }
  [[nodiscard]] std::string digest() const override;

 private:
  SyntheticTokensOptions options_;
  std::vector<FieldSpec> fields_;
};

// The row of data.kind.
[[nodiscard]] DataKind synthetic_tokens_kind();

}  // namespace stepbench::data
