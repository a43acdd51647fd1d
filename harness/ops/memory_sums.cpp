// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/memory_sums.h"

#include <algorithm>
#include <numeric>

namespace stepbench {

MemorySums::MemorySums(const std::vector<MemoryEvent>& events) {
  std::vector<std::uint32_t> order(events.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto by_time = [&](std::uint32_t a, std::uint32_t b) {
    return events[a].at_ns < events[b].at_ns;
  };
  if (!std::is_sorted(order.begin(), order.end(), by_time)) {
    std::stable_sort(order.begin(), order.end(), by_time);
  }
  times_.reserve(events.size());
  sums_.resize(events.size() + 1);
  openings_.resize(events.size() + 1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const MemoryEvent& event = events[order[i]];
    times_.push_back(event.at_ns);
    sums_[i + 1] = sums_[i];
    (event.device < 0 ? sums_[i + 1].cpu : sums_[i + 1].device) += event.bytes;
  }
}

std::size_t MemorySums::first_at_or_after(std::int64_t at_ns, std::size_t hint) const {
  std::size_t low = hint;
  if (low > 0 && times_[low - 1] >= at_ns) low = 0;
  std::size_t stride = 1;
  while (low + stride <= times_.size() && times_[low + stride - 1] < at_ns) {
    low += stride;
    stride *= 2;
  }
  const std::size_t high = std::min(times_.size(), low + stride);
  return static_cast<std::size_t>(
      std::lower_bound(times_.begin() + static_cast<std::ptrdiff_t>(low),
                       times_.begin() + static_cast<std::ptrdiff_t>(high), at_ns) -
      times_.begin());
}

MemorySums::Bytes MemorySums::claim(std::int64_t start_ns, std::int64_t end_ns) {
  const std::size_t first = first_at_or_after(start_ns, hint_);
  hint_ = first;
  const std::size_t last = first_at_or_after(end_ns + 1, first);
  if (first >= last) return {};
  ++openings_[first];
  --openings_[last];
  return {sums_[last].cpu - sums_[first].cpu, sums_[last].device - sums_[first].device};
}

std::vector<MemorySums::Unclaimed> MemorySums::unclaimed() const {
  std::vector<Unclaimed> found;
  std::int64_t open = 0;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    open += openings_[i];
    if (open > 0) continue;
    found.push_back(
        {times_[i], {sums_[i + 1].cpu - sums_[i].cpu, sums_[i + 1].device - sums_[i].device}});
  }
  return found;
}

}  // namespace stepbench
