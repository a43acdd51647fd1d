// SPDX-License-Identifier: Apache-2.0
// Small reads of files such as those in /proc and /sys. Absent or unreadable files are expected:
// nullopt.
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
// Returns at most `most` bytes from the start, to identify a file type. Empty if unreadable.
[[nodiscard]] std::string first_bytes(const std::filesystem::path& file, std::size_t most);
// The first line, trimmed.
[[nodiscard]] std::optional<std::string> read_line(const std::filesystem::path& file);
[[nodiscard]] std::optional<std::int64_t> read_integer(const std::filesystem::path& file);

[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
// Splits at spaces, tabs and line ends.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view text);
// "always [madvise] never": the bracketed one.
[[nodiscard]] std::optional<std::string> selected_word(std::string_view line);
// The value of the first line "name<sep>value", trimmed; sep is any of " \t:".
[[nodiscard]] std::optional<std::string_view> find_field(std::string_view text,
                                                         std::string_view name);

}  // namespace stepbench::os
