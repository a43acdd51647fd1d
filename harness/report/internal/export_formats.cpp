// SPDX-License-Identifier: Apache-2.0
#include "harness/report/exports.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/document/render.h"
#include "harness/json/fields.h"
#include "harness/nights/night_store.h"
#include "harness/os/text_file.h"
#include "harness/report/history.h"
#include "harness/report/internal/export_formats.h"
#include "harness/report/night.h"
#include "harness/report/result_tables.h"
#include "harness/report/verdicts.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// Value of the first member "schema"; empty if it is not among the first bytes.
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

ExportFormat markdown_format() {
  return {.name = "markdown",
          .ending = ".md",
          .use = "a comment on a pull request, a wiki",
          .of_run = write_table_as<Format::kMarkdown>,
          .of_verdict = [](std::span<const verdict::Comparison> all, const ExportOptions&) {
            return document::render_markdown(comparison_document(all, true));
          }};
}

ExportFormat json_format() {
  return {.name = "json",
          .ending = ".json",
          .use = "programs: all there is",
          .of_run = write_table_as<Format::kJson>,
          .of_verdict = [](std::span<const verdict::Comparison> all,
                           const ExportOptions&) { return verdict_json(all); },
          .of_night = [](const std::string& night, const ExportOptions&) { return night; },
          .of_history = [](const nights::History& history,
                           const ExportOptions&) { return history_json(history); }};
}

std::span<const ExportFormat> export_formats() {
  static const std::vector<ExportFormat> formats = [] {
    std::vector<ExportFormat> made;
    for (const auto format : kFormats) made.push_back(format());
    return made;
  }();
  return formats;
}

const ExportFormat* export_format(std::string_view name) {
  for (const ExportFormat& format : export_formats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const ExportFormat* export_format_of_file(std::string_view file) {
  for (const ExportFormat& format : export_formats()) {
    if (file.ends_with(format.ending)) return &format;
  }
  return nullptr;
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

std::string stored_text(const std::string& path) {
  const auto text = os::read_text(path);
  if (!text) throw ConfigError(path, "cannot be read");
  return *text;
}

namespace {

void require_writer(const ExportFormat& format, ExportSource source, auto ExportFormat::*writer) {
  if (format.*writer != nullptr) return;
  std::vector<std::string> others;
  for (const ExportFormat& each : export_formats()) {
    if (each.*writer != nullptr) others.emplace_back(each.name);
  }
  throw ConfigError("--format", formatted("{} does not support {}; use {}", format.name,
                                          name_of(source), text::join_and(others)));
}

std::string newer_warning(const std::string& path, const std::string& text) {
  json::LineParser parser;
  const json::LineObject object = parser.parse(text, json::LineParser::Padding::kNone).object;
  const std::string schema = object.text("schema");
  const std::string_view version = schema == kNightSchema     ? kNightVersion
                                   : schema == kVerdictSchema ? kVerdictVersion
                                                              : kVerdictsVersion;
  const int minor = json::minor_version(object, schema, version);
  const std::string newer = json::newer_version_text(minor, version);
  return newer.empty() ? newer : path + ' ' + newer;
}

}  // namespace

Exported export_stored(const ExportFormat& format, ExportSource source, const std::string& path,
                       const ExportOptions& options, const json::TextSink& sink) {
  if (source == ExportSource::kHistory) {
    require_writer(format, source, &ExportFormat::of_history);
    const nights::History history =
        nights::TrackStore::open(nights::history_url(path), {.make = false}).history();
    sink(format.of_history(history, options));
    return {.measured = !history.series.empty()};
  }
  const bool night = source == ExportSource::kNight;
  if (night) {
    require_writer(format, source, &ExportFormat::of_night);
  } else {
    require_writer(format, source, &ExportFormat::of_verdict);
  }
  const std::string text = stored_text(path);
  sink(night ? format.of_night(text, options) : format.of_verdict(read_comparisons(text), options));
  return {.warning = newer_warning(path, text)};
}

}  // namespace stepbench::report
