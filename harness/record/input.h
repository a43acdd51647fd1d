// SPDX-License-Identifier: Apache-2.0
// Reads a result file, plain or gzip, into memory for the parsers, and compresses texts to gzip.
// Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace stepbench::record {

// Four times the longest message of a worker, 16 MiB.
inline constexpr std::size_t kMaxResultLineBytes = std::size_t{64} << 20;

inline constexpr std::size_t kMaxNameBytes = std::size_t{64} << 10;  // case, run or column

// Limits that prevent exhausting memory. A result file of numbers compresses by a factor of 5 to
// 20.
struct InputLimits {
  std::size_t unpacked_ratio = 100;
  std::size_t unpacked_bytes = std::size_t{256} << 20;  // allowed at any ratio
  std::size_t line_bytes = kMaxResultLineBytes;         // packed file
  // Lines allowed in a packed file of any size that compresses more than results do.
  std::size_t packed_lines = 500'000;
  std::size_t piped_bytes = std::size_t{1} << 30;    // pipe
  std::size_t device_bytes = std::size_t{64} << 20;  // device, such as /dev/zero
};

// A whole file in memory, unpacked if it is gzip (detected by its first bytes, any number of
// members), followed by kPadding readable bytes for the JSON parser.
class Input {
 public:
  static constexpr std::size_t kPadding = 64;

  // Throws ConfigError naming the file if it cannot be read or unpacked, exceeds the limits, or
  // does not fit into memory.
  [[nodiscard]] static Input read(const std::filesystem::path& file,
                                  const InputLimits& limits = {});
  [[nodiscard]] std::string_view text() const { return {bytes_.get(), size_}; }
  // Releases the memory of the text's first bytes: they must not be read again.
  void forget(std::size_t bytes);

 private:
  struct Free {
    void operator()(char* bytes) const;
  };
  using Bytes = std::unique_ptr<char[], Free>;
  static Bytes allocate(std::size_t size);
  static void grow(Bytes& bytes, std::size_t used, std::size_t size);
  void fill(const std::filesystem::path& file, const InputLimits& limits);
  void unpack(const std::filesystem::path& file, const InputLimits& limits);

  Bytes bytes_;
  std::size_t size_ = 0;
  std::size_t forgotten_ = 0;
};

// One gzip member. `level`: 1 is fastest, 12 is smallest.
inline constexpr int kPackLevel = 9;
[[nodiscard]] std::string gzip_text(std::string_view text, int level = kPackLevel);

}  // namespace stepbench::record
