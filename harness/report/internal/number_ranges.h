// SPDX-License-Identifier: Apache-2.0
// Merges sentences that differ only in their numbers: "step 3.2 ms" and "step 1.10 s" become "step
// 3.2 ms to 1.10 s". Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stepbench::report {

// Returns the sentence with its amounts removed; equal for sentences that differ only in amounts.
// Numbers within a word or a path, and identifiers ("line 7", "exit code 2"), are not amounts.
[[nodiscard]] std::string without_amounts(std::string_view sentence);

// Merges at least one sentence, all with the same without_amounts(), into one with the smallest and
// largest value of each amount. Intervals become their hull.
[[nodiscard]] std::string with_ranges(std::span<const std::string> alike);

}  // namespace stepbench::report
