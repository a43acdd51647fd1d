// SPDX-License-Identifier: Apache-2.0
#include "harness/record/launch_rows.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>

#include "harness/base/error.h"
#include "harness/record/input.h"
#include "harness/record/line_codec.h"

namespace stepbench::record {

std::uintmax_t read_launch_rows(const std::filesystem::path& file,
                                const std::function<bool(std::string_view case_id)>& wanted,
                                const std::function<void(const LaunchRow& row)>& take) {
  constexpr std::string_view kBegin =
      R"({"kind":"launch","case_id":")";  // format of line_codec.cpp
  constexpr bool kLater = true;
  const Input input = Input::read(file);
  LineDecoder decoder;
  std::string_view rest = input.text();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!line.starts_with(kBegin)) continue;
    const std::string_view behind = line.substr(kBegin.size());
    if (!wanted(behind.substr(0, behind.find('"'))) || !decoder.is_json(line)) continue;
    try {
      const Row row = decoder.decode(line, kLater);
      if (const auto* launch = std::get_if<LaunchRow>(&row)) take(*launch);
    } catch (const json::LineError&) {
      continue;
    }
  }
  return input.text().size();
}

bool is_result_file(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (!name.ends_with(".jsonl") && !name.ends_with(".jsonl.gz")) return false;
  return name.find(kEventsEnding) == std::string::npos && !name.starts_with(kUnfinishedNight);
}

std::map<std::string, OptionValues, std::less<>> options_of_cases(
    const std::filesystem::path& run) {
  std::map<std::string, OptionValues, std::less<>> cases;
  const auto is_new = [&](std::string_view case_id) { return !cases.contains(case_id); };
  const auto take = [&](const LaunchRow& row) { cases.emplace(row.key.case_id, row.options); };
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(run, ignored)) {
    if (!is_result_file(entry.path())) continue;
    try {
      read_launch_rows(entry.path(), is_new, take);
    } catch (const Error&) {
      continue;
    }
  }
  return cases;
}

}  // namespace stepbench::record
