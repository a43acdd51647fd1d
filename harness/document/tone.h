// SPDX-License-Identifier: Apache-2.0
// What a fact means to its reader: the colour on a terminal; the mark and the screen-reader text on
// a page.
#pragma once

#include <cstdint>

namespace stepbench::document {

// In ascending order of urgency.
enum class Tone : std::uint8_t { kDim, kPlain, kGood, kDoubt, kBad };

}  // namespace stepbench::document
