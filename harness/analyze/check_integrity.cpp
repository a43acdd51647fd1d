// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/integrity.h"

#include <algorithm>
#include <array>

#include "harness/analyze/integrity_notes.h"

namespace stepbench::analyze {

std::vector<IntegrityNote> check_integrity(const Timeline& timeline, const Steps& steps) {
  IntegrityNotes notes;
  check_device_rows(timeline, notes);
  check_steps(timeline, steps, notes);
  check_lanes(timeline, notes);
  check_file(timeline, notes);
  std::vector<IntegrityNote> all = notes.take();
  std::stable_sort(all.begin(), all.end(), [](const IntegrityNote& a, const IntegrityNote& b) {
    return a.level > b.level;
  });
  return all;
}

bool blocks_numbers(const std::vector<IntegrityNote>& notes) {
  return std::any_of(notes.begin(), notes.end(), [](const IntegrityNote& note) {
    return note.level == IntegrityLevel::kError;
  });
}

}  // namespace stepbench::analyze
