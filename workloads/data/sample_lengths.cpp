// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/sample_lengths.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "workloads/data/random.h"

namespace stepbench::data {
namespace {

constexpr std::uint32_t kLengthDraws = 11;  // Philox sequence, above those of the data sets
constexpr const char* kLengthsOption = "data.lengths";
constexpr const char* kFixedName = "fixed";
constexpr const char* kUniformName = "uniform";
constexpr std::int64_t kPaddingToken = 0;
constexpr std::int64_t kIgnoredTarget = -100;  // ignore_index of torch's cross_entropy

std::vector<std::int64_t> read_lengths(const ResolvedCase& resolved) {
  const std::string& path = resolved.text(kLengthsOption);
  const std::vector<double> numbers =
      read_numbers({.option = kLengthsOption,
                    .path = path,
                    .expected = "`fixed`, `uniform` or a text file with a length per sample"});
  const std::int64_t longest = resolved.integer("data.sequence_length");
  if (numbers.empty()) throw ConfigError(kLengthsOption, path + " holds no length");
  if (std::ssize(numbers) > resolved.integer_or("data.samples", std::ssize(numbers))) {
    throw ConfigError(kLengthsOption,
                      formatted("{} has {} lengths for {} samples: raise data.samples", path,
                                text::with_separators(std::ssize(numbers)),
                                text::with_separators(resolved.integer("data.samples"))));
  }
  std::vector<std::int64_t> lengths;
  lengths.reserve(numbers.size());
  for (const double number : numbers) {
    if (number >= 1 && number <= static_cast<double>(longest) && number == std::floor(number)) {
      lengths.push_back(static_cast<std::int64_t>(number));
      continue;
    }
    throw ConfigError(kLengthsOption,
                      formatted("number {} of {} is {}, expected a whole number of tokens from 1 "
                                "to {} (data.sequence_length)",
                                lengths.size(), path, text::short_number(number), longest));
  }
  return lengths;
}

}  // namespace

std::int64_t SampleLengths::of(std::int64_t index, std::uint64_t seed) const {
  if (!options_.listed.empty()) {
    return options_.listed[static_cast<std::size_t>(index) % options_.listed.size()];
  }
  Philox random(seed, static_cast<std::uint64_t>(index), kLengthDraws);
  const auto different = static_cast<std::uint64_t>(options_.longest - options_.shortest + 1);
  return options_.shortest + static_cast<std::int64_t>(random.below(different));
}

std::int64_t SampleLengths::padded(std::int64_t longest) const {
  if (!options_.pads_to_longest) return options_.longest;
  return (longest + options_.multiple_of - 1) / options_.multiple_of * options_.multiple_of;
}

std::string SampleLengths::digest() const {
  if (options_.listed.empty()) return formatted("uniform:{}", options_.shortest);
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const std::int64_t length : options_.listed) {
    hash = (hash ^ static_cast<std::uint64_t>(length)) * 0x100000001b3;
  }
  return formatted("{}:{}", options_.listed.size(), hash);
}

void put_padding(std::span<std::byte* const> sample, std::int64_t length, std::int64_t padded) {
  for (std::size_t field = 0; field < sample.size(); ++field) {
    const std::int64_t filler = field == 0 ? kPaddingToken : kIgnoredTarget;
    for (std::int64_t place = length; place < padded; ++place) {
      std::memcpy(sample[field] + static_cast<std::size_t>(place) * sizeof filler, &filler,
                  sizeof filler);
    }
  }
}

