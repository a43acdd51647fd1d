// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/formats/token_bin.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <system_error>
#include <utility>

#include "harness/base/format.h"
#include "workloads/data/dataset.h"
#include "workloads/data/internal/mapped_file.h"
#include "workloads/data/internal/unreadable_files.h"
#include "workloads/data/random.h"

namespace stepbench::data {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kWindowDraws = 5;  // Philox sequence, above those of `synthetic*`

constexpr std::uint64_t kHeaderBytes = 256 * 4;
struct Magic {
  std::uint32_t magic;
  std::uint32_t version;
  bool wide;
};
constexpr Magic kMagics[] = {{20240520, 1, false}, {20240801, 7, true}};

const Magic* magic_of(std::span<const std::byte> bytes) {
  if (bytes.size() < 4) return nullptr;
  const auto first = load_little<std::uint32_t>(bytes.data());
  const auto* found = std::ranges::find(kMagics, first, &Magic::magic);
  return found == std::end(kMagics) ? nullptr : found;
}

std::vector<std::string> token_files(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path.string()};
  std::vector<std::string> files;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".bin") files.push_back(entry->path().string());
  }
  if (error) throw ConfigError(path.string(), "cannot be listed: " + error.message());
  if (files.empty()) throw ConfigError(path.string(), "holds no .bin file of tokens");
  std::ranges::sort(files);
  return files;
}

Variant token_bin_variant() {
  Variant variant{
      .name = "token_bin",
      .doc =
          "Files of token ids as nanoGPT and llm.c write them, mapped. Fields: tokens int64, "
          "target int64, the token that follows each.",
      .options = {
          path_option("A file, or a folder whose .bin files are read in the order of their names. "
                      "`stepbench data make token_bin` makes one."),
          {.name = "header",
           .type = OptionType::kEnum,
           .doc = "auto: llm.c's header of 1024 bytes where its magic number stands, else none. "
                  "none: tokens from the first byte on (nanoGPT). llm.c: the header must be there.",
           .default_value = std::string{"auto"},
           .choices = {"auto", "none", "llm.c"},
           .identity_default = std::string{"auto"}},
          {.name = "token_type",
           .type = OptionType::kEnum,
           .doc = "Type of a token in a file without header; llm.c's header tells it.",
           .default_value = std::string{"uint16"},
           .choices = {"uint16", "uint32"},
           .identity_default = std::string{"uint16"}},
          {.name = "windows",
           .type = OptionType::kEnum,
           .doc = "sequential: window i starts at token i * sequence_length (llm.c). random: "
                  "anywhere, drawn from (seed, epoch, index) (nanoGPT), which reads all over the "
                  "file.",
           .default_value = std::string{"sequential"},
           .choices = {"sequential", "random"},
           .identity_default = std::string{"sequential"}},
          {.name = "sequence_length",
           .type = OptionType::kInteger,
           .doc = "Tokens in a sample.",
           .unit = "tokens",
           .default_value = std::int64_t{1024},
           .min = 1,
           .max = 1 << 20,
           .identity_default = std::int64_t{1024}},
          {.name = "vocabulary",
           .type = OptionType::kInteger,
           .doc = "Tokens must be smaller than this; what the model's embedding is sized for.",
           .unit = "tokens",
           .default_value = std::int64_t{50257},
           .min = 1,
           .max = 1 << 30,
           .identity_default = std::int64_t{50257}},
          on_error_option()}};
  std::ranges::move(length_options(), std::back_inserter(variant.options));
  return variant;
}

TokenBinOptions token_bin_options(const ResolvedCase& resolved) {
  const std::string& header = resolved.text("data.header");
  return {.path = resolved.text("data.path"),
          .header = header == "none"    ? TokenHeader::kNone
                    : header == "llm.c" ? TokenHeader::kLlmC
                                        : TokenHeader::kAuto,
          .wide = resolved.text("data.token_type") == "uint32",
          .sequence_length = resolved.integer("data.sequence_length"),
          .vocabulary = resolved.integer("data.vocabulary"),
          .random = resolved.text("data.windows") == "random",
          .lengths = sample_lengths(resolved),
          .skip_errors = skips_errors(resolved)};
}

}  // namespace

TokenBin::TokenBin(TokenBinOptions options) : options_(std::move(options)) {
  const std::vector<std::int64_t> shape = {options_.sequence_length};
  fields_ = {{.name = "tokens", .shape = shape, .dtype = DType::kInt64},
             {.name = "target", .shape = shape, .dtype = DType::kInt64}};
  for (const std::string& path : token_files(options_.path)) {
    files_.push_back(open(path));
    size_ += (files_.back().tokens - 1) / options_.sequence_length;
    starts_ += files_.back().tokens - options_.sequence_length;
  }
}

