// SPDX-License-Identifier: Apache-2.0
#include "harness/record/schema.h"

#include "harness/json/field_schema.h"
#include "harness/record/fields.h"

namespace stepbench::record {
namespace {

template <typename... Rows>
void write_rows(json::JsonText& json) {
  const auto write = [&]<typename Row>(const Row*) {
    json.open_object();
    json::FieldSchema::write<Row>(json);
    json.close_object();
  };
  (write(static_cast<const Rows*>(nullptr)), ...);
}

}  // namespace

std::string result_schema() {
  json::JsonText json;
  json.open_object().text("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.text("title", "a line of " + std::string(kResultSchema) + " 1.x").open_array("oneOf");
  write_rows<RunRow, ColumnRow, WorkerRow, StartRow, SamplesRow, OpsRow, LaunchRow, EndRow>(json);
  return json::indented(json.close_array().close_object().line()) + "\n";
}

}  // namespace stepbench::record