std::vector<Option> length_options() {
  const Requires different{.option = kLengthsOption,
                           .op = Requires::Op::kNotEqual,
                           .value = std::string{kFixedName},
                           .doc =
                               "needs samples of different lengths (lengths: uniform, or a "
                               "file)"};
  return {
      {.name = "lengths",
       .type = OptionType::kString,
       .doc = "How long samples are. fixed: sequence_length, all of them. uniform: drawn from "
              "(seed, index) between min_length and sequence_length, each as likely as any other. "
              "Otherwise a text file of lengths, as numpy.savetxt writes it: that of sample 0 "
              "first, and from the first again where samples are more. A batch is padded, and its "
              "padding counts neither as tokens nor in the loss.",
       .default_value = std::string{kFixedName},
       .identity_default = std::string{kFixedName}},
      {.name = "min_length",
       .type = OptionType::kInteger,
       .doc = "Tokens in the shortest sample.",
       .unit = "tokens",
       .default_value = std::int64_t{1},
       .min = 1,
       .max = 1 << 20,
       .identity_default = std::int64_t{1},
       .requires_ = Requires{.option = kLengthsOption,
                             .op = Requires::Op::kEqual,
                             .value = std::string{kUniformName},
                             .doc = "needs lengths that are drawn (lengths: uniform)"}},
      {.name = "padding",
       .type = OptionType::kEnum,
       .doc = "How long a batch is. longest: as its longest sample. max_length: sequence_length, "
              "all of them.",
       .default_value = std::string{"longest"},
       .choices = {"longest", "max_length"},
       .identity_default = std::string{"longest"},
       .requires_ = different},
      {.name = "pad_to_multiple_of",
       .type = OptionType::kInteger,
       .doc =
           "The length of a batch is the next multiple of this, as tensor cores want it (8, 64).",
       .unit = "tokens",
       .default_value = std::int64_t{1},
       .min = 1,
       .max = 1 << 20,
       .identity_default = std::int64_t{1},
       .requires_ = different},
  };
}

bool lengths_differ(const ResolvedCase& resolved) {
  return resolved.text_or(kLengthsOption, kFixedName) != kFixedName;
}

std::optional<SampleLengths> sample_lengths(const ResolvedCase& resolved) {
  if (!lengths_differ(resolved)) return std::nullopt;
  const bool drawn = resolved.text(kLengthsOption) == kUniformName;
  return SampleLengths({.shortest = resolved.integer_or("data.min_length", 1),
                        .longest = resolved.integer("data.sequence_length"),
                        .listed = drawn ? std::vector<std::int64_t>{} : read_lengths(resolved),
                        .pads_to_longest = resolved.text_or("data.padding", "longest") == "longest",
                        .multiple_of = resolved.integer_or("data.pad_to_multiple_of", 1)});
}

void check_lengths(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (!lengths_differ(resolved)) return;
  const auto refuse = [&](const char* option, const std::string& reason) {
    facts.swept ? sink.skip(reason) : sink.error(option, reason);
  };
  const std::int64_t longest = resolved.integer("data.sequence_length");
  const std::int64_t shortest = resolved.integer_or("data.min_length", 1);
  const std::int64_t multiple = resolved.integer_or("data.pad_to_multiple_of", 1);
  if (shortest > longest) {
    refuse(
        "data.min_length",
        formatted("min_length {} is more than sequence_length {}, the longest that a sample may be",
                  shortest, longest));
  } else if (longest % multiple != 0) {
    refuse("data.pad_to_multiple_of",
           formatted("sequence_length {} is not a multiple of pad_to_multiple_of {}: a batch would "
                     "be longer than the model takes",
                     longest, multiple));
  }
}

namespace {

bool separates(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ','; }

std::string line_of(const std::filesystem::path& file, std::string_view text, std::size_t at) {
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
  return formatted("{}: line {}", file.string(), line);
}

}  // namespace

std::vector<double> read_numbers(const NumberFile& file) {
  std::error_code ignored;
  const bool endless = std::filesystem::is_character_file(file.path, ignored);
  std::ifstream stream;
  if (!endless) stream.open(file.path, std::ios::binary);
  if (!stream.is_open()) {
    throw ConfigError(file.option,
                      formatted("cannot read {}; expected {}", file.path.string(), file.expected));
  }
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::vector<double> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (separates(text[at])) {
      ++at;
      continue;
    }
    const auto begin = text.begin() + static_cast<long>(at);
    const auto end = std::find_if(begin, text.end(), separates);
    double number = 0;
    const char* const last = text.data() + (end - text.begin());
    const auto [stop, error] = std::from_chars(text.data() + at, last, number);
    if (error != std::errc() || stop != last) {
      constexpr std::ptrdiff_t kShown = 40;
      throw ConfigError(file.option,
                        formatted("{}: expected a number, found '{}'", line_of(file.path, text, at),
                                  std::string(begin, begin + std::min(end - begin, kShown))));
    }
    numbers.push_back(number);
    at = static_cast<std::size_t>(end - text.begin());
  }
  return numbers;
}

}  // namespace stepbench::data
