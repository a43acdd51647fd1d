// SPDX-License-Identifier: Apache-2.0
// Samples of different lengths: the length of each, and its padding in a batch. And the reader of
// text files with a number per sample, for lengths and weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
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
  std::int64_t shortest = 1;  // uniform between shortest and longest
  std::int64_t longest = 1;
  // Lengths by index, repeated cyclically; empty: drawn.
  std::vector<std::int64_t> listed = {};
  bool pads_to_longest = true;   // of the batch; false: to `longest`
  std::int64_t multiple_of = 1;  // of padded lengths; must divide `longest`
};

// Any thread.
class SampleLengths {
 public:
  explicit SampleLengths(SampleLengthsOptions options) : options_(std::move(options)) {}

  // The length of a sample, a function of index and seed.
  [[nodiscard]] std::int64_t of(std::int64_t index, std::uint64_t seed) const;
  // Padded length of a batch whose longest sample has this length.
  [[nodiscard]] std::int64_t padded(std::int64_t longest) const;
  // Differs if the lengths differ.
  [[nodiscard]] std::string digest() const;

 private:
  SampleLengthsOptions options_;
};

// Writes the padding after a sample of `length` in a sequence of `padded`: token 0 in the first
// field, and the target that losses ignore in the others.
void put_padding(std::span<std::byte* const> sample, std::int64_t length, std::int64_t padded);

// Options of the token data kinds.
[[nodiscard]] std::vector<Option> length_options();
// nullopt: all samples have data.sequence_length. Throws ConfigError(data.lengths) for an
// unreadable file or invalid lengths.
[[nodiscard]] std::optional<SampleLengths> sample_lengths(const ResolvedCase& resolved);
[[nodiscard]] bool lengths_differ(const ResolvedCase& resolved);
// Rejects impossible lengths.
void check_lengths(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// Text files of numbers, one per sample, as numpy.savetxt writes them.

struct NumberFile {
  std::string option;  // that names the file: "loader.weights"
  std::filesystem::path path;
  std::string expected;  // "`balanced` or a text file with a weight per sample"
};

// Reads numbers separated by blanks, commas or newlines. Throws ConfigError naming the option, file
// and line.
[[nodiscard]] std::vector<double> read_numbers(const NumberFile& file);

}  // namespace stepbench::data
