// SPDX-License-Identifier: Apache-2.0
// Streams a text that may be too long to hold in memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace stepbench::text {

// Called with the pieces of a text in order, in the caller's thread. Pieces may end anywhere.
using TextSink = std::function<void(std::string_view piece)>;

inline constexpr std::size_t kTextPiece = std::size_t{1} << 20U;  // bytes worth a call

// Collects everything that `write` passes to its sink.
template <typename Write>
[[nodiscard]] std::string whole_text(const Write& write) {
  std::string text;
  write(TextSink([&](std::string_view piece) { text += piece; }));
  return text;
}

}  // namespace stepbench::text
