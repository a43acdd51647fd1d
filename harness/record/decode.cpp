// SPDX-License-Identifier: Apache-2.0
#include "harness/record/decode.h"

#include <simdjson.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "harness/findings/findings_json.h"
#include "harness/ops/op_frame.h"
#include "harness/ops/op_table.h"
#include "harness/record/decode_samples.h"
#include "harness/record/encode.h"
#include "harness/record/input.h"

namespace stepbench {
namespace {

namespace dom = simdjson::dom;

std::string_view name_of(dom::element_type type) {
  switch (type) {
    case dom::element_type::ARRAY:
      return "an array";
    case dom::element_type::OBJECT:
      return "an object";
    case dom::element_type::INT64:
      return "an integer";
    case dom::element_type::UINT64:
      return "an integer beyond 64 bits with sign";
    case dom::element_type::DOUBLE:
      return "a fraction";
    case dom::element_type::STRING:
      return "a string";
    case dom::element_type::BOOL:
      return "a boolean";
    case dom::element_type::NULL_VALUE:
      return "null";
  }
  return "unknown";
}

[[noreturn]] void wrong_type(std::string_view field, std::string_view wanted, dom::element value) {
  throw LineError("field '" + std::string(field) + "' must be " + std::string(wanted) + ", is " +
                  std::string(name_of(value.type())));
}

Value to_value(dom::element value, std::string_view field) {
  switch (value.type()) {
    case dom::element_type::NULL_VALUE:
      return {};
    case dom::element_type::BOOL:
      return value.get_bool().value_unsafe();
    case dom::element_type::INT64:
      return value.get_int64().value_unsafe();
    case dom::element_type::DOUBLE:
      return value.get_double().value_unsafe();
    case dom::element_type::STRING:
      return std::string(value.get_string().value_unsafe());
    case dom::element_type::UINT64:
      wrong_type(field, "within 64 bits", value);
    default:
      return simdjson::minify(value);  // a list or a map: kept as its JSON text
  }
}

// Fields of one object. An absent field has its default; a field of another type is an error.
class LineObject {
 public:
  explicit LineObject(dom::object object) : object_(object) {}

  [[nodiscard]] std::optional<dom::element> find(std::string_view field) const {
    dom::element value;
    if (object_[field].get(value) != simdjson::SUCCESS) return std::nullopt;
    return value;
  }

  [[nodiscard]] std::string text(std::string_view field) const {
    const auto value = find(field);
    if (!value) return {};
    std::string_view view;
    if (value->get_string().get(view) != simdjson::SUCCESS) wrong_type(field, "a string", *value);
    return std::string(view);
  }

  [[nodiscard]] std::string needed_text(std::string_view field) const {
    std::string value = text(field);
    if (value.empty()) throw LineError("field '" + std::string(field) + "' is missing or empty");
    return value;
  }

  [[nodiscard]] std::int64_t integer(std::string_view field, std::int64_t absent = 0) const {
    const auto value = find(field);
    if (!value) return absent;
    std::int64_t number = 0;
    if (value->get_int64().get(number) != simdjson::SUCCESS) {
      wrong_type(field, "an integer", *value);
    }
    return number;
  }

  [[nodiscard]] int count(std::string_view field, int absent = 0) const {
    const std::int64_t number = integer(field, absent);
    if (number < 0 || number > std::numeric_limits<int>::max()) {
      throw LineError("field '" + std::string(field) +
                      "' is out of range: " + std::to_string(number));
    }
    return static_cast<int>(number);
  }

  [[nodiscard]] bool flag(std::string_view field) const {
    const auto value = find(field);
    if (!value) return false;
    bool truth = false;
    if (value->get_bool().get(truth) != simdjson::SUCCESS) wrong_type(field, "a boolean", *value);
    return truth;
  }

  [[nodiscard]] std::vector<std::string> texts(std::string_view field) const {
    std::vector<std::string> all;
    const auto value = find(field);
    if (!value) return all;
    dom::array array;
    if (value->get_array().get(array) != simdjson::SUCCESS) {
      wrong_type(field, "an array of strings", *value);
    }
    for (const dom::element each : array) {
      std::string_view view;
      if (each.get_string().get(view) != simdjson::SUCCESS) {
        wrong_type(field, "an array of strings", each);
      }
      all.emplace_back(view);
    }
    return all;
  }

  [[nodiscard]] std::optional<dom::object> object(std::string_view field) const {
    const auto value = find(field);
    if (!value) return std::nullopt;
    dom::object inner;
    if (value->get_object().get(inner) != simdjson::SUCCESS) wrong_type(field, "an object", *value);
    return inner;
  }

  [[nodiscard]] Fields fields(std::string_view field) const {
    Fields all;
    const auto inner = object(field);
    if (!inner) return all;
    for (const auto& [key, value] : *inner) all.emplace_hint(all.end(), key, to_value(value, key));
    return all;
  }

