// SPDX-License-Identifier: Apache-2.0
// Meaning of a row's category: the names of 2021, the current ones, and those of other devices.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/trace/name_facts.h"
#include "harness/trace/trace.h"

namespace stepbench::trace {

struct CategoryMeaning {
  enum class Use : std::uint8_t {
    kUsed,
    kByName,     // "Operator" of 2021: both operators and annotations
    kNotNeeded,  // arrows, counters: known but discarded
    kUnknown
  };
  Use use = Use::kUnknown;
  EventKind kind = EventKind::kOp;
};

// Case-insensitive.
[[nodiscard]] CategoryMeaning meaning_of(std::string_view category);

// Uses the name, too: an operator of 2021 may be an annotation, a ROCm kernel a copy.
[[nodiscard]] EventKind kind_of(const CategoryMeaning& category, const NameFacts& name);

}  // namespace stepbench::trace
