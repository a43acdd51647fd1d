// SPDX-License-Identifier: Apache-2.0
// Sums rows of the operator table by key. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "harness/ops/op_table.h"

namespace stepbench::ops {

// Step, phase, name, shapes, module, kind.
using RowKey =
    std::tuple<std::int64_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, OpKind>;
struct RowKeyHash {
  std::size_t operator()(const RowKey& key) const;
};

class RowSet {
 public:
  // Adds to the row with the same key.
  void add(const OpRow& row, std::int64_t at_ns);
  [[nodiscard]] std::vector<OpRow> by_first_call() const;

 private:
  std::vector<OpRow> rows_;
  std::vector<std::int64_t> first_ns_;
  std::unordered_map<RowKey, std::uint32_t, RowKeyHash> index_;
};

}  // namespace stepbench::ops
