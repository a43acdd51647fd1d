// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/scaling.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "harness/estimate/ranking.h"

namespace stepbench::estimate {
namespace {

std::int64_t ranks_of(const CaseRow& row) {
  const Value* ranks = row.option("distributed.ranks");
  return ranks == nullptr ? 1 : static_cast<std::int64_t>(number_of(*ranks).value_or(1));
}

std::optional<double> work_rate(const CaseRow& row) {
  return row.samples_per_s ? row.samples_per_s : row.tokens_per_s;
}

// Key shared by rows that differ only in their number of ranks.
using Work = std::tuple<std::string, std::string, Pass, std::string>;

Work work_of(const CaseRow& row) {
  std::string options;
  for (const auto& [name, value] : row.options()) {
    if (is_null(value) || name.starts_with("distributed.")) continue;
    options += name + '=' + to_text(value) + '\n';
  }
  return {row.run_id, row.arm, row.pass, std::move(options)};
}

}  // namespace

void add_scaling(std::span<CaseRow> rows) {
  std::map<Work, CaseRow*> single_rank;
  const auto is_group = [](const CaseRow& row) { return ranks_of(row) > 1; };
  if (std::ranges::none_of(rows, is_group)) return;
  for (CaseRow& row : rows) {
    if (!is_group(row) && work_rate(row).value_or(0) > 0) single_rank.emplace(work_of(row), &row);
  }
  for (CaseRow& row : rows) {
    if (!is_group(row)) continue;
    const auto found = single_rank.find(work_of(row));
    if (found == single_rank.end()) continue;
    const auto ratio = speed_up(row, *found->second,
                                row.samples_per_s ? Judged::kSamplesRate : Judged::kTokensRate);
    if (!ratio) continue;
    const auto ranks = static_cast<double>(ranks_of(row));
    found->second->scaling_efficiency = 1;
    row.scaling_efficiency = ratio->value / ranks;
    if (ratio->interval) {
      row.scaling_interval = {ratio->interval->low / ranks, ratio->interval->high / ranks};
    }
  }
}

}  // namespace stepbench::estimate
