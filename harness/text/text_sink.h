// SPDX-License-Identifier: Apache-2.0
// Where a text goes that may be too long to be held in memory as a whole.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace stepbench::text {

// Called with the pieces of a text in order, in the caller's thread. Pieces end anywhere.
using TextSink = std::function<void(std::string_view piece)>;

inline constexpr std::size_t kTextPiece = std::size_t{1} << 20U;  // bytes that are worth a call

// All that `write` gives to the sink it is called with.
template <typename Write>
[[nodiscard]] std::string whole_text(const Write& write) {
  std::string text;
  write(TextSink([&](std::string_view piece) { text += piece; }));
  return text;
}

}  // namespace stepbench::text
