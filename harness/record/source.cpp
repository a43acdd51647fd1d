// SPDX-License-Identifier: Apache-2.0
#include "harness/record/source.h"

#include <limits>

#include "harness/record/decode.h"

namespace stepbench {

namespace dom = simdjson::dom;

namespace {

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

}  // namespace

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

void wrong_type(std::string_view field, std::string_view wanted, dom::element value) {
  throw LineError("field '" + std::string(field) + "' must be " + std::string(wanted) + ", is " +
                  std::string(name_of(value.type())));
}

std::optional<dom::element> Source::find(std::string_view field) const {
  dom::element value;
  if (object_[field].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::string Source::text(std::string_view field) const {
  const auto value = find(field);
  if (!value) return {};
  std::string_view view;
  if (value->get_string().get(view) != simdjson::SUCCESS) wrong_type(field, "a string", *value);
  return std::string(view);
}

std::string Source::needed_text(std::string_view field) const {
  std::string value = text(field);
  if (value.empty()) throw LineError("field '" + std::string(field) + "' is missing or empty");
  return value;
}

std::int64_t Source::integer(std::string_view field, std::int64_t absent) const {
  const auto value = find(field);
  if (!value) return absent;
  std::int64_t number = 0;
  if (value->get_int64().get(number) != simdjson::SUCCESS) {
    wrong_type(field, "an integer", *value);
  }
  return number;
}

int Source::count(std::string_view field, int absent) const {
  const std::int64_t number = integer(field, absent);
  if (number < 0 || number > std::numeric_limits<int>::max()) {
    throw LineError("field '" + std::string(field) +
                    "' is out of range: " + std::to_string(number));
  }
  return static_cast<int>(number);
}

bool Source::flag(std::string_view field) const {
  const auto value = find(field);
  if (!value) return false;
  bool truth = false;
  if (value->get_bool().get(truth) != simdjson::SUCCESS) wrong_type(field, "a boolean", *value);
  return truth;
}

std::vector<std::string> Source::texts(std::string_view field) const {
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

std::optional<dom::object> Source::object(std::string_view field) const {
  const auto value = find(field);
  if (!value) return std::nullopt;
  dom::object inner;
  if (value->get_object().get(inner) != simdjson::SUCCESS) wrong_type(field, "an object", *value);
  return inner;
}

Fields Source::fields(std::string_view field) const {
  Fields all;
  const auto inner = object(field);
  if (!inner) return all;
  for (const auto& [key, value] : *inner) all.emplace_hint(all.end(), key, to_value(value, key));
  return all;
}

LaunchReport::Metrics Source::numbers(std::string_view field) const {
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

}  // namespace stepbench
