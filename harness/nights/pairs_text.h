// SPDX-License-Identifier: Apache-2.0
// Pairs as a history keeps them: one text, so that a state of hundreds is read at once. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/json/fields.h"

namespace stepbench::nights {

// To what is kept of a pair, so that it is the same when it is read back.
[[nodiscard]] double rounded_pair(double pair);
[[nodiscard]] std::string pairs_text(const std::vector<double>& pairs);
// Throws json::LineError.
[[nodiscard]] std::vector<double> pairs_of_text(std::string_view text);

// A field of them.
template <typename V>
void pairs_field(V& v, std::string_view name, auto& pairs) {
  std::string text;
  if constexpr (!V::kReads) text = pairs_text(pairs);
  v(name, text, json::kSparse);
  if constexpr (V::kReads) pairs = pairs_of_text(text);
}

}  // namespace stepbench::nights
