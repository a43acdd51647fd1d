// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/wait_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/analyze/host_sets.h"

namespace stepbench::analyze {
namespace {

// A row that still waits for longer than this, and then follows the end of another stream's row by
// less, waited for it.
constexpr std::int64_t kNearNs = 10'000;
constexpr int kMaxWaitLooks = 64;

using Pieces = std::vector<HostPiece>;

// Those of `above`, and of `below` what they leave free. Both are sorted and disjoint.
Pieces with_below(const Pieces& above, const Pieces& below) {
  Pieces out;
  out.reserve(above.size() + below.size());
  std::size_t next = 0;
  for (const HostPiece& piece : below) {
    std::int64_t begin_ns = piece.at.begin_ns;
    for (; next < above.size() && above[next].at.begin_ns < piece.at.end_ns; ++next) {
      const TimeSpan taken = above[next].at;
      if (taken.begin_ns > begin_ns) {
        out.push_back(piece);
        out.back().at = {begin_ns, taken.begin_ns};
      }
      begin_ns = std::max(begin_ns, taken.end_ns);
      if (taken.end_ns > piece.at.end_ns) break;  // reaches into the next one, too
      out.push_back(above[next]);
    }
    if (begin_ns < piece.at.end_ns) {
      out.push_back(piece);
      out.back().at.begin_ns = begin_ns;
    }
  }
  out.insert(out.end(), above.begin() + std::ptrdiff_t(next), above.end());
  return out;
}

// Sorted, and cut where one begins before the last has ended.
Pieces one_after_another(Pieces pieces) {
  std::stable_sort(pieces.begin(), pieces.end(), [](const HostPiece& a, const HostPiece& b) {
    return a.at.begin_ns < b.at.begin_ns;
  });
  Pieces out;
  for (HostPiece& piece : pieces) {
    if (!out.empty()) piece.at.begin_ns = std::max(piece.at.begin_ns, out.back().at.end_ns);
    if (piece.at.begin_ns < piece.at.end_ns) out.push_back(piece);
  }
  return out;
}

HostPiece piece_of(const Timeline& timeline, const InnerRow& inner) {
  const trace::Trace& trace = *timeline.trace;
  HostPiece piece{.at = inner.at, .name = timeline.shown_name(*inner.row)};
  const trace::NameFacts& facts = trace.names[inner.row->name].facts;
  if (trace::is_call(inner.row->kind)) {
    piece.kind = facts.call == trace::CallClass::kSynchronize ? PathKind::kWait : PathKind::kLaunch;
    piece.copies = facts.call == trace::CallClass::kCopy;
  } else if (facts.communication) {
    piece.kind = PathKind::kCommunication;
  } else if (inner.row->kind == trace::EventKind::kOp) {
    piece.kind = PathKind::kOperators;
  }
  return piece;
}

PathKind kind_of_work(const WorkRow& row) {
  if (row.communication) return PathKind::kCommunication;
  return is_kernel(row) ? PathKind::kCompute : PathKind::kCopy;
}

}  // namespace

WaitGraph::WaitGraph(const Timeline& timeline, const Steps& steps, TimeSpan window)
    : window_(window) {
  add_pieces(timeline, steps.lane);
  add_rows(timeline);
  order_rows();
  find_launch_delay();
  bind_rows();
  find_waits();
}

void WaitGraph::add_pieces(const Timeline& timeline, std::uint32_t main) {
  const trace::Trace& trace = *timeline.trace;
  Pieces loading;
  Pieces working;  // of the step thread
  Pieces marked;   // where it is in an annotation alone
  Pieces others;
  const auto inside = [&](const TimeSpan& at) {
    return at.begin_ns < window_.end_ns && at.end_ns > window_.begin_ns;
  };
  for (std::uint32_t i = 0; i < trace.lanes.size(); ++i) {
    const trace::TraceLane& lane = trace.lanes[i];
    if (lane.kind != trace::LaneKind::kHost) continue;
    for (const InnerRow& inner : innermost_rows(trace, lane, true)) {
      if (!inside(inner.at)) continue;
      const HostPiece piece = piece_of(timeline, inner);
      if (piece.kind == PathKind::kUnknown) {
        if (i == main) marked.push_back(piece);
      } else {
        (i == main ? working : others).push_back(piece);
      }
    }
    if (i != main) continue;
    for (const trace::TraceEvent& event : lane.events) {
      if (!is_host_op(trace, event) || !trace.names[event.name].facts.data_wait) continue;
      if (!inside(span_of(event))) continue;
      loading.push_back({.at = span_of(event), .kind = PathKind::kLoading, .name = event.name});
    }
  }
  Pieces all = with_below(one_after_another(std::move(loading)), working);
  all = with_below(all, one_after_another(std::move(others)));
  all = with_below(all, marked);
  all = with_below(all, {{.at = window_}});
  for (HostPiece& piece : all) {
    piece.at = {std::max(piece.at.begin_ns, window_.begin_ns),
                std::min(piece.at.end_ns, window_.end_ns)};
    if (piece.at.begin_ns < piece.at.end_ns) pieces_.push_back(piece);
  }
}

void WaitGraph::add_rows(const Timeline& timeline) {
  for (const WorkRow& work : timeline.work) {
    const trace::TraceEvent* call = timeline.call_of(work);
    const TimeSpan at = span_of(*work.event);
    // A row that begins before its call has a damaged clock.
    const std::int64_t launch_ns =
        call == nullptr ? at.begin_ns : std::min(call->start_ns, at.begin_ns);
    if (launch_ns >= window_.end_ns || at.end_ns <= window_.begin_ns) continue;
    if (call == nullptr) unlaunched_ns_ += at.length_ns();
    rows_.push_back({.at = at,
                     .kind = kind_of_work(work),
                     .name = work.event->name,
                     .lane = work.event->lane,
                     .launch_ns = launch_ns});
  }
}

// Rows come by start. They run in the order of their launches, and on a stream one after the other.
void WaitGraph::order_rows() {
  std::vector<std::int64_t> turn_ns(rows_.size());
  std::vector<std::int64_t> of_lane;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].lane >= of_lane.size()) {
      of_lane.resize(rows_[i].lane + 1, std::numeric_limits<std::int64_t>::min());
    }
    std::int64_t& last_ns = of_lane[rows_[i].lane];
    last_ns = std::max(last_ns, rows_[i].launch_ns);
    turn_ns[i] = last_ns;
  }
  std::vector<std::uint32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return turn_ns[a] < turn_ns[b]; });
  std::vector<WaitRow> ordered;
  ordered.reserve(rows_.size());
  std::vector<std::uint32_t> last_of_lane(of_lane.size(), kNoWaitRow);
  for (const std::uint32_t index : order) {
    WaitRow& row = rows_[index];
    std::uint32_t& last = last_of_lane[row.lane];
    // Branches of a graph may share a stream, side by side.
    if (last != kNoWaitRow && ordered[last].at.end_ns <= row.at.begin_ns) row.previous = last;
    last = static_cast<std::uint32_t>(ordered.size());
    ordered.push_back(row);
  }
  rows_ = std::move(ordered);
  by_end_.resize(rows_.size());
  std::iota(by_end_.begin(), by_end_.end(), 0U);
  std::stable_sort(by_end_.begin(), by_end_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rows_[a].at.end_ns < rows_[b].at.end_ns;
  });
}

