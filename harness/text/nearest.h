// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace stepbench {

// Edits (insert, delete, replace, swap of neighbours) that turn one text into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that was probably meant; empty when none is close. Among equals the first wins.
[[nodiscard]] std::string nearest(std::string_view name, std::span<const std::string> candidates);

// " (did you mean 'num_workers'?)", or empty.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       std::span<const std::string> candidates);

}  // namespace stepbench
