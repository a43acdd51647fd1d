// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/which_cases.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "harness/base/format.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxNames = 3;
constexpr std::size_t kMaxValues = 4;

using Rows = std::span<const estimate::CaseRow* const>;

std::string value_of(const estimate::CaseRow& row, const std::string& option) {
  const Value* value = row.option(option);
  return value == nullptr ? std::string() : to_text(*value);
}

// Value shared by all rows; nullopt if there is none.
std::optional<std::string> common_value(Rows rows, const std::string& option) {
  const std::string first = value_of(*rows.front(), option);
  const bool same = !first.empty() && std::ranges::all_of(rows, [&](const auto* row) {
    return value_of(*row, option) == first;
  });
  return same ? std::optional(first) : std::nullopt;
}

struct Bounds {
  Value low;
  Value high;
};
// nullopt if a row has no number.
std::optional<Bounds> bounds_of(Rows rows, const std::string& option) {
  std::optional<Bounds> bounds;
  for (const estimate::CaseRow* row : rows) {
    const Value* value = row->option(option);
    const auto number = value == nullptr ? std::nullopt : number_of(*value);
    if (!number) return std::nullopt;
    if (!bounds) bounds = Bounds{*value, *value};
    if (*number < *number_of(bounds->low)) bounds->low = *value;
    if (*number > *number_of(bounds->high)) bounds->high = *value;
  }
  return bounds;
}

}  // namespace

WhichCases::WhichCases(const std::vector<estimate::CaseRow>& rows, const record::Results& results)
    : names_(rows, results) {
  std::set<std::array<std::string_view, 3>> known;
  std::set<std::string_view> ids;
  for (const estimate::CaseRow& row : rows) {
    if (known.insert({row.case_id, row.arm, row.run_id}).second) rows_.push_back(&row);
    ids.insert(row.case_id);
  }
  only_options_ = ids.size() == rows_.size();
}

std::string WhichCases::count(std::size_t some) const {
  if (rows_.size() == 1) return {};
  if (some == rows_.size()) return "all cases";
  return formatted("{} of {}", some, text::counted(std::ssize(rows_), "case"));
}

// Describes the rows by values, if they are exactly the rows with these values.
std::optional<std::string> WhichCases::all_with(Rows some, bool by_ranges) const {
  std::vector<const estimate::CaseRow*> left = rows_;  // rows with the values named so far
  std::string values;
  const auto keep = [&](const std::string& option, const std::string& text, const auto& has) {
    if (std::erase_if(left, [&](const estimate::CaseRow* row) { return !has(*row); }) == 0) return;
    values += formatted(" {}={}", estimate::short_name(option, names_.varying()), text);
  };
  for (const std::string& option : names_.varying()) {
    if (const auto value = common_value(some, option)) {
      keep(option, *value,
           [&](const estimate::CaseRow& row) { return value_of(row, option) == *value; });
    }
  }
  for (const std::string& option : names_.varying()) {
    if (!by_ranges || left.size() == some.size()) break;
    if (common_value(some, option)) continue;
    const auto bounds = bounds_of(some, option);
    if (!bounds) continue;
    keep(option, to_text(bounds->low) + " to " + to_text(bounds->high),
         [&](const estimate::CaseRow& row) {
           const Value* value = row.option(option);
           const auto number = value == nullptr ? std::nullopt : number_of(*value);
           return number && *number >= *number_of(bounds->low) &&
                  *number <= *number_of(bounds->high);
         });
  }
  if (left.size() != some.size()) return std::nullopt;
  return formatted("all {} with{}", some.size(), values);
}

std::optional<std::string> WhichCases::differ_in_one(Rows some) const {
  if (some.size() > kMaxValues) return std::nullopt;
  std::string common;
  std::string different;
  for (const std::string& option : names_.varying()) {
    const std::string name = estimate::short_name(option, names_.varying()) + '=';
    if (const auto value = common_value(some, option)) {
      common += (common.empty() ? "" : " ") + name + *value;
      continue;
    }
    if (!different.empty()) return std::nullopt;
    std::set<std::string> seen;
    different = name + text::join(some, ", ", [&](const estimate::CaseRow* row) {
                  seen.insert(value_of(*row, option));
                  return value_of(*row, option);
                });
    if (seen.size() < some.size() || seen.contains("")) return std::nullopt;
  }
  if (different.empty()) return std::nullopt;
  return common.empty() ? different : common + " with " + different;
}

std::string WhichCases::name(Rows some) const {
  if (some.size() == 1) return names_.name(*some.front());
  if (some.size() == rows_.size()) return "all " + text::counted(std::ssize(rows_), "case");
  if (only_options_) {
    if (auto text = all_with(some, false)) return *text;
    if (auto text = differ_in_one(some)) return *text;
    if (auto text = all_with(some, true)) return *text;
  }
  if (some.size() > kMaxNames) return count(some.size());
  return text::join(some, "; ", [&](const estimate::CaseRow* row) { return names_.name(*row); });
}

}  // namespace stepbench::report
