// SPDX-License-Identifier: Apache-2.0
// Text form of pairs in a history: a single text, so that the state of hundreds is read quickly.
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/json/fields.h"

namespace stepbench::nights {

// Rounds to the stored precision, so that a pair is unchanged when read back.
[[nodiscard]] double rounded_pair(double pair);
[[nodiscard]] std::string pairs_text(const std::vector<double>& pairs);
// Throws json::LineError.
[[nodiscard]] std::vector<double> pairs_of_text(std::string_view text);

template <typename V>
void pairs_field(V& v, std::string_view name, auto& pairs) {
  std::string text;
  if constexpr (!V::kReads) text = pairs_text(pairs);
  v(name, text, json::kSparse);
  if constexpr (V::kReads) pairs = pairs_of_text(text);
}

}  // namespace stepbench::nights
