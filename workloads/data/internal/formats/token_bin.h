// SPDX-License-Identifier: Apache-2.0
// data.kind token_bin: windows of mapped files of token ids.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/data/dataset.h"
#include "workloads/data/internal/mapped_file.h"
#include "workloads/data/sample_lengths.h"

namespace stepbench::data {

enum class TokenHeader : std::uint8_t { kAuto, kNone, kLlmC };

struct TokenBinOptions {
  std::filesystem::path path;  // a file, or a folder whose .bin files are read in name order
  TokenHeader header = TokenHeader::kAuto;
  bool wide = false;  // files without header have 32-bit tokens
  std::int64_t sequence_length = 1024;
  std::int64_t vocabulary = 50257;
  bool random = false;  // windows at offsets drawn from (seed, epoch, index); false: consecutive
  std::optional<SampleLengths> lengths = {};  // part used of each window; nullopt: all of it
  bool skip_errors = false;
};

// Windows of mapped token files: nanoGPT's (just 16-bit tokens) and llm.c's (a header of 256 x
// int32: 20240520, version 1, count, then 16-bit tokens; or 20240801, version 7, 32-bit). A sample
// is `tokens` and, as `target`, the token after each. Windows do not cross files.
class TokenBin final : public Dataset {
 public:
  // Throws ConfigError naming file and offset.
  explicit TokenBin(TokenBinOptions options);

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return fields_; }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override;
  [[nodiscard]] const SampleLengths* lengths() const override {
    return options_.lengths ? &*options_.lengths : nullptr;
  }
  void read(const SampleKey& key, SampleSlots out, Scratch& scratch, ReadCost& cost) const override;
  [[nodiscard]] std::int64_t classes() const override { return options_.vocabulary; }
  void release_pages() const override {
    for (const File& file : files_) file.mapped->release_pages();
  }
  [[nodiscard]] DatasetFacts facts() const override;
  [[nodiscard]] std::string digest() const override;
  [[nodiscard]] std::int64_t tokens() const;  // total of all files

 private:
  struct File {
    std::unique_ptr<MappedFile> mapped;
    std::uint64_t begin = 0;  // offset of the tokens
    bool wide = false;
    std::int64_t tokens = 0;
  };
  [[nodiscard]] File open(const std::string& path) const;
  void read_one(const SampleKey& key, std::int64_t length, SampleSlots out) const;
  template <typename Token>
  void copy(const File& file, std::int64_t first, std::int64_t tokens, SampleSlots out) const;

  TokenBinOptions options_;
  std::vector<File> files_;
  std::vector<FieldSpec> fields_;
  std::int64_t size_ = 0;    // number of consecutive windows
  std::int64_t starts_ = 0;  // number of possible window offsets
};

// The row of data.kind.
[[nodiscard]] DataKind token_bin_kind();

}  // namespace stepbench::data
