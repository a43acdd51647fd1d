// SPDX-License-Identifier: Apache-2.0
// Sets of moments as sorted, disjoint, half-open intervals of nanoseconds. Every operation is one
// sweep; lengths are exact. Plain values; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace stepbench::traces {

struct TimeSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  // exclusive

  [[nodiscard]] std::int64_t length_ns() const { return end_ns - begin_ns; }
  [[nodiscard]] bool contains(std::int64_t at_ns) const {
    return begin_ns <= at_ns && at_ns < end_ns;
  }
  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

class IntervalSet {
 public:
  IntervalSet() = default;
  // Intervals in any order; they may touch and overlap. Empty and reversed ones are ignored.
  explicit IntervalSet(std::vector<TimeSpan> intervals);
  explicit IntervalSet(TimeSpan interval);

  [[nodiscard]] bool empty() const { return intervals_.empty(); }
  [[nodiscard]] std::int64_t length_ns() const;
  [[nodiscard]] std::int64_t length_in(TimeSpan window) const;
  // Length in each window; windows must be sorted and disjoint, as a trace's steps are. One sweep.
  [[nodiscard]] std::vector<std::int64_t> lengths_in(std::span<const TimeSpan> windows) const;
  [[nodiscard]] const std::vector<TimeSpan>& intervals() const { return intervals_; }
  [[nodiscard]] auto begin() const { return intervals_.begin(); }
  [[nodiscard]] auto end() const { return intervals_.end(); }

  [[nodiscard]] IntervalSet operator|(const IntervalSet& other) const;
  [[nodiscard]] IntervalSet operator&(const IntervalSet& other) const;
  [[nodiscard]] IntervalSet operator-(const IntervalSet& other) const;

  friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

 private:
  std::vector<TimeSpan> intervals_;  // non-empty, sorted, not touching
};

// Calls `each(piece, index)` for every part of `parts`, such as an IntervalSet, inside
// `segments[index]`. Both must be sorted by begin and disjoint; empty segments are skipped.
template <typename Parts, typename Segments, typename IntervalOf, typename Each>
void for_each_piece(const Parts& parts, const Segments& segments, const IntervalOf& interval_of,
                    const Each& each) {
  std::size_t at = 0;
  for (const TimeSpan& part : parts) {
    while (at < segments.size() && interval_of(segments[at]).end_ns <= part.begin_ns) ++at;
    for (std::size_t i = at; i < segments.size(); ++i) {
      const TimeSpan segment = interval_of(segments[i]);
      if (segment.begin_ns >= part.end_ns) break;
      const TimeSpan piece = {segment.begin_ns < part.begin_ns ? part.begin_ns : segment.begin_ns,
                              segment.end_ns < part.end_ns ? segment.end_ns : part.end_ns};
      if (piece.begin_ns < piece.end_ns) each(piece, i);
    }
  }
}

// Returns the index of the window that contains the moment. Windows must be sorted and disjoint.
template <typename Windows, typename IntervalOf = std::identity>
[[nodiscard]] std::optional<std::size_t> window_at(const Windows& windows, std::int64_t at_ns,
                                                   const IntervalOf& interval_of = {}) {
  const auto found = std::ranges::partition_point(
      windows, [&](const auto& window) { return interval_of(window).end_ns <= at_ns; });
  if (found == windows.end() || !interval_of(*found).contains(at_ns)) return std::nullopt;
  return std::size_t(found - windows.begin());
}

}  // namespace stepbench::traces
