// SPDX-License-Identifier: Apache-2.0
// Rows of one thread by the rows around them. A row that begins as another one ends does not lie
// inside it. Refers to the lane, which must outlive it. Pure; any thread.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/traces/internal/interval_set.h"
#include "harness/traces/trace.h"

namespace stepbench::traces {

struct NestedRow {
  const TraceEvent* event = nullptr;
  std::uint32_t parent = ops::kNoIndex;  // the innermost row that was open when it began
};

class Nesting {
 public:
  // Of the rows that `keep(event)` or `keep(event, around)` accepts; `around` is its parent's event
  // or null.
  template <typename Keep>
  Nesting(const TraceLane& lane, const Keep& keep) {
    rows_.reserve(lane.events.size());
    std::uint32_t open = ops::kNoIndex;
    for (const TraceEvent& event : lane.events) {
      if constexpr (std::predicate<Keep, const TraceEvent&>) {
        if (!keep(event)) continue;
        open = open_from(open, event.start_ns);
      } else {
        open = open_from(open, event.start_ns);
        if (!keep(event, open == ops::kNoIndex ? nullptr : rows_[open].event)) continue;
      }
      rows_.push_back({&event, open});
      open = std::uint32_t(rows_.size() - 1);
    }
  }

  // Sorted by start: parents precede their children.
  [[nodiscard]] const std::vector<NestedRow>& rows() const { return rows_; }
  [[nodiscard]] const NestedRow& operator[](std::uint32_t row) const { return rows_[row]; }

  // The innermost row at a moment; kNoIndex: none.
  [[nodiscard]] std::uint32_t at(std::int64_t at_ns) const {
    const auto after = std::ranges::partition_point(
        rows_, [&](const NestedRow& row) { return row.event->start_ns <= at_ns; });
    return open_from(std::uint32_t(after - rows_.begin()) - 1, at_ns);
  }

  // By place in the lane that it was made of: the innermost row at the start of each event, which
  // may be the event itself.
  [[nodiscard]] std::vector<std::uint32_t> at_events(const TraceLane& lane) const {
    std::vector<std::uint32_t> found(lane.events.size());
    std::uint32_t open = ops::kNoIndex;
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const TraceEvent& event = lane.events[i];
      const bool is_row = next < rows_.size() && rows_[next].event == &event;
      found[i] = open = is_row ? next++ : open_from(open, event.start_ns);
    }
    return found;
  }

  // A span in which a row was the innermost one.
  struct Piece {
    TimeSpan at = {};
    std::uint32_t row = 0;
  };
  // Sorted and disjoint.
  [[nodiscard]] std::vector<Piece> pieces() const {
    std::vector<Piece> out;
    out.reserve(2 * rows_.size());
    std::int64_t now_ns = 0;
    std::uint32_t open = ops::kNoIndex;
    const auto run_until = [&](std::int64_t until_ns) {
      for (; open != ops::kNoIndex; open = rows_[open].parent) {
        const std::int64_t end_ns = std::min(rows_[open].event->end_ns, until_ns);
        if (end_ns > now_ns) {
          if (!out.empty() && out.back().row == open && out.back().at.end_ns == now_ns) {
            out.back().at.end_ns = end_ns;
          } else {
            out.push_back({{now_ns, end_ns}, open});
          }
          now_ns = end_ns;
        }
        if (rows_[open].event->end_ns > until_ns) return;
      }
    };
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      const std::int64_t start_ns = rows_[i].event->start_ns;
      run_until(start_ns);
      now_ns = open == ops::kNoIndex ? start_ns : std::max(now_ns, start_ns);
      open = i;
    }
    std::int64_t last_ns = now_ns;
    for (std::uint32_t row = open; row != ops::kNoIndex; row = rows_[row].parent) {
      last_ns = std::max(last_ns, rows_[row].event->end_ns);
    }
    run_until(last_ns);
    return out;
  }

 private:
  // The innermost of the row and those around it that has not ended.
  [[nodiscard]] std::uint32_t open_from(std::uint32_t row, std::int64_t at_ns) const {
    while (row != ops::kNoIndex && rows_[row].event->end_ns <= at_ns) row = rows_[row].parent;
    return row;
  }

  std::vector<NestedRow> rows_;
};

}  // namespace stepbench::traces
