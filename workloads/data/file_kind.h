// SPDX-License-Identifier: Apache-2.0
// Guesses what a file is that could not be read as asked, for error messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/error.h"

namespace stepbench::data {

// What a file with this beginning is, by the magic numbers that other programs write: "gzip",
// "PNG", ...; empty when it is none of them.
[[nodiscard]] std::string_view file_kind(std::span<const std::byte> start);
// "; this looks like a gzip file", or nothing.
[[nodiscard]] std::string looks_like(std::span<const std::byte> start);

// "train.bin: offset 8: ..."
[[nodiscard]] ConfigError file_error(const std::string& path, std::uint64_t offset,
                                     const std::string& what);

}  // namespace stepbench::data
