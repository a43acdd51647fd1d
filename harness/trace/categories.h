// SPDX-License-Identifier: Apache-2.0
// What a row's category means: the names of 2021, those of today, and those of other devices. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/trace/name_facts.h"
#include "harness/trace/trace.h"

namespace stepbench::trace {

struct CategoryMeaning {
  enum class Use : std::uint8_t {
    kKept,
    kByName,     // "Operator" of 2021: operators and annotations alike
    kNotNeeded,  // arrows, counters: known, not kept
    kUnknown
  };
  Use use = Use::kUnknown;
  EventKind kind = EventKind::kOp;
};

// Compared without regard to case.
[[nodiscard]] CategoryMeaning meaning_of(std::string_view category);

// The kind of a row of this category and name: an operator of 2021 may be an annotation, a kernel
// of ROCm a copy.
[[nodiscard]] EventKind kind_of(const CategoryMeaning& category, const NameFacts& name);

}  // namespace stepbench::trace
