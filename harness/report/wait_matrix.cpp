// SPDX-License-Identifier: Apache-2.0
#include "harness/report/wait_matrix.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "harness/document/cells.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kWidest = 8;  // rank columns that fit on a terminal
constexpr std::size_t kPairs = 20;

double longest_ns(const WaitMatrix& matrix) {
  double longest = 0;
  for (const std::vector<double>& line : matrix.ns) {
    for (const double ns : line) longest = std::max(longest, ns);
  }
  return longest;
}

document::Table whole_table(const WaitMatrix& matrix, const text::TimeUnit& unit) {
  document::Table table{.title = "who waits for whom [" + std::string(unit.name) + " per step]",
                        .columns = {{.head = "rank"}}};
  for (const std::int64_t rank : matrix.ranks) {
    table.columns.push_back({.head = "for " + std::to_string(rank)});
  }
  table.columns.push_back({.head = "sum"});
  for (std::size_t i = 0; i < matrix.ranks.size(); ++i) {
    std::vector<document::Cell> cells = {document::count(matrix.ranks[i])};
    for (std::size_t j = 0; j < matrix.ranks.size(); ++j) {
      cells.push_back(i == j ? document::Cell("") : document::time(matrix.ns[i][j], unit));
    }
    cells.push_back(
        document::time(std::accumulate(matrix.ns[i].begin(), matrix.ns[i].end(), 0.0), unit));
    table.rows.push_back({.cells = std::move(cells)});
  }
  return table;
}

document::Table pairs_table(const WaitMatrix& matrix, const text::TimeUnit& unit) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < matrix.ranks.size(); ++i) {
    for (std::size_t j = 0; j < matrix.ranks.size(); ++j) {
      if (matrix.ns[i][j] > 0) pairs.emplace_back(i, j);
    }
  }
  std::ranges::stable_sort(pairs, [&](const auto& a, const auto& b) {
    return matrix.ns[a.first][a.second] > matrix.ns[b.first][b.second];
  });
  std::string title = "who waits for whom";
  if (pairs.size() > kPairs) {
    title += ": the longest " + std::to_string(kPairs) + " of " + std::to_string(pairs.size());
    pairs.resize(kPairs);
  }
  document::Table table{.title = std::move(title),
                        .columns = {{.head = "rank"},
                                    {.head = "waits for"},
                                    {.head = "per step", .unit = std::string(unit.name)}}};
  for (const auto& [i, j] : pairs) {
    table.rows.push_back(
        {.cells = {document::count(matrix.ranks[i]), document::count(matrix.ranks[j]),
                   document::time(matrix.ns[i][j], unit)}});
  }
  return table;
}

}  // namespace

bool WaitMatrix::empty() const { return !(longest_ns(*this) > 0); }

std::size_t WaitMatrix::most_waited_for() const {
  std::vector<double> sums(ranks.size());
  for (const std::vector<double>& line : ns) {
    for (std::size_t j = 0; j < line.size(); ++j) sums[j] += line[j];
  }
  return static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
}

WaitMatrix wait_matrix(const analyze::RankReport& report) {
  WaitMatrix matrix;
  for (const analyze::RankRow& row : report.rows) {
    matrix.ranks.push_back(row.rank);
    matrix.ns.push_back(row.waits_for_ns);
  }
  return matrix;
}

std::optional<document::Table> wait_table(const WaitMatrix& matrix) {
  if (matrix.empty()) return std::nullopt;
  const double longest = longest_ns(matrix);
  const text::TimeUnit unit = text::unit_for({&longest, 1});
  return matrix.ranks.size() <= kWidest ? whole_table(matrix, unit) : pairs_table(matrix, unit);
}

}  // namespace stepbench::report
