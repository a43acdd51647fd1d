// SPDX-License-Identifier: Apache-2.0
// Can the numbers of this trace be believed? Told before any of them. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/timeline.h"
#include "harness/base/enum_names.h"

namespace stepbench::analyze {

enum class IntegrityLevel : std::uint8_t {
  kNote,     // good to know
  kWarning,  // lowers the confidence in what rests on it
  kError     // numbers would lie: blocks comparisons and sets the exit status
};
constexpr EnumNames<3> names_of(IntegrityLevel) { return {"note", "warning", "error"}; }

struct IntegrityNote {
  std::string id = {};  // stable, for tools: "launches_without_record"
  IntegrityLevel level = IntegrityLevel::kNote;
  std::string text = {};   // one sentence; what it means for the numbers
  std::int64_t count = 0;  // of the rows it is about
  std::int64_t of = 0;     // out of how many; 0: not a share
};

// Errors first, then warnings, then notes.
[[nodiscard]] std::vector<IntegrityNote> check_integrity(const Timeline& timeline,
                                                         const Steps& steps);

// Is there an error among them?
[[nodiscard]] bool blocks_numbers(const std::vector<IntegrityNote>& notes);

}  // namespace stepbench::analyze
