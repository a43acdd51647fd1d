// SPDX-License-Identifier: Apache-2.0
#include "harness/track/row_json.h"

#include "harness/base/error.h"
#include "harness/record/fields.h"
#include "harness/store/database.h"

namespace stepbench::track {
namespace {

template <typename Read>
auto read_json(const std::string& json, const Read& read) {
  try {
    json::LineParser parser;
    return read(parser.parse(json, json::LineParser::Padding::kNone).object);
  } catch (const json::LineError& error) {
    throw store::DamagedRow(error.what());
  }
}

}  // namespace

std::string fields_json(const Fields& fields) {
  json::JsonText json;
  json.open_object();
  for (const auto& [name, value] : fields) json.value(name, value);
  return json.close_object().take();
}

std::string asked_json(const record::CommandLine& asked) { return json::object_text(asked); }

Fields fields_from_json(const std::string& json) {
  return read_json("{\"fields\":" + json + "}", [](const json::LineObject& object) -> Fields {
    return object.fields("fields");
  });
}

record::CommandLine asked_from_json(const std::string& json) {
  return read_json(
      json, [](const json::LineObject& object) { return json::read<record::CommandLine>(object); });
}

}  // namespace stepbench::track
