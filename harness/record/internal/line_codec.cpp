// SPDX-License-Identifier: Apache-2.0
#include "harness/record/internal/line_codec.h"

#include <optional>
#include <utility>

#include "harness/base/format.h"
#include "harness/json/fields.h"
#include "harness/ops/op_table.h"
#include "harness/record/fields.h"

namespace stepbench::record {
namespace {

RunRow decode_run(const json::LineObject& source) {
  const int minor = json::minor_version(source, kResultSchema, kResultVersion);
  RunRow row = json::read<RunRow>(source);
  row.schema_minor = minor;
  return row;
}

ColumnRow decode_columns(const json::LineObject& source, bool later) {
  ColumnRow row;
  const auto value = source.find("columns");
  const auto all = value ? value->elements() : std::nullopt;
  if (!all) throw json::LineError("field 'columns' must be an array of objects");
  for (const json::JsonView& each : *all) {
    const auto object = each.object();
    if (!object) json::wrong_type("columns", "an array of objects", each);
    try {
      row.columns.push_back(json::read<Metric>(*object));
    } catch (const json::UnknownName& unknown) {
      if (!later) throw;
      row.skipped_columns.push_back(
          formatted("column '{}' was left out: its {} '{}' is not known here", object->text("name"),
                    unknown.place(), unknown.name()));
    }
  }
  return row;
}

Row decode_row(std::string_view kind, const json::LineObject& source, const json::Reading& how,
               bool later) {
  if (kind == "launch") return json::read<LaunchRow>(source, how);
  if (kind == "start") return json::read<StartRow>(source, how);
  if (kind == "samples") return json::read<SamplesRow>(source, how);
  if (kind == "ops") return json::read<OpsRow>(source, how);
  if (kind == "run") return decode_run(source);
  if (kind == "columns") return decode_columns(source, later);
  if (kind == "worker") return json::read<WorkerRow>(source);
  if (kind == "end") return json::read<EndRow>(source);
  return UnknownRow{formatted("lines of the unknown kind '{}' were ignored", kind)};
}

// A launch with a name unknown to this version. Without a known pass it has no key, and all its
// lines are ignored.
UnknownRow unknown_launch(const json::UnknownName& unknown, const json::LineObject& source) {
  UnknownRow row{formatted("launches with the unknown {} '{}' were left out", unknown.place(),
                           unknown.name())};
  if (unknown.place() != "pass") row.launch = json::read<LaunchKey>(source);
  return row;
}

// Rows of operations can only be checked after assembly.
std::optional<std::string> not_understood(const ops::OpFrame& frame) {
  try {
    static_cast<void>(ops::op_table_of({&frame, 1}));
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

LineDecoder::LineDecoder()
    : parser_(std::make_unique<json::LineParser>()),
      alike_(std::make_unique<json::AlikeOptions>()) {}
LineDecoder::~LineDecoder() = default;

bool LineDecoder::is_json(std::string_view line) { return parser_->is_json(line); }

Row LineDecoder::decode(std::string_view text, bool later) {
  json::LineParser::Line line = parser_->parse(text, json::LineParser::Padding::kReadable);
  const std::string kind = json::read_field<std::string>(line.object, "kind", json::kFilled);
  const json::Reading how{.alike = alike_.get(), .numbers = &line.numbers};
  try {
    if (kind != "ops" || !later) return decode_row(kind, line.object, how, later);
    auto ops = json::read<OpsRow>(line.object, how);
    const auto why = not_understood(ops.frame);
    if (!why) return ops;
    return UnknownRow{"launches with operations that are not understood were left out: " + *why,
                      std::move(ops.key)};
  } catch (const json::UnknownName& unknown) {
    if (!later) throw;
    return unknown_launch(unknown, line.object);
  }
}

template <typename Row>
std::string encode(const Row& row) {
  return json::object_text(row);
}

template std::string encode(const RunRow& row);
template std::string encode(const ColumnRow& row);
template std::string encode(const WorkerRow& row);
template std::string encode(const StartRow& row);
template std::string encode(const SamplesRow& row);
template std::string encode(const OpsRow& row);
template std::string encode(const LaunchRow& row);
template std::string encode(const EndRow& row);
template std::string encode(const CycleSamples& samples);
template std::string encode(const ops::OpFrame& frame);
template std::string encode(const LaunchReport& report);

}  // namespace stepbench::record