void WaitGraph::find_launch_delay() {
  std::vector<std::int64_t> delays;
  for (const WaitRow& row : rows_) {
    const bool was_idle =
        row.previous == kNoWaitRow || rows_[row.previous].at.end_ns <= row.launch_ns;
    if (was_idle && row.at.begin_ns > row.launch_ns) {
      delays.push_back(row.at.begin_ns - row.launch_ns);
    }
  }
  if (delays.empty()) return;
  const auto middle = delays.begin() + std::ssize(delays) / 2;
  std::nth_element(delays.begin(), middle, delays.end());
  launch_ns_ = *middle;
}

// Of those that can run before row `index`, on another stream: the one that ended last until then.
std::uint32_t WaitGraph::row_before(std::int64_t at_ns, std::uint32_t index) const {
  auto at = std::partition_point(by_end_.begin(), by_end_.end(),
                                 [&](std::uint32_t row) { return rows_[row].at.end_ns <= at_ns; });
  for (int looks = 0; at != by_end_.begin() && looks < kMaxWaitLooks; ++looks) {
    const std::uint32_t row = *--at;
    if (at_ns - rows_[row].at.end_ns > kNearNs) break;
    if (row < index && rows_[row].lane != rows_[index].lane) return row;
  }
  return kNoWaitRow;
}

void WaitGraph::bind_rows() {
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    WaitRow& row = rows_[i];
    const std::int64_t delay_ns = row.at.begin_ns - row.launch_ns;
    const std::int64_t ready_ns = row.launch_ns + std::min(launch_ns_, delay_ns);
    std::int64_t free_ns = ready_ns;
    if (row.previous != kNoWaitRow && rows_[row.previous].at.end_ns > ready_ns) {
      free_ns = rows_[row.previous].at.end_ns;
      row.binding = RowBinding::kStream;
    }
    if (row.at.begin_ns - free_ns >= kNearNs) {
      const std::uint32_t other = row_before(row.at.begin_ns, i);
      if (other != kNoWaitRow && rows_[other].at.end_ns > free_ns) {
        row.other = other;
        row.binding = RowBinding::kOtherStream;
        ++guessed_waits_;
      }
    }
  }
}

void WaitGraph::find_waits() {
  for (HostPiece& piece : pieces_) {
    if (piece.kind != PathKind::kWait && !piece.copies) continue;
    auto at = std::partition_point(by_end_.begin(), by_end_.end(), [&](std::uint32_t row) {
      return rows_[row].at.end_ns <= piece.at.end_ns;
    });
    for (int looks = 0; at != by_end_.begin() && looks < kMaxWaitLooks; ++looks) {
      const WaitRow& row = rows_[*--at];
      if (row.at.end_ns <= piece.at.begin_ns) break;
      const bool own = row.launch_ns >= piece.at.begin_ns && row.launch_ns < piece.at.end_ns;
      if (piece.copies ? own && row.kind == PathKind::kCopy : row.launch_ns < piece.at.begin_ns) {
        piece.waits_for = *at;
        break;
      }
    }
  }
}

std::int64_t WaitGraph::end_ns() const {
  std::int64_t end_ns = window_.end_ns;
  for (const WaitRow& row : rows_) {
    if (in_window(row)) end_ns = std::max(end_ns, row.at.end_ns);
  }
  return end_ns;
}

}  // namespace stepbench::analyze
