// SPDX-License-Identifier: Apache-2.0
// The formats of `export`, each declared once. Read by the command line, its help, and other
// commands that write such files in addition to their output. Any thread.
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

// Contents of a file or URL to be exported.
enum class ExportSource : std::uint8_t { kRun, kVerdict, kNight, kHistory };
constexpr EnumNames<4> names_of(ExportSource) {
  return {"a run", "a verdict", "a night's verdict", "a history"};
}

// Folders and everything unrecognised count as a run: reading it reports the error.
[[nodiscard]] ExportSource export_source(const std::string& path);

struct ExportOptions {
  std::size_t max_series = kMaxSeries;  // for OpenMetrics
};

// A null writer means that the format does not support that source.
struct ExportFormat {
  std::string_view name;
  std::string_view ending;  // ending of file names; selects the first format that has it
  std::string_view use;     // programs that read it
  // If it throws, it does so before the first piece.
  void (*of_run)(const record::Results&, const ExportOptions&, const text::TextSink&) = nullptr;
  std::string (*of_verdict)(std::span<const compare::Comparison>, const ExportOptions&) = nullptr;
  std::string (*of_night)(const std::string& night_json, const ExportOptions&) = nullptr;
  std::string (*of_history)(const track::History&, const ExportOptions&) = nullptr;
};

[[nodiscard]] std::span<const ExportFormat> export_formats();
// nullptr if the name is unknown.
[[nodiscard]] const ExportFormat* export_format(std::string_view name);
// By the ending of a file name; null if no format has it.
[[nodiscard]] const ExportFormat* export_format_of_file(std::string_view file);

}  // namespace stepbench::report
