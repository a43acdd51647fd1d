// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/estimate/columns.h"
#include "harness/report/exports.h"
#include "harness/report/internal/csv.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

// Cases that each have names of their own make a table of squares, most of it empty.
void refuse_many_cells(std::size_t columns, std::size_t rows) {
  constexpr std::size_t kMaxCells = 100'000'000;
  if (columns <= kMaxCells / std::max<std::size_t>(rows, 1)) return;
  const auto number = [](std::size_t n) {
    return text::with_separators(static_cast<std::int64_t>(n));
  };
  throw ConfigError("csv", formatted("{} columns for {} cases are more than {} cells; --columns "
                                     "chooses some, --format json writes what each case has",
                                     number(columns), number(rows), number(kMaxCells)));
}

}  // namespace

void write_csv(const std::vector<estimate::CaseRow>& rows, const std::vector<std::string>& select,
               const json::TextSink& sink) {
  std::vector<std::string> names;
  for (const std::string& name : select) {
    names.push_back(estimate::full_name(name, rows, "--columns"));
  }
  std::size_t own = names.size();  // then facts about the run and its worker, which rows share
  if (select.empty()) {
    names = estimate::record_names(rows);
    const auto add = [&](const std::vector<std::string>& more) {
      names.insert(names.end(), more.begin(), more.end());
    };
    const estimate::DetailNames details = estimate::detail_names(rows);
    for (const auto* more : {&details.requests, &details.phases, &details.metrics}) add(*more);
    own = names.size();
    for (const auto* more : {&details.labels, &details.environment}) add(*more);
  }
  refuse_many_cells(names.size(), rows.size());
  std::vector<CsvColumn<estimate::CaseRow>> columns;
  for (const std::string& name : names) columns.push_back({name, estimate::row_getter(name)});
  const std::span all(columns);
  std::string text = csv_heads(columns);
  std::string end;  // the shared cells
  const estimate::CaseRow* before = nullptr;
  for (const estimate::CaseRow& row : rows) {
    const bool same = before != nullptr && before->run == row.run && before->worker == row.worker;
    before = &row;
    if (!same && own < names.size()) {
      end = ',' + csv_cells<estimate::CaseRow>(all.subspan(own), row);
    }
    text += csv_cells<estimate::CaseRow>(all.first(own), row) + end + '\n';
    if (text.size() < json::kTextPiece) continue;
    sink(text);
    text.clear();
  }
  sink(text);
}

}  // namespace stepbench::report
