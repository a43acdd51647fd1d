// SPDX-License-Identifier: Apache-2.0
// Private to the integrity checks: the list that they append to. One thread.
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

// Calls and device rows: lost records, missing causes, impossible times.
void check_device_rows(const Timeline& timeline, IntegrityNotes& notes);
// Rows that overlap without nesting, and rows outside the recorded span.
void check_lanes(const Timeline& timeline, IntegrityNotes& notes);
void check_steps(const Timeline& timeline, const Steps& steps, IntegrityNotes& notes);
// Problems found by the reader, missing header values, and the analyses that these rule out.
void check_file(const Timeline& timeline, IntegrityNotes& notes);

}  // namespace stepbench::analyze
