// SPDX-License-Identifier: Apache-2.0
// Small reads of /proc- and /sys-like files. Absent or unreadable is an expected answer: nullopt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::os {

[[nodiscard]] std::optional<std::string> read_text(const std::filesystem::path& file);
// As many of them as the file has, `most` at most: enough to tell what it is. Empty where it cannot
// be read.
[[nodiscard]] std::string first_bytes(const std::filesystem::path& file, std::size_t most);
// The first line, trimmed.
[[nodiscard]] std::optional<std::string> read_line(const std::filesystem::path& file);
[[nodiscard]] std::optional<std::int64_t> read_integer(const std::filesystem::path& file);

[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
// At spaces, tabs and line ends.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view text);
// "always [madvise] never": the bracketed one.
[[nodiscard]] std::optional<std::string> selected_word(std::string_view line);
// The value of the first line "name<sep>value", trimmed; sep is any of " \t:".
[[nodiscard]] std::optional<std::string_view> find_field(std::string_view text,
                                                         std::string_view name);

}  // namespace stepbench::os
