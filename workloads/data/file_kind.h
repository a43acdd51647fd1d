// SPDX-License-Identifier: Apache-2.0
// Guesses the type of a file that could not be read, for error messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/error.h"

namespace stepbench::data {

// Returns the file type that these first bytes indicate, by common magic numbers: "gzip", "PNG",
// ...; empty: unknown.
[[nodiscard]] std::string_view file_kind(std::span<const std::byte> start);
// "; this looks like a gzip file", or empty.
[[nodiscard]] std::string looks_like(std::span<const std::byte> start);

// "train.bin: offset 8: ..."
[[nodiscard]] ConfigError file_error(const std::string& path, std::uint64_t offset,
                                     const std::string& what);

}  // namespace stepbench::data
