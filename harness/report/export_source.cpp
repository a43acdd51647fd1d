// SPDX-License-Identifier: Apache-2.0
#include "harness/report/export_source.h"

#include <filesystem>
#include <system_error>

#include "harness/os/text_file.h"
#include "harness/report/comparison_json.h"
#include "harness/report/night_json.h"

namespace stepbench::report {
namespace {

// The value of the first member "schema", blanks or not; empty if it is not among the first bytes.
std::string_view schema_in(std::string_view text) {
  constexpr std::string_view kKey = "\"schema\"";
  std::size_t at = text.find(kKey);
  if (at == std::string_view::npos) return {};
  at = text.find('"', at + kKey.size());
  if (at == std::string_view::npos) return {};
  const std::size_t end = text.find('"', at + 1);
  return end == std::string_view::npos ? std::string_view() : text.substr(at + 1, end - at - 1);
}

}  // namespace

std::string_view describe(ExportSource source) {
  switch (source) {
    case ExportSource::kRun:
      return "a run";
    case ExportSource::kVerdict:
      return "a verdict";
    case ExportSource::kNight:
      return "a night's verdict";
    case ExportSource::kHistory:
      return "a history";
  }
  return "";
}

ExportSource export_source(const std::string& path) {
  for (const char* scheme : {"sqlite:", "postgresql:", "postgres:"}) {
    if (path.starts_with(scheme)) return ExportSource::kHistory;
  }
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return ExportSource::kRun;
  const std::string begin = os::first_bytes(path, 4096);
  if (begin.starts_with("SQLite format 3")) return ExportSource::kHistory;
  const std::string_view schema = schema_in(begin);
  if (schema == kVerdictSchema || schema == kVerdictsSchema) return ExportSource::kVerdict;
  return schema == kNightSchema ? ExportSource::kNight : ExportSource::kRun;
}

}  // namespace stepbench::report