  // Numbers by name; null stands for one that is not finite.
  [[nodiscard]] LaunchReport::Metrics numbers(std::string_view field) const {
    LaunchReport::Metrics all;
    const auto inner = object(field);
    if (!inner) return all;
    for (const auto& [key, value] : *inner) {
      double number = 0;
      if (value.is_null()) {
        all.emplace_hint(all.end(), key, std::nullopt);
      } else if (value.get_double().get(number) == simdjson::SUCCESS) {
        all.emplace_hint(all.end(), key, number);
      } else {
        throw LineError("metric '" + std::string(key) + "' must be a number or null");
      }
    }
    return all;
  }

 private:
  dom::object object_;
};

// A name that this version does not have.
class UnknownName : public LineError {
 public:
  UnknownName(std::string_view field, std::string_view name, const std::string& known)
      : LineError("field '" + std::string(field) + "' is '" + std::string(name) +
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
  std::string known;
  for (const Enum each : all) {
    if (stepbench::name_of(each) == name) return each;
    known += (known.empty() ? "" : ", ") + std::string(stepbench::name_of(each));
  }
  throw UnknownName(field, name, known);
}

Pass pass_of(std::string_view name) {
  return by_name("pass", name, {Pass::kTiming, Pass::kNative, Pass::kKineto, Pass::kWrapped});
}

LaunchKey decode_key(const LineObject& source) {
  return {.case_id = source.needed_text("case_id"),
          .arm = source.text("arm"),
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

RunRow decode_run(const LineObject& source) {
  const std::string schema = source.text("schema");
  if (schema != kResultSchema) {
    throw LineError("schema '" + schema + "' is not '" + std::string(kResultSchema) + "'");
  }
  const std::string version = source.text("version");
  std::string_view rest = version;
  const int major = next_number(rest);
  const int minor = next_number(rest);
  if (major < 0 || minor < 0)
    throw LineError("schema version '" + version + "' is not MAJOR.MINOR.PATCH");
  if (major != kResultMajor) {
    throw LineError("written in schema " + std::string(kResultSchema) + ' ' + version +
                    "; this program reads " + std::to_string(kResultMajor) +
                    ".x: use the stepbench that wrote it, or a newer one");
  }
  return {.run_id = source.text("run_id"),
          .name = source.text("name"),
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
          .context = source.fields("context"),
          .schema_minor = minor};
}

Metric decode_column(const LineObject& column) {
  Metric metric{
      .name = column.needed_text("name"),
      .unit = column.text("unit"),
      .role = by_name("role", column.text("role"), {Role::kKey, Role::kContext, Role::kMetric}),
      .direction =
          by_name("direction", column.text("direction"),
                  {Direction::kLowerIsBetter, Direction::kHigherIsBetter, Direction::kNeither}),
      .doc = column.text("doc"),
      .source = source_named(column.text("source")).value_or(Source::kUnknown)};
  metric.exact = column.find("exact") ? column.flag("exact") : exact_by_unit(metric);
  return metric;
}

ColumnRow decode_columns(const LineObject& source, bool later) {
  ColumnRow row;
  const auto value = source.find("columns");
  dom::array array;
  if (!value || value->get_array().get(array) != simdjson::SUCCESS) {
    throw LineError("field 'columns' must be an array of objects");
  }
  for (const dom::element each : array) {
    dom::object object;
    if (each.get_object().get(object) != simdjson::SUCCESS) {
      wrong_type("columns", "an array of objects", each);
    }
    const LineObject column(object);
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

double non_finite(std::string_view spelling) {
  if (spelling == "inf") return std::numeric_limits<double>::infinity();
  if (spelling == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

// Puts back what JSON could not hold.
void restore_non_finite(const LineObject& source, LaunchRow& row) {
  const std::pair<std::string_view, Fields*> sections[] = {
      {"options.", &row.options},
      {"effective.", &row.report.effective},
      {"schedule.", &row.report.schedule},
      {"fingerprint.", &row.report.fingerprint},
      {"machine.", &row.machine}};
  for (const auto& [path, value] : source.fields("non_finite")) {
    for (const auto& [prefix, fields] : sections) {
      if (!path.starts_with(prefix)) continue;
      const auto found = fields->find(path.substr(prefix.size()));
      if (found != fields->end() && is_null(found->second)) {
        found->second = non_finite(to_text(value));
      }
    }
  }
}

LaunchRow decode_launch(const LineObject& source) {
  LaunchRow row;
  row.key = decode_key(source);
  row.point_id = source.text("point_id");
  row.workload = source.text("workload");
  row.worker_id = source.text("worker_id");
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
  row.options = source.fields("options");
  row.report.effective = source.fields("effective");
  row.report.schedule = source.fields("schedule");
  row.report.metrics = source.numbers("metrics");
  row.report.fingerprint = source.fields("fingerprint");
  row.report.flags = source.texts("flags");
  row.report.notes = source.texts("notes");
  if (const auto findings = source.find("findings")) {
    row.report.findings = decode_findings(simdjson::minify(*findings));
  }
  row.machine = source.fields("machine");
  restore_non_finite(source, row);
  row.started_utc = source.text("started_utc");
  row.wall_ns = source.integer("wall_ns");
  row.output = source.text("output");
  row.repeat_command = source.text("repeat_command");
  return row;
}

// Without its numbers.
SamplesRow decode_samples(const LineObject& source) {
  return {.key = decode_key(source),
          .cycle = source.integer("cycle"),
          .columns = source.texts("columns"),
          .values = {}};
}

Row decode_row(std::string_view kind, const LineObject& source, bool later) {
  if (kind == "launch") return decode_launch(source);
  if (kind == "start") {
    return StartRow{.key = decode_key(source),
                    .attempt = source.count("attempt"),
                    .started_utc = source.text("started_utc"),
                    .options = source.fields("options")};
  }
  if (kind == "run") return decode_run(source);
  if (kind == "columns") return decode_columns(source, later);
  if (kind == "worker") {
    return WorkerRow{.worker_id = source.needed_text("worker_id"),
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
UnknownRow unknown_launch(const UnknownName& unknown, const LineObject& source) {
  UnknownRow row{"launches with the unknown " + unknown.field() + " '" + unknown.name() +
                 "' were left out"};
  if (unknown.field() != "pass") row.launch = decode_key(source);
  return row;
}

// Rows of operations are understood only when they are put together.
std::optional<std::string> not_understood(const OpFrame& frame) {
  try {
    static_cast<void>(op_table_of({&frame, 1}));
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

struct LineDecoder::Parsers {
  dom::parser tree;
  std::string line;  // scratch
};

LineDecoder::LineDecoder() : parsers_(std::make_unique<Parsers>()) {}
LineDecoder::~LineDecoder() = default;

bool LineDecoder::is_json(std::string_view line) {
  return parsers_->tree.parse(line.data(), line.size(), false).error() == simdjson::SUCCESS;
}

Row LineDecoder::decode(std::string_view line, bool later) {
  // Numbers are parsed in place; in what is left of the line `null` stands for them.
  constexpr std::string_view kSamples = R"({"kind":"samples",)";
  constexpr std::string_view kOps = R"({"kind":"ops",)";
  constexpr std::string_view kValues = R"(],"values":)";
  std::optional<NumberArrays> numbers;
  const std::size_t found = line.starts_with(kSamples) || line.starts_with(kOps)
                                ? line.find(kValues)
                                : std::string_view::npos;
  if (found != std::string_view::npos) {
    const std::size_t start = found + kValues.size();
    numbers = parse_number_arrays(line.substr(start));
    parsers_->line.assign(line.substr(0, start)).append("null").append(numbers->tail);
    parsers_->line.append(Input::kPadding, '\0');
    line = std::string_view(parsers_->line).substr(0, parsers_->line.size() - Input::kPadding);
  }
  dom::element root;
  const auto error = parsers_->tree.parse(line.data(), line.size(), false).get(root);
  if (error != simdjson::SUCCESS) {
    throw LineError(std::string("not valid JSON: ") + simdjson::error_message(error));
  }
  dom::object object;
  if (root.get_object().get(object) != simdjson::SUCCESS) {
    throw LineError("expected a JSON object, found " + std::string(name_of(root.type())));
  }
  const LineObject source(object);
  const std::string kind = source.needed_text("kind");
  const bool has_arrays = kind == "samples" || kind == "ops";
  SamplesRow row;
  try {
    if (!has_arrays) return decode_row(kind, source, later);
    row = decode_samples(source);
  } catch (const UnknownName& unknown) {
    if (!later) throw;
    return unknown_launch(unknown, source);
  }
  const auto values = source.find("values");
  if (!values) throw LineError(kind + " without field 'values'");
  if (!numbers) {  // the fields stand in another order than ours
    parsers_->line = simdjson::minify(*values);
    parsers_->line.append(Input::kPadding, '\0');
    numbers = parse_number_arrays(
        std::string_view(parsers_->line).substr(0, parsers_->line.size() - Input::kPadding));
  } else if (!values->is_null()) {
    throw LineError("field 'values' stands twice");
  }
  row.values = std::move(numbers->values);
  if (kind == "samples") {
    check_shape(row, source.integer("steps", -1));
    return row;
  }
  check_shape(row, source.integer("rows", -1));
  OpsRow ops{.key = std::move(row.key),
             .frame = {.table = source.needed_text("table"),
                       .strings = source.texts("strings"),
                       .columns = std::move(row.columns),
                       .values = std::move(row.values)}};
  if (!later) return ops;
  if (const auto why = not_understood(ops.frame)) {
    return UnknownRow{"launches with operations that are not understood were left out: " + *why,
                      std::move(ops.key)};
  }
  return ops;
}

}  // namespace stepbench
