// SPDX-License-Identifier: Apache-2.0
#include "harness/record/fields.h"

#include <concepts>
#include <map>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/base/format.h"
#include "harness/json/fields.h"

namespace stepbench::record {
namespace {

// One more visitor of declared fields: their JSON Schema.
class FieldSchema {
 public:
  static constexpr bool kReads = true;

  // Adds the members of the schema of T to the open object.
  template <json::HasFields T>
  static void write(json::JsonText& json) {
    json.text("type", "object").open_object("properties");
    FieldSchema visitor(json);
    T value{};
    fields(visitor, value);
    json.close_object();
    if (!visitor.required_.empty()) json.texts("required", visitor.required_);
  }

  template <typename T>
  FieldSchema& operator()(std::string_view field, T&, const json::FieldRule& rule = {}) {
    json_.open_object(field);
    if (rule.since > 0) json_.text("description", formatted("since 1.{}", rule.since));
    describe<T>(rule);
    json_.close_object();
    if (rule.needed || rule.filled) required_.emplace_back(field);
    return *this;
  }
  FieldSchema& constant(std::string_view field, std::string_view text) {
    json_.open_object(field);
    // A reader of one minor version takes all others.
    field == "version" ? json_.text("type", "string") : json_.text("const", text);
    json_.close_object();
    required_.emplace_back(field);
    return *this;
  }
  FieldSchema& series(std::string_view length, Series&) {
    std::size_t steps = 0;
    std::vector<std::string> columns;
    std::vector<std::vector<std::int64_t>> values;
    return (*this)(length, steps)("columns", columns, json::kNeeded)("values", values,
                                                                     json::kNeeded);
  }
  FieldSchema& non_finite() {
    std::map<std::string, std::string> spellings;
    return (*this)("non_finite", spellings);
  }

 private:
  explicit FieldSchema(json::JsonText& json) : json_(json) {}

  void types(std::vector<std::string> names) { json_.texts("type", names); }

  template <typename T>
  void describe_in(std::string_view keyword, const json::FieldRule& rule = {}) {
    json_.open_object(keyword);
    describe<T>(rule);
    json_.close_object();
  }

  template <typename T>
  void describe(const json::FieldRule& rule) {
    if constexpr (std::same_as<T, bool>) {
      json_.text("type", "boolean");
    } else if constexpr (std::integral<T>) {
      json_.text("type", "integer");
      if (!std::same_as<T, std::int64_t> && !rule.below_zero) json_.integer("minimum", 0);
    } else if constexpr (std::floating_point<T>) {
      types({"number", "null"});
    } else if constexpr (NamedEnum<T>) {
      const auto names = names_of(T{});
      if (rule.known) json_.texts("enum", std::vector<std::string>(names.begin(), names.end()));
      if (!rule.known) json_.text("type", "string");
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
      json_.text("type", "string");
      if (rule.filled) json_.integer("minLength", 1);
    } else if constexpr (std::same_as<T, Value>) {
      types({"string", "number", "boolean", "null"});
    } else if constexpr (json::kIsOptional<T>) {
      json_.open_array("anyOf");
      describe_in<typename T::value_type>({}, rule);
      json_.open_object().text("type", "null").close_object().close_array();
    } else if constexpr (json::HasFields<T>) {
      write<T>(json_);
    } else if constexpr (json::kIsList<T>) {
      json_.text("type", "array");
      describe_in<typename T::value_type>("items");
    } else {
      const T object{};
      json_.text("type", "object");
      describe_in<std::remove_cvref_t<decltype((*object.begin()).second)>>("additionalProperties");
    }
  }

  json::JsonText& json_;
  std::vector<std::string> required_ = {};
};

template <typename... Rows>
void write_rows(json::JsonText& json) {
  const auto write = [&]<typename Row>(const Row*) {
    json.open_object();
    FieldSchema::write<Row>(json);
    json.close_object();
  };
  (write(static_cast<const Rows*>(nullptr)), ...);
}

}  // namespace

std::string result_schema() {
  json::JsonText json;
  json.open_object().text("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.text("title", formatted("a line of {} 1.x", kResultSchema)).open_array("oneOf");
  write_rows<RunRow, ColumnRow, WorkerRow, StartRow, SamplesRow, OpsRow, LaunchRow, EndRow>(json);
  return json::indented(json.close_array().close_object().line()) + "\n";
}

}  // namespace stepbench::record