TokenBin::File TokenBin::open(const std::string& path) const {
  File file{.mapped = std::make_unique<MappedFile>(path)};
  const std::span<const std::byte> bytes = file.mapped->bytes();
  const Magic* magic = magic_of(bytes);
  if (options_.header == TokenHeader::kLlmC && magic == nullptr) {
    throw file_error(path, 0,
                     "expected the magic number 20240520 or 20240801 of llm.c" + looks_like(bytes));
  }
  if (options_.header == TokenHeader::kNone || magic == nullptr) {
    if (options_.header == TokenHeader::kAuto && !file_kind(bytes).empty()) {
      throw file_error(
          path, 0,
          formatted("expected tokens{}. If they are tokens all the same, set data.header: none",
                    looks_like(bytes)));
    }
    file.wide = options_.wide;
  } else {
    if (bytes.size() < kHeaderBytes) {
      throw file_error(path, bytes.size(), "the file ends within llm.c's header of 1024 bytes");
    }
    const auto version = load_little<std::uint32_t>(bytes.data() + 4);
    if (version != magic->version) {
      throw file_error(path, 4,
                       formatted("expected version {}, found {}", magic->version, version));
    }
    file.wide = magic->wide;
    file.begin = kHeaderBytes;
  }
  const std::uint64_t token = file.wide ? 4 : 2;
  const std::uint64_t room = bytes.size() - file.begin;
  if (room % token != 0) {
    throw file_error(path, bytes.size(),
                     formatted("the last token has {} of {} bytes", room % token, token));
  }
  file.tokens = static_cast<std::int64_t>(room / token);
  if (file.begin > 0) {
    const auto announced = load_little<std::uint32_t>(bytes.data() + 8);
    if (announced != file.tokens) {
      throw file_error(
          path, 8,
          formatted("the header announces {} tokens, but {} follow it", announced, file.tokens));
    }
  }
  if (file.tokens <= options_.sequence_length) {
    throw ConfigError(path, formatted("has {} tokens; a window of {} (data.sequence_length) and "
                                      "the token after it do not fit",
                                      file.tokens, options_.sequence_length));
  }
  return file;
}

std::unique_ptr<Dataset::Scratch> TokenBin::make_scratch() const {
  return std::make_unique<Scratch>();
}

void TokenBin::read(const SampleKey& key, SampleSlots out, Scratch&, ReadCost& cost) const {
  const std::int64_t began = cost.clock != nullptr ? cost.clock->now_ns() : 0;
  // A replaced window keeps its own length: the batch is sized for it.
  const std::int64_t length =
      options_.lengths ? options_.lengths->of(key.index, key.seed) : options_.sequence_length;
  if (options_.skip_errors) {
    read_skipping(key, size_, cost, [&](const SampleKey& next) { read_one(next, length, out); });
  } else {
    read_one(key, length, out);
  }
  if (cost.clock != nullptr) cost.fetch_ns += cost.clock->now_ns() - began;
}

void TokenBin::read_one(const SampleKey& key, std::int64_t length, SampleSlots out) const {
  const std::int64_t window = options_.sequence_length;
  std::int64_t place = key.index;
  if (options_.random) {
    const auto stream = static_cast<std::uint64_t>(key.epoch) * static_cast<std::uint64_t>(size_) +
                        static_cast<std::uint64_t>(key.index);
    place = static_cast<std::int64_t>(
        Philox(key.seed, stream, kWindowDraws).below(static_cast<std::uint64_t>(starts_)));
  }
  const auto places = [&](const File& file) {
    return options_.random ? file.tokens - window : (file.tokens - 1) / window;
  };
  auto file = files_.begin();
  for (; place >= places(*file); ++file) place -= places(*file);
  const std::int64_t first = options_.random ? place : place * window;
  file->wide ? copy<std::uint32_t>(*file, first, length, out)
             : copy<std::uint16_t>(*file, first, length, out);
}

template <typename Token>
void TokenBin::copy(const File& file, std::int64_t first, std::int64_t tokens,
                    SampleSlots out) const {
  const std::byte* from =
      file.mapped->bytes().data() + file.begin + static_cast<std::uint64_t>(first) * sizeof(Token);
  const auto length = static_cast<std::size_t>(tokens);
  std::int64_t largest = 0;
  for (std::size_t i = 0; i <= length; ++i) {
    const auto token = static_cast<std::int64_t>(load_little<Token>(from + i * sizeof(Token)));
    largest = std::max(largest, token);
    if (i < length) std::memcpy(out[0] + i * sizeof token, &token, sizeof token);
    if (i > 0) std::memcpy(out[1] + (i - 1) * sizeof token, &token, sizeof token);
  }
  const auto offset = static_cast<std::uint64_t>(from - file.mapped->bytes().data());
  file.mapped->expect_whole(offset, (length + 1) * sizeof(Token));
  if (largest < options_.vocabulary) return;
  std::size_t i = 0;
  while (load_little<Token>(from + i * sizeof(Token)) < options_.vocabulary) ++i;
  throw file_error(file.mapped->path(), offset + i * sizeof(Token),
                   formatted("token {} is not below data.vocabulary {}",
                             load_little<Token>(from + i * sizeof(Token)), options_.vocabulary));
}

std::int64_t TokenBin::tokens() const {
  std::int64_t sum = 0;
  for (const File& file : files_) sum += file.tokens;
  return sum;
}

DatasetFacts TokenBin::facts() const {
  DatasetFacts facts;
  std::vector<std::string> paths;
  for (const File& file : files_) paths.push_back(file.mapped->path());
  if (auto note = missing_files_note(paths)) facts.notes.push_back(std::move(*note));
  return facts;
}

std::string TokenBin::digest() const {
  return formatted("token_bin:{}:{}:{}:{}{}", files_.size(), tokens(), options_.sequence_length,
                   options_.vocabulary,
                   options_.lengths ? formatted(":{}", options_.lengths->digest()) : "");
}

DataKind token_bin_kind() {
  return {.variant = token_bin_variant(),
          .input = [](const ResolvedCase&) { return InputKind::kTokens; },
          .open = [](const ResolvedCase& resolved) -> std::unique_ptr<Dataset> {
            return std::make_unique<TokenBin>(token_bin_options(resolved));
          }};
}

}  // namespace stepbench::data
