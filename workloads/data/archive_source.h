// SPDX-License-Identifier: Apache-2.0
// Where the bytes of an archive come from when it is no file.
#pragma once

#include <cstddef>
#include <span>

namespace stepbench::data {

class ArchiveSource {
 public:
  ArchiveSource() = default;
  ArchiveSource(const ArchiveSource&) = delete;
  ArchiveSource& operator=(const ArchiveSource&) = delete;
  virtual ~ArchiveSource() = default;

  // The next ones, valid until the next call; none at the end. Throws Error saying where they end.
  [[nodiscard]] virtual std::span<const std::byte> read() = 0;
};

}  // namespace stepbench::data
