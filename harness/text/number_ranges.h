// SPDX-License-Identifier: Apache-2.0
// Sentences that differ in their numbers alone, said as one: "step 3.2 ms" and "step 1.10 s" are
// "step 3.2 ms to 1.10 s". Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stepbench::text {

// What is left of a sentence without its amounts: the same for those that differ in amounts alone.
// No amount is what is part of a word or a path, and what names a thing: "line 7", "exit code 2".
[[nodiscard]] std::string without_amounts(std::string_view sentence);

// All of one shape, as without_amounts() says, and at least one: the smallest and the largest of
// each amount. An interval becomes the one that holds all.
[[nodiscard]] std::string with_ranges(std::span<const std::string> alike);

}  // namespace stepbench::text
