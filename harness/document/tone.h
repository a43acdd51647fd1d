// SPDX-License-Identifier: Apache-2.0
// What a fact means to its reader, in every form the same: the colour of a terminal, the mark and
// the unseen word of a page.
#pragma once

#include <cstdint>

namespace stepbench::document {

// In the order in which they want to be seen.
enum class Tone : std::uint8_t { kDim, kPlain, kGood, kDoubt, kBad };

}  // namespace stepbench::document
