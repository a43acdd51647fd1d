// SPDX-License-Identifier: Apache-2.0
// The formats in which `export` writes results for other programs, each declared once: the command
// line, its help and the files that other commands write besides their own output read this table.
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/enum_names.h"
#include "harness/compare/comparison.h"
#include "harness/record/reader.h"
#include "harness/report/exports.h"
#include "harness/track/history.h"

namespace stepbench::report {

// What a file or URL that is to be exported holds.
enum class ExportSource : std::uint8_t { kRun, kVerdict, kNight, kHistory };
constexpr EnumNames<4> names_of(ExportSource) {
  return {"a run", "a verdict", "a night's verdict", "a history"};
}

// A folder and whatever is not recognised is taken for a run: reading it says what is wrong.
[[nodiscard]] ExportSource export_source(const std::string& path);

struct ExportOptions {
  std::size_t max_series = kMaxSeries;  // of OpenMetrics
};

// Where a writer is null, the format has no place for what that source holds.
struct ExportFormat {
  std::string_view name;
  std::string_view ending;  // of a file's name; the first format that has it is meant by it
  std::string_view use;     // what reads it
  // Throws before the first piece.
  void (*of_run)(const record::Results&, const ExportOptions&, const text::TextSink&) = nullptr;
  std::string (*of_verdict)(std::span<const compare::Comparison>, const ExportOptions&) = nullptr;
  std::string (*of_night)(const std::string& night_json, const ExportOptions&) = nullptr;
  std::string (*of_history)(const track::History&, const ExportOptions&) = nullptr;
};

[[nodiscard]] std::span<const ExportFormat> export_formats();
// nullptr if the name is unknown.
[[nodiscard]] const ExportFormat* export_format(std::string_view name);
// By the ending of a file's name; null where no format has it.
[[nodiscard]] const ExportFormat* export_format_of_file(std::string_view file);

}  // namespace stepbench::report
