// SPDX-License-Identifier: Apache-2.0
#include "harness/base/series.h"

#include <algorithm>
#include <utility>

#include "harness/base/error.h"

namespace stepbench {

const std::vector<std::int64_t>* Series::find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &columns[static_cast<std::size_t>(found - names.begin())];
}

std::vector<std::int64_t>* Series::find(std::string_view name) {
  return const_cast<std::vector<std::int64_t>*>(std::as_const(*this).find(name));
}

const std::vector<std::int64_t>& Series::column(std::string_view name) const {
  if (const std::vector<std::int64_t>* found = find(name)) return *found;
  throw Error("no column '" + std::string(name) + "'");
}

std::vector<std::int64_t>& Series::add(std::string name, std::size_t steps) {
  names.push_back(std::move(name));
  return columns.emplace_back(steps);
}

}  // namespace stepbench
