// SPDX-License-Identifier: Apache-2.0
// Checks whether a trace's numbers can be trusted. Reported before any of them. Pure; any thread.
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
  kNote,     // for information
  kWarning,  // lowers the confidence in numbers that depend on it
  kError     // numbers would be wrong: blocks comparisons and sets the exit status
};
constexpr EnumNames<3> names_of(IntegrityLevel) { return {"note", "warning", "error"}; }

struct IntegrityNote {
  std::string id = {};  // stable, for tools: "launches_without_record"
  IntegrityLevel level = IntegrityLevel::kNote;
  std::string text = {};   // one sentence: the consequence for the numbers
  std::int64_t count = 0;  // number of affected rows
  std::int64_t of = 0;     // total number of such rows; 0: not a share
};

// Errors first, then warnings, then notes.
[[nodiscard]] std::vector<IntegrityNote> check_integrity(const Timeline& timeline,
                                                         const Steps& steps);

// Returns whether any note is an error.
[[nodiscard]] bool blocks_numbers(const std::vector<IntegrityNote>& notes);

}  // namespace stepbench::analyze
