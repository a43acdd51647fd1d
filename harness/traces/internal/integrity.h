// SPDX-License-Identifier: Apache-2.0
// Checks whether the numbers of a trace can be believed. Each check looks at one thing (the file,
// its lanes, its steps, its device rows) and adds notes, which are shown before any number. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/traces/internal/steps.h"
#include "harness/traces/internal/timeline.h"

namespace stepbench::traces {

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

}  // namespace stepbench::traces
