// SPDX-License-Identifier: Apache-2.0
#include "harness/record/decode_samples.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "harness/record/decode.h"
#include "harness/record/input.h"

namespace stepbench {
namespace {

namespace ondemand = simdjson::ondemand;

// Unwraps, or throws naming the field and what was expected.
template <typename T, typename Result>
T need(Result&& result, std::string_view field, std::string_view wanted) {
  T value{};
  const simdjson::error_code error = std::forward<Result>(result).get(value);
  if (error == simdjson::SUCCESS) return value;
  if (error == simdjson::INCORRECT_TYPE || error == simdjson::NUMBER_ERROR ||
      error == simdjson::NUMBER_OUT_OF_RANGE) {
    throw LineError("field '" + std::string(field) + "' must be " + std::string(wanted));
  }
  throw LineError("not valid JSON in field '" + std::string(field) +
                  "': " + simdjson::error_message(error));
}

std::string text(ondemand::value value, std::string_view field) {
  return std::string(need<std::string_view>(value.get_string(), field, "a string"));
}

std::int64_t integer(ondemand::value value, std::string_view field) {
  return need<std::int64_t>(value.get_int64(), field, "a 64-bit integer");
}

int small_integer(ondemand::value value, std::string_view field) {
  const std::int64_t number = integer(value, field);
  if (number < 0 || number > std::numeric_limits<int>::max()) {
    throw LineError("field '" + std::string(field) + "' is out of range: " + std::to_string(number));
  }
  return static_cast<int>(number);
}

std::vector<std::string> texts(ondemand::value value, std::string_view field) {
  std::vector<std::string> all;
  for (auto each : need<ondemand::array>(value.get_array(), field, "an array of strings")) {
    all.push_back(text(need<ondemand::value>(std::move(each), field, "an array of strings"), field));
  }
  return all;
}

[[noreturn]] void bad_value(const SamplesRow& row, std::size_t column, std::size_t step) {
  const std::string name = column < row.columns.size() ? "'" + row.columns[column] + "'"
                                                       : "number " + std::to_string(column);
  throw LineError("column " + name + ", value " + std::to_string(step) +
                  ": expected a 64-bit integer");
}

void read_values(ondemand::value value, SamplesRow& row, std::int64_t steps) {
  const auto expected = static_cast<std::size_t>(
      std::clamp<std::int64_t>(steps, 0, static_cast<std::int64_t>(kMaxStepsPerSamplesRow)));
  row.values.reserve(row.columns.size());
  for (auto each : need<ondemand::array>(value.get_array(), "values", "an array of arrays")) {
    std::vector<std::int64_t>& column = row.values.emplace_back();
    column.reserve(expected);
    auto array = need<ondemand::array>(std::move(each), "values", "an array of arrays");
    for (auto number : array) {
      std::int64_t nanoseconds = 0;
      if (number.get_int64().get(nanoseconds) != simdjson::SUCCESS) {
        bad_value(row, row.values.size() - 1, column.size());
      }
      column.push_back(nanoseconds);
    }
  }
}

void check_shape(const SamplesRow& row) {
  if (row.columns.size() != row.values.size()) {
    throw LineError("samples name " + std::to_string(row.columns.size()) + " columns and hold " +
                    std::to_string(row.values.size()) + " arrays");
  }
  for (std::size_t i = 1; i < row.values.size(); ++i) {
    if (row.values[i].size() == row.values[0].size()) continue;
    throw LineError("column '" + row.columns[i] + "' holds " + std::to_string(row.values[i].size()) +
                    " steps, column '" + row.columns[0] + "' " +
                    std::to_string(row.values[0].size()));
  }
  for (std::size_t i = 0; i < row.columns.size(); ++i) {
    if (std::find(row.columns.begin(), row.columns.begin() + static_cast<std::ptrdiff_t>(i),
                  row.columns[i]) != row.columns.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw LineError("column '" + row.columns[i] + "' stands twice");
    }
  }
}

}  // namespace

SamplesRow decode_samples(ondemand::parser& parser, std::string_view line) {
  SamplesRow row;
  std::int64_t steps = 0;
  bool has_values = false;
  ondemand::document document;
  const auto view =
      simdjson::padded_string_view(line.data(), line.size(), line.size() + Input::kPadding);
  if (const auto error = parser.iterate(view).get(document); error != simdjson::SUCCESS) {
    throw LineError(std::string("not valid JSON: ") + simdjson::error_message(error));
  }
  for (auto field : need<ondemand::object>(document.get_object(), "samples", "an object")) {
    const auto key = need<std::string_view>(field.unescaped_key(), "samples", "an object");
    const auto value = need<ondemand::value>(field.value(), key, "a value");
    if (key == "case_id") row.key.case_id = text(value, key);
    else if (key == "arm") row.key.arm = text(value, key);
    else if (key == "pass") row.key.pass = pass_of(text(value, key));
    else if (key == "launch") row.key.launch = small_integer(value, key);
    else if (key == "rank") row.key.rank = small_integer(value, key);
    else if (key == "cycle") row.cycle = integer(value, key);
    else if (key == "steps") steps = integer(value, key);
    else if (key == "columns") row.columns = texts(value, key);
    else if (key == "values") read_values(value, row, steps), has_values = true;
  }
  if (!document.at_end()) throw LineError("not valid JSON: text after the closing brace");
  if (row.key.case_id.empty()) throw LineError("samples without field 'case_id'");
  if (!has_values) throw LineError("samples without field 'values'");
  check_shape(row);
  return row;
}

}  // namespace stepbench
