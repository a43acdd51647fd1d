// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/row_set.h"

#include <algorithm>
#include <numeric>

namespace stepbench::ops {

std::size_t RowKeyHash::operator()(const RowKey& key) const {
  const auto& [step, phase, name, shapes, module, kind] = key;
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(step), (std::uint64_t{phase} << 32U) | name,
        (std::uint64_t{shapes} << 32U) | module, static_cast<std::uint64_t>(kind)}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

void RowSet::add(const OpRow& row, std::int64_t at_ns) {
  const RowKey key{row.step, row.phase, row.name, row.shapes, row.module, row.kind};
  const auto [at, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(rows_.size()));
  if (is_new) {
    rows_.push_back(row);
    first_ns_.push_back(at_ns);
    return;
  }
  rows_[at->second] += row;
  first_ns_[at->second] = std::min(first_ns_[at->second], at_ns);
}

std::vector<OpRow> RowSet::by_first_call() const {
  std::vector<std::size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return first_ns_[a] < first_ns_[b]; });
  std::vector<OpRow> sorted;
  sorted.reserve(rows_.size());
  for (const std::size_t i : order) sorted.push_back(rows_[i]);
  return sorted;
}

OpRow& OpRow::operator+=(const OpRow& other) {
  calls += other.calls;
  self_cpu_ns += other.self_cpu_ns;
  cpu_ns += other.cpu_ns;
  self_device_ns += other.self_device_ns;
  device_ns += other.device_ns;
  self_cpu_bytes += other.self_cpu_bytes;
  cpu_bytes += other.cpu_bytes;
  self_device_bytes += other.self_device_bytes;
  device_bytes += other.device_bytes;
  own_cpu_bytes += other.own_cpu_bytes;
  own_device_bytes += other.own_device_bytes;
  own_cpu_allocated_bytes += other.own_cpu_allocated_bytes;
  own_device_allocated_bytes += other.own_device_allocated_bytes;
  own_cpu_allocations += other.own_cpu_allocations;
  own_device_allocations += other.own_device_allocations;
  flops += other.flops;
  return *this;
}

std::vector<OpRow> grouped(const std::vector<OpRow>& rows, OpGrouping by) {
  RowSet sums;
  std::int64_t order = 0;
  for (OpRow row : rows) {
    if (!by.shapes) row.shapes = kNoIndex;
    if (!by.phase) row.phase = kNoIndex;
    if (!by.module) row.module = kNoIndex;
    if (!by.step) row.step = -1;
    sums.add(row, order++);
  }
  return sums.by_first_call();
}

OpTotals totals_of(const std::vector<OpRow>& rows) {
  OpTotals totals;
  for (const OpRow& row : rows) {
    totals.self_cpu_ns += row.self_cpu_ns;
    if (row.kind == OpKind::kDevice) totals.self_device_ns += row.self_device_ns;
    totals.flops += row.flops;
  }
  return totals;
}

}  // namespace stepbench::ops
