// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/document/cells.h"
#include "harness/report/analysis_tables.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

// What was exchanged, in the columns that both tables begin with.
std::vector<document::Column> exchange_columns() {
  return {
      {.head = "collective", .left = true, .shrink_at = 3, .shrink_to = 16, .shrink_inside = true},
      {.head = "group", .left = true, .shrink_at = 2, .shrink_to = 12, .shrink_inside = true},
      {.head = "ranks", .drop_at = 1},
      {.head = "type", .left = true, .drop_at = 4},
      {.head = "size"}};
}

std::vector<document::Cell> exchange_cells(const analyze::ExchangeFacts& facts) {
  return {facts.name, facts.group.empty() ? "-" : facts.group,
          facts.group_size < 0 ? document::Cell("-") : document::count(facts.group_size),
          facts.dtype == ops::Dtype::kUnknown ? "-" : name_of(facts.dtype),
          facts.bytes < 0 ? document::Cell("-") : document::bytes(double(facts.bytes))};
}

void add_bandwidths(const analyze::ExchangeFacts& facts, double duration_ns,
                    std::vector<document::Cell>& cells) {
  cells.push_back(document::number(facts.algorithm_bandwidth(duration_ns)));
  cells.push_back(document::number(facts.bus_bandwidth(duration_ns)));
}

constexpr const char* kDefinitions = "size, algorithm and bus bandwidth as nccl-tests define them";
constexpr const char* kNoSizes =
    "rows without a size do not say it: torch.profiler writes it for NCCL since torch 2.2, and for "
    "Gloo not at all";

template <typename Rows>
bool lacks_sizes(const Rows& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.facts.bytes < 0; });
}

}  // namespace

std::vector<document::Block> collective_blocks(const AnalysedTrace& analysed,
                                               std::size_t row_limit) {
  const std::vector<analyze::CollectiveRow>& rows = *analysed.analysis.collectives;
  const double steps = double(std::max<std::size_t>(1, analysed.analysis.steps.counted().size()));
  document::Table table{.title = "collectives, with the time that this rank waits in them",
                        .columns = exchange_columns()};
  for (document::Column column : std::initializer_list<document::Column>{
           {.head = "per step"},
           {.head = "us per step"},
           {.head = "not hidden", .drop_at = 7},
           {.head = "median", .unit = "us"},
           {.head = "algorithm", .unit = "GB/s", .drop_at = 6},
           {.head = "bus", .unit = "GB/s"},
           {.head = "bus, fastest", .unit = "GB/s", .drop_at = 5}}) {
    table.columns.push_back(std::move(column));
  }
  for (std::size_t i = 0; i < limited(rows.size(), row_limit); ++i) {
    const analyze::CollectiveRow& row = rows[i];
    std::vector<document::Cell> cells = exchange_cells(row.facts);
    cells.push_back(document::short_number(double(row.in_steps.calls) / steps));
    cells.push_back(document::number(double(row.in_steps.ns) / steps / 1e3));
    cells.push_back(document::number(double(row.step_exposed_ns) / steps / 1e3));
    cells.push_back(document::number(row.duration.median / 1e3));
    add_bandwidths(row.facts, row.duration.median, cells);
    cells.push_back(document::number(row.facts.bus_bandwidth(row.duration.min)));
    table.rows.push_back({.cells = std::move(cells)});
  }
  std::vector<document::Block> blocks = {std::move(table)};
  note_cut(rows.size(), row_limit, blocks);
  blocks.emplace_back(document::Paragraph{
      std::string(kDefinitions) +
      "; by the median, which waiting for other ranks makes longer: what exchanging alone takes is "
      "told from the traces of all ranks"});
  if (lacks_sizes(rows)) blocks.emplace_back(document::Paragraph{kNoSizes});
  return blocks;
}

std::vector<document::Block> matched_collective_blocks(
    const std::vector<analyze::MatchedCollectives>& sizes, std::size_t row_limit) {
  if (sizes.empty()) return {};
  document::Table table{.title = "collectives of all ranks, without waiting for the last to enter",
                        .columns = exchange_columns()};
  for (document::Column column :
       std::initializer_list<document::Column>{{.head = "times"},
                                               {.head = "median", .unit = "us"},
                                               {.head = "algorithm", .unit = "GB/s", .drop_at = 6},
                                               {.head = "bus", .unit = "GB/s"},
                                               {.head = "skew", .unit = "us"},
                                               {.head = "at most", .unit = "us", .drop_at = 5}}) {
    table.columns.push_back(std::move(column));
  }
  for (std::size_t i = 0; i < limited(sizes.size(), row_limit); ++i) {
    const analyze::MatchedCollectives& row = sizes[i];
    std::vector<document::Cell> cells = exchange_cells(row.facts);
    cells.push_back(document::count(row.duration.n));
    cells.push_back(document::number(row.duration.median / 1e3));
    add_bandwidths(row.facts, row.duration.median, cells);
    cells.push_back(document::number(row.skew.median / 1e3));
    cells.push_back(document::number(row.skew.max / 1e3));
    table.rows.push_back({.cells = std::move(cells)});
  }
  std::vector<document::Block> blocks = {std::move(table)};
  note_cut(sizes.size(), row_limit, blocks);
  blocks.emplace_back(document::Paragraph{
      std::string(kDefinitions) +
      "; skew is how long the first rank to enter waits for the last, by their durations"});
  if (lacks_sizes(sizes)) blocks.emplace_back(document::Paragraph{kNoSizes});
  return blocks;
}

}  // namespace stepbench::report
