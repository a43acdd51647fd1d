// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/critical_path.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/analyze/wait_graph.h"
#include "harness/text/numbers.h"

namespace stepbench::analyze {
namespace {

// More of the devices' time without a call that launched it, and nothing can be said.
constexpr double kMostUnlaunched = 0.05;

// From the end of all work back to the beginning of the window, from what waits to what it waited
// for: contiguous, so that the parts sum to the whole.
class PathWalk {
 public:
  PathWalk(const WaitGraph& graph, CriticalPath& out) : graph_(graph), out_(out) {}

  void walk() {
    const std::int64_t end_ns = graph_.end_ns();
    std::uint32_t row = kNoWaitRow;
    if (end_ns > graph_.window().end_ns) row = last_row(end_ns);
    std::int64_t at_ns = graph_.window().end_ns;
    while (at_ns > begin_ns()) {
      if (row == kNoWaitRow) {
        std::tie(row, at_ns) = along_host(at_ns);
      } else {
        std::tie(row, at_ns) = along_device(row);
      }
    }
    for (auto& [key, place] : places_) out_.places.push_back(place);
    std::stable_sort(out_.places.begin(), out_.places.end(),
                     [](const PathPlace& a, const PathPlace& b) { return a.ns > b.ns; });
  }

 private:
  // Where to go on: from the end of a row, or at a moment of the host.
  using Next = std::pair<std::uint32_t, std::int64_t>;

  [[nodiscard]] std::int64_t begin_ns() const { return graph_.window().begin_ns; }

  [[nodiscard]] std::uint32_t last_row(std::int64_t end_ns) const {
    for (std::uint32_t i = 0; i < graph_.rows().size(); ++i) {
      const WaitRow& row = graph_.rows()[i];
      if (row.at.end_ns == end_ns && graph_.in_window(row)) return i;
    }
    return kNoWaitRow;
  }

  void add(PathKind kind, std::uint32_t name, std::int64_t from_ns, std::int64_t to_ns) {
    const std::int64_t ns = to_ns - std::max(from_ns, begin_ns());
    if (ns <= 0) return;
    out_.ns[static_cast<std::size_t>(kind)] += ns;
    PathPlace& place = places_[{kind, name}];
    place.kind = kind;
    place.name = name;
    place.ns += ns;
    ++place.times;
  }

  Next along_host(std::int64_t at_ns) {
    const std::vector<HostPiece>& pieces = graph_.pieces();
    const auto after =
        std::partition_point(pieces.begin(), pieces.end(),
                             [&](const HostPiece& piece) { return piece.at.begin_ns < at_ns; });
    if (after == pieces.begin()) return {kNoWaitRow, begin_ns()};
    const HostPiece& piece = *(after - 1);
    if (piece.waits_for != kNoWaitRow && at_ns == piece.at.end_ns) {
      const std::int64_t ended_ns = graph_.rows()[piece.waits_for].at.end_ns;
      add(piece.kind, piece.name, ended_ns, at_ns);
      return {piece.waits_for, ended_ns};
    }
    add(piece.kind, piece.name, piece.at.begin_ns, at_ns);
    return {kNoWaitRow, piece.at.begin_ns};
  }

  Next along_device(std::uint32_t index) {
    const WaitRow& row = graph_.rows()[index];
    add(row.kind, row.name, row.at.begin_ns, row.at.end_ns);
    if (row.binding == RowBinding::kLaunch) {
      add(PathKind::kLaunch, row.name, row.launch_ns, row.at.begin_ns);
      return {kNoWaitRow, row.launch_ns};
    }
    const std::uint32_t before = row.binding == RowBinding::kStream ? row.previous : row.other;
    const std::int64_t ended_ns = graph_.rows()[before].at.end_ns;
    add(PathKind::kQueue, row.name, ended_ns, row.at.begin_ns);
    return {before, ended_ns};
  }

  const WaitGraph& graph_;
  CriticalPath& out_;
  std::map<std::pair<PathKind, std::uint32_t>, PathPlace> places_;
};

}  // namespace

ValueOrReason<CriticalPath> find_critical_path(const Timeline& timeline, const Steps& steps) {
  const std::vector<std::size_t> counted = steps.counted();
  if (counted.empty() || steps.lane == ops::kNoIndex) {
    return ValueOrReason<CriticalPath>::absent("the trace has no step, or no thread that makes it");
  }
  CriticalPath out;
  const TimeSpan window = {steps.steps[counted.front()].window.begin_ns,
                           steps.steps[counted.back()].window.end_ns};
  out.steps = std::int64_t(counted.back() - counted.front()) + 1;
  out.step_ns = double(window.length_ns()) / double(out.steps);
  const WaitGraph graph(timeline, steps, window);
  std::int64_t busy_ns = 0;
  for (const WaitRow& row : graph.rows()) busy_ns += row.at.length_ns();
  if (double(graph.unlaunched_ns()) > kMostUnlaunched * double(busy_ns)) {
    return ValueOrReason<CriticalPath>::absent(
        text::percent_text(double(graph.unlaunched_ns()) / double(busy_ns)) +
        " of the devices' time has no call that launched it: what it waited for is not known");
  }
  out.window = {window.begin_ns, graph.end_ns()};
  out.path_ns = out.window.length_ns();
  out.launch_ns = graph.launch_ns();
  out.guessed_waits = graph.guessed_waits();
  PathWalk(graph, out).walk();
  return out;
}

}  // namespace stepbench::analyze
