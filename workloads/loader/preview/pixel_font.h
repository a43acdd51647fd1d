// SPDX-License-Identifier: Apache-2.0
// A font of 5 x 7 pixels for what stands below the pictures of a contact sheet. ASCII; any other
// byte is drawn as a question mark. Pure; any thread.
#pragma once

#include <string_view>

#include "workloads/loader/preview/picture.h"

namespace stepbench::loader {

inline constexpr int kGlyphWidth = 5;
inline constexpr int kGlyphHeight = 7;
inline constexpr int kGlyphAdvance = 6;  // from one glyph to the next

// Whether the pixel of a glyph is black; (0, 0) is at the top left.
[[nodiscard]] bool glyph_has(char character, int x, int y);

// Black, each pixel of a glyph `scale` pixels wide and high. What lies outside is cut off.
void draw_text(Picture& on, int left, int top, int scale, std::string_view text);

}  // namespace stepbench::loader
