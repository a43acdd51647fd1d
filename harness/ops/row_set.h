// SPDX-License-Identifier: Apache-2.0
// Rows of the table of operations added up by what they have in common. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "harness/ops/op_table.h"

namespace stepbench::ops {

class RowSet {
 public:
  // To the row of the same kind, step, phase, name, shapes and module.
  void add(const OpRow& row, std::int64_t at_ns);
  [[nodiscard]] std::vector<OpRow> by_first_call() const;

 private:
  using Key =
      std::tuple<std::int64_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, OpKind>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  std::vector<OpRow> rows_;
  std::vector<std::int64_t> first_ns_;
  std::unordered_map<Key, std::uint32_t, KeyHash> index_;
};

}  // namespace stepbench::ops
