// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/sampled_lines.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/text/printable.h"

namespace stepbench::ops {

std::vector<SampledLine> sampled_lines(const OpTable& table) {
  struct Line {
    std::int64_t samples = 0;
    std::uint32_t code = kNoIndex;
    std::map<std::string_view, std::int64_t> calls;
  };
  std::map<std::pair<std::string_view, std::string_view>, Line> lines;
  for (const StackRow& row : table.stacks) {
    Line& line = lines[{table.text(row.place), table.text(row.part)}];
    line.samples += row.samples;
    line.code = row.code;
    line.calls[table.text(row.calls)] += row.samples;
  }
  std::vector<SampledLine> sorted;
  for (const auto& [key, line] : lines) {
    const auto most =
        std::ranges::max_element(line.calls, {}, [](const auto& each) { return each.second; });
    sorted.push_back({.part = std::string(key.second),
                      .place = std::string(key.first),
                      .code = std::string(table.text(line.code)),
                      .calls = std::string(most->first),
                      .samples = line.samples});
  }
  std::ranges::stable_sort(sorted, std::ranges::greater(), &SampledLine::samples);
  return sorted;
}

std::string in_words(const SampledLine& line) {
  std::string text = line.place;
  if (!line.code.empty()) text += ", `" + line.code + '`';
  if (!line.calls.empty()) text += ", in " + line.calls;
  return text::printable(text);
}

}  // namespace stepbench::ops
