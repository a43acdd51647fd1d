// SPDX-License-Identifier: Apache-2.0
// Samples of different lengths: how long each is, and what stands behind it in a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::data {

struct SampleLengthsOptions {
  std::int64_t shortest = 1;  // between the two each length is as likely as any other
  std::int64_t longest = 1;
  // Those of the samples by index, and again from the first; empty: drawn.
  std::vector<std::int64_t> listed = {};
  bool pads_to_longest = true;   // of the batch; else every batch is `longest`
  std::int64_t multiple_of = 1;  // that batches are padded to; divides `longest`
};

// Any thread.
class SampleLengths {
 public:
  explicit SampleLengths(SampleLengthsOptions options) : options_(std::move(options)) {}

  // A function of both.
  [[nodiscard]] std::int64_t of(std::int64_t index, std::uint64_t seed) const;
  // Of a batch whose longest sample has this length.
  [[nodiscard]] std::int64_t padded(std::int64_t longest) const;
  // Tells lengths apart.
  [[nodiscard]] std::string digest() const;

 private:
  SampleLengthsOptions options_;
};

// Writes what stands behind a sample of `length` in a batch of sequences of `padded`: token 0 in
// the first field, and in the others the target that no loss counts.
void put_padding(std::span<std::byte* const> sample, std::int64_t length, std::int64_t padded);

// Of kinds of token data.
[[nodiscard]] std::vector<Option> length_options();
// nullopt: all have data.sequence_length. Throws ConfigError(data.lengths) for a file that cannot
// be read, or whose numbers are no lengths.
[[nodiscard]] std::optional<SampleLengths> sample_lengths(const ResolvedCase& resolved);
[[nodiscard]] bool lengths_differ(const ResolvedCase& resolved);
// Lengths that cannot be.
void check_lengths(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::data
