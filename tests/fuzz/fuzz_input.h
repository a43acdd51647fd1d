// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "workloads/data/dataset.h"

namespace stepbench::fuzz {

using Input = std::span<const std::uint8_t>;

// Bytes as a file without a disk.
class MemoryFile {
 public:
  explicit MemoryFile(Input bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] std::filesystem::path path() const;

 private:
  int fd_;
};

[[nodiscard]] inline std::string_view text_of(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

// Aborts unless `holds`: the input is then a finding.
void require(bool holds, const char* what);

// Opens a data set and reads its first samples. An Error is a valid result; anything else is not
// caught.
void read_samples(const std::function<std::unique_ptr<data::Dataset>()>& open);

// Two files of a set in one input: a little-endian u16 with the length of the first, then both.
struct TwoFiles {
  Input first, second;
};
[[nodiscard]] TwoFiles split(Input input);

}  // namespace stepbench::fuzz
