// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/sweep.h"

#include <limits>

namespace stepbench {

std::int64_t Sweep::grid() const {
  if (axes.empty()) return includes.empty() ? 1 : 0;
  std::int64_t count = 1;
  for (const Axis& axis : axes) {
    const auto size = static_cast<std::int64_t>(axis.size());
    if (count > std::numeric_limits<std::int64_t>::max() / 4 / size) {
      return std::numeric_limits<std::int64_t>::max() / 4;
    }
    count *= size;
  }
  return count;
}

std::int64_t Sweep::points() const { return grid() + static_cast<std::int64_t>(includes.size()); }

void values_of(const Sweep& sweep, std::int64_t point, std::vector<PointValue>& values) {
  values.clear();
  const std::int64_t grid = sweep.grid();
  if (point >= grid) {
    for (const Axis::Key& key : sweep.includes[static_cast<std::size_t>(point - grid)].keys) {
      values.push_back({&key.name, &key.values.front()});
    }
    return;
  }
  std::int64_t stride = grid;
  for (const Axis& axis : sweep.axes) {
    const auto size = static_cast<std::int64_t>(axis.size());
    stride /= size;
    const auto index = static_cast<std::size_t>(point / stride % size);
    for (const Axis::Key& key : axis.keys) values.push_back({&key.name, &key.values[index]});
  }
}

}  // namespace stepbench
