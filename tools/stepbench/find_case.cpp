// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/find_case.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/text/words.h"

namespace stepbench::cli {
namespace {

std::vector<estimate::CaseRow> rows_of_case(const std::vector<estimate::CaseRow>& all,
                                            const std::string& case_id) {
  std::vector<estimate::CaseRow> rows;
  for (const estimate::CaseRow& row : all) {
    if (row.case_id == case_id) rows.push_back(row);
  }
  (void)estimate::take_profiled(rows);
  return rows;
}

}  // namespace

std::vector<estimate::CaseRow> find_case(const std::vector<estimate::CaseRow>& rows,
                                         const record::Results& results,
                                         const std::string& prefix) {
  std::vector<const estimate::CaseRow*> found;
  std::vector<std::string> heads;
  for (const estimate::CaseRow& row : rows) {
    if (row.case_id == prefix) return rows_of_case(rows, prefix);
    heads.push_back(row.case_id.substr(0, prefix.size()));
    const auto same = [&](const estimate::CaseRow* other) { return other->case_id == row.case_id; };
    if (row.case_id.starts_with(prefix) && std::none_of(found.begin(), found.end(), same)) {
      found.push_back(&row);
    }
  }
  if (found.size() == 1) return rows_of_case(rows, found.front()->case_id);
  if (found.empty()) {
    throw ConfigError("--case", "no case begins with '" + prefix + "'" +
                                    text::did_you_mean(prefix, heads) +
                                    "; `stepbench show` lists the cases");
  }
  const std::vector<std::string> varying = estimate::varying_options(rows, results);
  std::string list;
  for (const estimate::CaseRow* row : found)
    list +=
        "\n  " + row->case_id + "  " + estimate::case_label(row->options(), varying, row->case_id);
  throw ConfigError("--case",
                    "'" + prefix + "' matches " + std::to_string(found.size()) + " cases:" + list);
}

void keep_case(record::Results& results, const std::string& case_id) {
  std::erase_if(results.launches,
                [&](const record::Launch& launch) { return launch.row.key.case_id != case_id; });
  std::erase_if(results.unfinished,
                [&](const record::StartRow& start) { return start.key.case_id != case_id; });
}

}  // namespace stepbench::cli
