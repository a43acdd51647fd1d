// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/interval_set.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

namespace stepbench::traces {
namespace {

// A function object rather than a function, so that it is inlined.
constexpr auto kStartsEarlier = [](const TimeSpan& a, const TimeSpan& b) {
  return a.begin_ns < b.begin_ns;
};

// Merges sorted runs pair by pair: rows of each thread and stream arrive sorted.
void sort_by_begin(std::vector<TimeSpan>& spans) {
  std::vector<std::ptrdiff_t> runs = {0};
  for (auto at = spans.begin();;) {
    at = std::is_sorted_until(at, spans.end(), kStartsEarlier);
    runs.push_back(at - spans.begin());
    if (at == spans.end()) break;
  }
  constexpr std::ptrdiff_t kMaxRuns = 64;
  if (std::ssize(runs) > kMaxRuns) {
    std::ranges::sort(spans, kStartsEarlier);
    return;
  }
  while (runs.size() > 2) {
    std::vector<std::ptrdiff_t> merged = {0};
    for (std::size_t i = 2; i < runs.size(); i += 2) {
      std::inplace_merge(spans.begin() + runs[i - 2], spans.begin() + runs[i - 1],
                         spans.begin() + runs[i], kStartsEarlier);
      merged.push_back(runs[i]);
    }
    if (merged.back() != runs.back()) merged.push_back(runs.back());
    runs = std::move(merged);
  }
}

// Merges overlapping spans in place; `sorted` is sorted by begin.
void merge_sorted(std::vector<TimeSpan>& sorted) {
  std::size_t kept = 0;
  for (const TimeSpan& each : sorted) {
    if (each.begin_ns >= each.end_ns) continue;
    if (kept > 0 && each.begin_ns <= sorted[kept - 1].end_ns) {
      sorted[kept - 1].end_ns = std::max(sorted[kept - 1].end_ns, each.end_ns);
    } else {
      sorted[kept++] = each;
    }
  }
  sorted.resize(kept);
}

}  // namespace

IntervalSet::IntervalSet(std::vector<TimeSpan> intervals) : intervals_(std::move(intervals)) {
  sort_by_begin(intervals_);
  merge_sorted(intervals_);
}

IntervalSet::IntervalSet(TimeSpan interval) {
  if (interval.begin_ns < interval.end_ns) intervals_.push_back(interval);
}

std::int64_t IntervalSet::length_ns() const {
  return std::accumulate(
      intervals_.begin(), intervals_.end(), std::int64_t{0},
      [](std::int64_t sum, const TimeSpan& each) { return sum + each.length_ns(); });
}

std::int64_t IntervalSet::length_in(TimeSpan window) const {
  auto at = std::ranges::partition_point(
      intervals_, [&](const TimeSpan& each) { return each.end_ns <= window.begin_ns; });
  std::int64_t sum = 0;
  for (; at != intervals_.end() && at->begin_ns < window.end_ns; ++at) {
    sum += std::min(at->end_ns, window.end_ns) - std::max(at->begin_ns, window.begin_ns);
  }
  return sum;
}

std::vector<std::int64_t> IntervalSet::lengths_in(std::span<const TimeSpan> windows) const {
  std::vector<std::int64_t> lengths(windows.size());
  for_each_piece(
      *this, windows, [](const TimeSpan& window) { return window; },
      [&](const TimeSpan& piece, std::size_t window) { lengths[window] += piece.length_ns(); });
  return lengths;
}

IntervalSet IntervalSet::operator|(const IntervalSet& other) const {
  IntervalSet out;
  out.intervals_.reserve(intervals_.size() + other.intervals_.size());
  std::merge(intervals_.begin(), intervals_.end(), other.begin(), other.end(),
             std::back_inserter(out.intervals_), kStartsEarlier);
  merge_sorted(out.intervals_);
  return out;
}

IntervalSet IntervalSet::operator&(const IntervalSet& other) const {
  IntervalSet out;
  auto a = begin();
  auto b = other.begin();
  while (a != end() && b != other.end()) {
    const TimeSpan both = {std::max(a->begin_ns, b->begin_ns), std::min(a->end_ns, b->end_ns)};
    if (both.begin_ns < both.end_ns) out.intervals_.push_back(both);
    if (a->end_ns < b->end_ns) {
      ++a;
    } else {
      ++b;
    }
  }
  return out;
}

IntervalSet IntervalSet::operator-(const IntervalSet& other) const {
  IntervalSet out;
  auto hole = other.begin();
  for (const TimeSpan& each : intervals_) {
    std::int64_t from_ns = each.begin_ns;
    while (hole != other.end() && hole->end_ns <= from_ns) ++hole;
    for (auto at = hole; at != other.end() && at->begin_ns < each.end_ns; ++at) {
      if (at->begin_ns > from_ns) out.intervals_.push_back({from_ns, at->begin_ns});
      from_ns = at->end_ns;
      hole = at;
    }
    if (from_ns < each.end_ns) out.intervals_.push_back({from_ns, each.end_ns});
  }
  return out;
}

}  // namespace stepbench::traces
