// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "harness/json/json_text.h"
#include "harness/report/exports.h"
#include "harness/report/internal/csv.h"

namespace stepbench::report {
namespace {

// Converts a column name to one that numpy's header accepts.
std::string field_name(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

std::size_t steps_of(const SampleTable& table) { return table.values.front().size(); }

}  // namespace

std::string samples_csv(const SampleTable& table) {
  std::string text = "case_id";
  for (const std::string& name : table.columns) text += ',' + csv_cell(name);
  text += '\n';
  std::vector<std::string> cases;
  for (const std::string& case_id : table.case_ids) cases.push_back(csv_cell(case_id));
  char buffer[24];
  for (std::size_t step = 0; step < steps_of(table); ++step) {
    text += cases[static_cast<std::size_t>(table.values[0][step])];
    for (const auto& column : table.values) {
      text += ',';
      text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, column[step]).ptr);
    }
    text += '\n';
  }
  return text;
}

std::string samples_json(const SampleTable& table, std::span<const Metric> definitions) {
  json::JsonText json;
  json.open_object().texts("case_ids", table.case_ids);
  add_sources(json, table.columns, definitions);
  json.open_object("columns");
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    json.integers(table.columns[i], table.values[i]);
  }
  return json.close_object().close_object().take() + '\n';
}

std::string samples_npy(const SampleTable& table) {
  static_assert(std::endian::native == std::endian::little, "the header says '<i8'");
  const std::size_t steps = steps_of(table);
  std::string header = "{'descr': [";
  for (const std::string& name : table.columns) header += "('" + field_name(name) + "', '<i8'), ";
  header += "], 'fortran_order': False, 'shape': (" + std::to_string(steps) + ",), }";
  constexpr std::size_t kPreamble = 10;
  constexpr std::size_t kAlignment = 64;
  const std::size_t whole =
      (kPreamble + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  header.append(whole - kPreamble - header.size() - 1, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xFFU);
  bytes += static_cast<char>(header.size() >> 8U);
  bytes += header;
  const std::size_t start = bytes.size();
  const std::size_t columns = table.columns.size();
  bytes.resize(start + steps * columns * sizeof(std::int64_t));
  char* at = bytes.data() + start;
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t column = 0; column < columns; ++column) {
      std::memcpy(at, &table.values[column][step], sizeof(std::int64_t));
      at += sizeof(std::int64_t);
    }
  }
  return bytes;
}

}  // namespace stepbench::report
