// SPDX-License-Identifier: Apache-2.0
// A result file, plain or gzip, read into memory for the parsers. Owns its bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

namespace stepbench {

// A whole file in memory, unpacked when it is gzip (by its first bytes, any number of members),
// followed by kPadding readable bytes, as the JSON parser wants it.
class Input {
 public:
  static constexpr std::size_t kPadding = 64;

  // Throws ConfigError naming the file when it cannot be read or unpacked.
  [[nodiscard]] static Input read(const std::filesystem::path& file);
  [[nodiscard]] std::string_view text() const { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(char* bytes) const;
  };
  using Bytes = std::unique_ptr<char[], Free>;
  static Bytes allocate(std::size_t size);
  static void grow(Bytes& bytes, std::size_t used, std::size_t size);
  void unpack(const std::filesystem::path& file);

  Bytes bytes_;
  std::size_t size_ = 0;
};

}  // namespace stepbench
