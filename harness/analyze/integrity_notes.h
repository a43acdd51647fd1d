// SPDX-License-Identifier: Apache-2.0
// Private to the checks of integrity: what they add to. One thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/analyze/integrity.h"

namespace stepbench::analyze {

class IntegrityNotes {
 public:
  void add(IntegrityLevel level, std::string id, std::string text, std::int64_t count = 0,
           std::int64_t of = 0) {
    notes_.push_back({std::move(id), level, std::move(text), count, of});
  }
  [[nodiscard]] std::vector<IntegrityNote> take() { return std::move(notes_); }

 private:
  std::vector<IntegrityNote> notes_;
};

// Calls and device rows: what was lost, what has no cause, whose times cannot be.
void check_device_rows(const Timeline& timeline, IntegrityNotes& notes);
// Rows that overlap without nesting, rows outside the recorded span.
void check_lanes(const Timeline& timeline, IntegrityNotes& notes);
void check_steps(const Timeline& timeline, const Steps& steps, IntegrityNotes& notes);
// What the reader met, what the header lacks, which analyses that leaves out.
void check_file(const Timeline& timeline, IntegrityNotes& notes);

}  // namespace stepbench::analyze
