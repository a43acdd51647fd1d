// SPDX-License-Identifier: Apache-2.0
#include "harness/record/decode.h"

#include <charconv>
#include <optional>
#include <utility>

#include "harness/ops/op_table.h"
#include "harness/record/alike_options.h"
#include "harness/record/decode_data.h"
#include "harness/record/encode.h"
#include "harness/record/input.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::record {
namespace {

// A name that this version does not have.
class UnknownName : public json::LineError {
 public:
  UnknownName(std::string_view field, std::string_view name, const std::string& known)
      : json::LineError("field '" + std::string(field) + "' is '" + std::string(name) +
                        "'; known: " + known),
        field_(field),
        name_(name) {}
  [[nodiscard]] const std::string& field() const { return field_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string field_;
  std::string name_;
};

template <typename Enum>
Enum by_name(std::string_view field, std::string_view name, std::initializer_list<Enum> all) {
  for (const Enum each : all) {
    if (name_of(each) == name) return each;
  }
  throw UnknownName(field, name, text::join(all, ", ", [](Enum each) { return name_of(each); }));
}

Pass pass_of(std::string_view name) {
  return by_name("pass", name, {Pass::kTiming, Pass::kNative, Pass::kKineto, Pass::kWrapped});
}

// Names stand in tables, in the keys of a history and in the names of files.
std::string name_text(const json::LineObject& source, std::string_view field) {
  std::string name = source.text(field);
  if (name.size() > kMaxNameBytes) {
    throw json::LineError("field '" + std::string(field) + "' is a name of " +
                          text::with_separators(std::ssize(name)) + " bytes; names have " +
                          text::with_separators(kMaxNameBytes) + " at most");
  }
  return name;
}

std::string needed_name(const json::LineObject& source, std::string_view field) {
  (void)source.needed_text(field);
  return name_text(source, field);
}

LaunchKey decode_key(const json::LineObject& source) {
  return {.case_id = needed_name(source, "case_id"),
          .arm = name_text(source, "arm"),
          .pass = source.find("pass") ? pass_of(source.text("pass")) : Pass::kTiming,
          .launch = source.count("launch"),
          .rank = source.count("rank")};
}

int next_number(std::string_view& text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty() && text.front() == '.') text.remove_prefix(1);
  return number;
}

// Absent before 1.5.
CommandLine decode_asked(const json::LineObject& source) {
  const auto asked = source.object("asked");
  if (!asked) return {};
  return {.folder = asked->text("folder"),
          .set = asked->texts("set"),
          .sweep = asked->texts("sweep"),
          .filter = asked->texts("filter"),
          .cases = asked->texts("cases"),
          .worker = asked->text("worker")};
}

RunRow decode_run(const json::LineObject& source) {
  const std::string schema = source.text("schema");
  if (schema != kResultSchema) {
    throw json::LineError("schema '" + schema + "' is not '" + std::string(kResultSchema) + "'");
  }
  const std::string version = source.text("version");
  std::string_view rest = version;
  const int major = next_number(rest);
  const int minor = next_number(rest);
  if (major < 0 || minor < 0)
    throw json::LineError("schema version '" + version + "' is not MAJOR.MINOR.PATCH");
  if (major != kResultMajor) {
    throw json::LineError("written in schema " + std::string(kResultSchema) + ' ' + version +
                          "; this program reads " + std::to_string(kResultMajor) +
                          ".x: use the stepbench that wrote it, or a newer one");
  }
  return {.run_id = name_text(source, "run_id"),
          .name = name_text(source, "name"),
          .stepbench_version = source.text("stepbench_version"),
          .started_utc = source.text("started_utc"),
          .argv = source.texts("argv"),
          .config_path = source.text("config_path"),
          .config_text = source.text("config_text"),
          .config_hash = source.text("config_hash"),
          .plan_digest = source.text("plan_digest"),
          .cases = source.integer("cases"),
          .swept = source.texts("swept"),
          .smoke = source.flag("smoke"),
          .asked = decode_asked(source),
          .labels = source.fields("labels"),
          .context = source.fields("context"),
          .schema_minor = minor};
}

Metric decode_column(const json::LineObject& column) {
  Metric metric{
      .name = needed_name(column, "name"),
      .unit = column.text("unit"),
      .role = by_name("role", column.text("role"), {Role::kKey, Role::kContext, Role::kMetric}),
      .direction =
          by_name("direction", column.text("direction"),
                  {Direction::kLowerIsBetter, Direction::kHigherIsBetter, Direction::kNeither}),
      .doc = column.text("doc"),
      .source = source_named(column.text("source")).value_or(Source::kUnknown)};
  metric.exact = column.find("exact") ? column.flag("exact") : exact_by_unit(metric);
  metric.phase = column.flag("phase");
  return metric;
}

ColumnRow decode_columns(const json::LineObject& source, bool later) {
  ColumnRow row;
  const auto value = source.find("columns");
  const auto all = value ? value->elements() : std::nullopt;
  if (!all) throw json::LineError("field 'columns' must be an array of objects");
  for (const json::JsonView& each : *all) {
    const auto object = each.object();
    if (!object) json::wrong_type("columns", "an array of objects", each);
    const json::LineObject& column = *object;
    try {
      row.columns.push_back(decode_column(column));
    } catch (const UnknownName& unknown) {
      if (!later) throw;
      row.left_out.push_back("column '" + column.text("name") + "' was left out: its " +
                             unknown.field() + " '" + unknown.name() + "' is not known here");
    }
  }
  return row;
}

LaunchRow decode_launch(const json::LineObject& source, AlikeOptions& alike) {
  LaunchRow row;
  row.key = decode_key(source);
  row.point_id = name_text(source, "point_id");
  row.workload = name_text(source, "workload");
  row.worker_id = name_text(source, "worker_id");
  row.world = source.count("world", 1);
  row.block = source.count("block");
  row.position = source.count("position");
  row.attempt = source.count("attempt");
  row.smoke = source.flag("smoke");
  using Kind = Outcome::Kind;
  row.outcome.kind = by_name("outcome", source.needed_text("outcome"),
                             {Kind::kMeasured, Kind::kSkipped, Kind::kFailed});
  row.outcome.reason = source.text("reason");
  row.stage = source.text("stage");
  row.options = alike.read(source, "options");
  restore_non_finite(source, "options", row.options);
  row.report = decode_report(source, json::Nested::kAsText);
  row.machine = source.fields("machine");
  restore_non_finite(source, "machine", row.machine);
  row.started_utc = source.text("started_utc");
  row.wall_ns = source.integer("wall_ns");
  row.output = source.text("output");
  row.repeat_command = source.text("repeat_command");
  return row;
}

Row decode_row(std::string_view kind, const json::LineObject& source, AlikeOptions& alike,
               bool later) {
  if (kind == "launch") return decode_launch(source, alike);
  if (kind == "start") {
    return StartRow{.key = decode_key(source),
                    .attempt = source.count("attempt"),
                    .started_utc = source.text("started_utc"),
                    .options = alike.read(source, "options")};
  }
  if (kind == "run") return decode_run(source);
  if (kind == "columns") return decode_columns(source, later);
  if (kind == "worker") {
    return WorkerRow{.worker_id = needed_name(source, "worker_id"),
                     .path = source.text("path"),
                     .build_id = source.text("build_id"),
                     .environment = source.fields("environment")};
  }
  if (kind == "end") {
    return EndRow{.measured = source.integer("measured"),
                  .skipped = source.integer("skipped"),
                  .failed = source.integer("failed"),
                  .reason = source.text("reason"),
                  .ended_utc = source.text("ended_utc")};
  }
  return UnknownRow{"lines of the unknown kind '" + std::string(kind) + "' were ignored"};
}

// A launch whose line names what this version does not have. Without a known pass it has no key,
// and none of its lines is used.
UnknownRow unknown_launch(const UnknownName& unknown, const json::LineObject& source) {
  UnknownRow row{"launches with the unknown " + unknown.field() + " '" + unknown.name() +
                 "' were left out"};
  if (unknown.field() != "pass") row.launch = decode_key(source);
  return row;
}

// Rows of operations are understood only when they are put together.
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
    : parser_(std::make_unique<json::LineParser>()), alike_(std::make_unique<AlikeOptions>()) {}
LineDecoder::~LineDecoder() = default;

bool LineDecoder::is_json(std::string_view line) { return parser_->is_json(line); }

Row LineDecoder::decode(std::string_view text, bool later) {
  json::LineParser::Line line = parser_->parse(text, json::LineParser::Padding::kReadable);
  const std::string kind = line.object.needed_text("kind");
  const bool is_data = kind == "samples" || kind == "ops";
  LaunchKey key;
  try {
    if (!is_data) return decode_row(kind, line.object, *alike_, later);
    key = decode_key(line.object);
  } catch (const UnknownName& unknown) {
    if (!later) throw;
    return unknown_launch(unknown, line.object);
  }
  if (kind == "samples") return SamplesRow{std::move(key), decode_samples(line)};
  OpsRow ops{std::move(key), decode_frame(line)};
  if (!later) return ops;
  if (const auto why = not_understood(ops.frame)) {
    return UnknownRow{"launches with operations that are not understood were left out: " + *why,
                      std::move(ops.key)};
  }
  return ops;
}

}  // namespace stepbench::record
