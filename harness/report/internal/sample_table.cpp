// SPDX-License-Identifier: Apache-2.0
#include "harness/report/exports.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr const char* kKeys[] = {"case", "launch", "rank", "cycle"};
constexpr std::size_t kKeyCount = std::size(kKeys);

std::vector<std::string> known_columns(std::span<const estimate::CaseRow> rows) {
  std::vector<std::string> known;
  std::set<std::string_view> names;
  for (const estimate::CaseRow& row : rows) {
    for (const estimate::MeasuredLaunch& each : row.measured) {
      for (const record::CycleSamples& part : each.launch->samples) {
        for (const std::string& name : part.steps.names) {
          if (names.insert(name).second) known.push_back(name);
        }
      }
    }
  }
  return known;
}

void append_part(const record::LaunchKey& key, const record::CycleSamples& part,
                 std::int64_t case_number, SampleTable& table) {
  const std::size_t steps = part.steps.steps();
  const std::int64_t keys[kKeyCount] = {case_number, key.launch, key.rank, part.cycle};
  for (std::size_t i = 0; i < kKeyCount; ++i) {
    table.values[i].insert(table.values[i].end(), steps, keys[i]);
  }
  for (std::size_t i = kKeyCount; i < table.columns.size(); ++i) {
    std::vector<std::int64_t>& to = table.values[i];
    if (const std::vector<std::int64_t>* from = part.steps.find(table.columns[i])) {
      to.insert(to.end(), from->begin(), from->end());
    } else {
      to.insert(to.end(), steps, 0);
    }
  }
}

// Launches that each have columns of their own make a table of squares, most of it zeros.
void refuse_many_zeros(std::span<const estimate::CaseRow> rows, const SampleTable& table) {
  constexpr std::size_t kMaxZeros = 100'000'000;
  std::size_t zeros = 0;
  for (const estimate::CaseRow& row : rows) {
    for (const estimate::MeasuredLaunch& each : row.measured) {
      for (const record::CycleSamples& part : each.launch->samples) {
        const std::size_t own = part.steps.names.size();
        const std::size_t columns = table.columns.size() - kKeyCount;
        if (columns > own) zeros += (columns - own) * part.steps.steps();
      }
    }
  }
  if (zeros <= kMaxZeros) return;
  throw ConfigError(
      "samples",
      formatted("the launches have {} columns, most of them only in a few; --columns chooses some",
                text::with_separators(std::ssize(table.columns))));
}

}  // namespace

SampleTable sample_table(std::span<const estimate::CaseRow> rows,
                         const std::vector<std::string>& columns) {
  const std::vector<std::string> known = known_columns(rows);
  SampleTable table;
  table.columns.assign(std::begin(kKeys), std::end(kKeys));
  for (const std::string& name : columns) {
    if (std::ranges::find(known, name) == known.end()) {
      throw ConfigError("--columns", formatted("unknown sample column '{}'{}", name,
                                               text::did_you_mean(name, known)));
    }
  }
  const std::vector<std::string>& chosen = columns.empty() ? known : columns;
  table.columns.insert(table.columns.end(), chosen.begin(), chosen.end());
  refuse_many_zeros(rows, table);
  table.values.resize(table.columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.case_ids.push_back(rows[i].case_id);
    for (const estimate::MeasuredLaunch& each : rows[i].measured) {
      for (const record::CycleSamples& part : each.launch->samples) {
        append_part(each.launch->row.key, part, static_cast<std::int64_t>(i), table);
      }
    }
  }
  return table;
}

}  // namespace stepbench::report
