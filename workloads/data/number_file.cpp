// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/number_file.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "harness/base/error.h"

namespace stepbench::data {
namespace {

bool separates(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ','; }

std::string line_of(const std::filesystem::path& file, std::string_view text, std::size_t at) {
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
  return file.string() + ": line " + std::to_string(line);
}

}  // namespace

std::vector<double> read_numbers(const NumberFile& file) {
  std::error_code ignored;
  const bool endless = std::filesystem::is_character_file(file.path, ignored);
  std::ifstream stream;
  if (!endless) stream.open(file.path, std::ios::binary);
  if (!stream.is_open()) {
    throw ConfigError(file.option,
                      "cannot read " + file.path.string() + "; expected " + file.expected);
  }
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::vector<double> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (separates(text[at])) {
      ++at;
      continue;
    }
    const auto begin = text.begin() + static_cast<long>(at);
    const auto end = std::find_if(begin, text.end(), separates);
    double number = 0;
    const char* const last = text.data() + (end - text.begin());
    const auto [stop, error] = std::from_chars(text.data() + at, last, number);
    if (error != std::errc() || stop != last) {
      constexpr std::ptrdiff_t kShown = 40;
      throw ConfigError(file.option, line_of(file.path, text, at) + ": expected a number, found '" +
                                         std::string(begin, begin + std::min(end - begin, kShown)) +
                                         "'");
    }
    numbers.push_back(number);
    at = static_cast<std::size_t>(end - text.begin());
  }
  return numbers;
}

}  // namespace stepbench::data
