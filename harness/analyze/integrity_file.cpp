// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "harness/analyze/integrity_notes.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::analyze {
namespace {

void check_reading(const trace::ReadingFacts& reading, IntegrityNotes& notes) {
  if (reading.damaged()) {
    const std::int64_t places = reading.control_characters + reading.bare_words +
                                reading.bad_escapes + reading.invalid_utf8 + reading.text_times;
    notes.add(IntegrityLevel::kWarning, "damaged_text",
              "invalid JSON: " + text::counted(places, "place") +
                  " read as probably meant, the first at byte " +
                  text::with_separators(static_cast<std::int64_t>(reading.first_damage_at_byte)),
              places);
  }
  if (reading.duplicate_headers > 0) {
    notes.add(IntegrityLevel::kWarning, "duplicate_headers",
              text::counted(reading.duplicate_headers, "key") +
                  " of the file appear twice, as if two traces were written into one file",
              reading.duplicate_headers);
  }
  std::int64_t ignored = 0;
  for (const trace::IgnoredRows& rows : reading.ignored) ignored += rows.count;
  if (ignored > 0) {
    constexpr std::size_t kMaxShown = 3;
    std::vector<std::string> what;
    for (std::size_t i = 0; i < std::min(kMaxShown, reading.ignored.size()); ++i) {
      what.push_back(text::printable(reading.ignored[i].what) + " (" +
                     text::with_separators(reading.ignored[i].count) + ")");
    }
    if (reading.ignored.size() > kMaxShown) {
      what.push_back(text::counted(std::ssize(reading.ignored) - std::ssize(what), "other kind"));
    }
    notes.add(IntegrityLevel::kNote, "ignored_rows",
              text::counted(ignored, "row") + " ignored: " + text::join_and(what), ignored,
              reading.rows);
  }
}

// Lost records lower the confidence. Of other errors, such as a missing GPU, one is reported.
void check_log_lines(const trace::Trace& trace, IntegrityNotes& notes) {
  constexpr std::array<std::string_view, 4> kLosses = {"lost", "dropped", "overflow", "exceeded"};
  const auto loses = [&](const std::string& line) {
    return std::any_of(kLosses.begin(), kLosses.end(),
                       [&](std::string_view word) { return line.find(word) != std::string::npos; });
  };
  const auto fails = [](const std::string& line) { return line.starts_with("ERROR"); };
  const std::vector<std::string>& lines = trace.log_lines;
  const auto loss = std::find_if(lines.begin(), lines.end(), loses);
  const auto error = std::find_if(lines.begin(), lines.end(), fails);
  const auto shown = loss != lines.end() ? loss : error;
  if (shown == lines.end()) return;
  constexpr std::size_t kMaxLength = 160;
  notes.add(loss != lines.end() ? IntegrityLevel::kWarning : IntegrityLevel::kNote, "profiler_log",
            "the profiler reported: " + text::printable(shown->substr(0, kMaxLength)));
}

void check_resolution(const trace::Trace& trace, IntegrityNotes& notes) {
  if (trace.resolution_ns > 1 && trace.reading.rows > 0) {
    notes.add(IntegrityLevel::kNote, "whole_microseconds",
              "times are whole microseconds: each edge is uncertain by 1 us, and " +
                  text::counted(trace.reading.zero_durations, "row") + " have no length",
              trace.reading.zero_durations);
  }
}

// In files of 2022 and 2023 a device row's external id repeats its correlation id and names no op.
void check_external_ids(const Timeline& timeline, IntegrityNotes& notes) {
  std::int64_t with_id = 0;
  std::int64_t same = 0;
  for (const WorkRow& row : timeline.work) {
    if (row.event->external == 0) continue;
    ++with_id;
    if (row.event->external == row.event->correlation) ++same;
  }
  if (with_id > 1 && same == with_id) {
    notes.add(
        IntegrityLevel::kNote, "external_ids_unused",
        "external ids equal the correlation ids and name no op: calls are matched to ops by time");
  }
}

void check_header(const Timeline& timeline, IntegrityNotes& notes) {
  const trace::Trace& trace = *timeline.trace;
  if (!timeline.work.empty() && trace.devices.empty()) {
    notes.add(
        IntegrityLevel::kNote, "no_device_properties",
        "the file does not name the device: its memory and its tensor cores cannot be judged");
  }
  if (!trace.rank && !trace.reading.path.empty()) {
    notes.add(IntegrityLevel::kNote, "no_rank", "the file has no rank: taken as rank 0");
  }
}

void check_copies(const Timeline& timeline, IntegrityNotes& notes) {
  const bool copies = std::ranges::any_of(timeline.work, is_copy);
  const bool bytes = std::ranges::any_of(
      timeline.work, [](const WorkRow& row) { return is_copy(row) && row.event->value >= 0; });
  if (!copies || bytes) return;
  notes.add(IntegrityLevel::kNote, "copies_without_bytes", "copies have no sizes");
}

}  // namespace

void check_file(const Timeline& timeline, IntegrityNotes& notes) {
  check_reading(timeline.trace->reading, notes);
  check_log_lines(*timeline.trace, notes);
  check_resolution(*timeline.trace, notes);
  check_external_ids(timeline, notes);
  check_header(timeline, notes);
  check_copies(timeline, notes);
}

}  // namespace stepbench::analyze
