// SPDX-License-Identifier: Apache-2.0
// Named arrays of integers of equal length: the steps of a window, the rows of an op table. The
// only form in which numbers travel from a worker's clock to a result file. A plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench {

struct Series {
  std::vector<std::string> names = {};
  std::vector<std::vector<std::int64_t>> columns = {};  // one per name, equally long

  [[nodiscard]] std::size_t steps() const { return columns.empty() ? 0 : columns.front().size(); }
  // Null if the column does not exist.
  [[nodiscard]] const std::vector<std::int64_t>* find(std::string_view name) const;
  [[nodiscard]] std::vector<std::int64_t>* find(std::string_view name);
  // Throws Error if the column does not exist.
  [[nodiscard]] const std::vector<std::int64_t>& column(std::string_view name) const;
  // Appends a column of `steps` zeros for the caller to fill; the reference is valid until the next
  // column is added.
  std::vector<std::int64_t>& add(std::string name, std::size_t steps);

  bool operator==(const Series&) const = default;
};

}  // namespace stepbench
