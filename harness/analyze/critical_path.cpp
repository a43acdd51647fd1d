// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/critical_path.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/analyze/replay.h"
#include "harness/text/numbers.h"

namespace stepbench::analyze {
namespace {

// More of the devices' time without a call that launched it, and nothing can be said.
constexpr double kMostUnlaunched = 0.05;

// From the end of all work back to the beginning of the window, from what waits to what it waited
// for: contiguous, so that the parts sum to the whole.
class PathWalk {
 public:
  PathWalk(const StepReplay& replay, CriticalPath& out) : replay_(replay), out_(out) {}

  void walk() {
    const std::int64_t end_ns = replay_.measured_end_ns();
    std::uint32_t row = kNoReplayRow;
    if (end_ns > replay_.window().end_ns) row = last_row(end_ns);
    std::int64_t at_ns = replay_.window().end_ns;
    while (at_ns > begin_ns()) {
      if (row == kNoReplayRow) {
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

  [[nodiscard]] std::int64_t begin_ns() const { return replay_.window().begin_ns; }

  [[nodiscard]] std::uint32_t last_row(std::int64_t end_ns) const {
    for (std::uint32_t i = 0; i < replay_.rows().size(); ++i) {
      const ReplayRow& row = replay_.rows()[i];
      if (row.at.end_ns == end_ns && replay_.in_window(row)) return i;
    }
    return kNoReplayRow;
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
    const std::vector<HostPiece>& pieces = replay_.pieces();
    const auto after =
        std::partition_point(pieces.begin(), pieces.end(),
                             [&](const HostPiece& piece) { return piece.at.begin_ns < at_ns; });
    if (after == pieces.begin()) return {kNoReplayRow, begin_ns()};
    const HostPiece& piece = *(after - 1);
    if (piece.waits_for != kNoReplayRow && at_ns == piece.at.end_ns) {
      const std::int64_t ended_ns = replay_.rows()[piece.waits_for].at.end_ns;
      add(piece.kind, piece.name, ended_ns, at_ns);
      return {piece.waits_for, ended_ns};
    }
    add(piece.kind, piece.name, piece.at.begin_ns, at_ns);
    return {kNoReplayRow, piece.at.begin_ns};
  }

  Next along_device(std::uint32_t index) {
    const ReplayRow& row = replay_.rows()[index];
    add(row.kind, row.name, row.at.begin_ns, row.at.end_ns);
    if (row.binding == RowBinding::kLaunch) {
      add(PathKind::kLaunch, row.name, row.launch_ns, row.at.begin_ns);
      return {kNoReplayRow, row.launch_ns};
    }
    const std::uint32_t before = row.binding == RowBinding::kStream ? row.previous : row.other;
    const std::int64_t ended_ns = replay_.rows()[before].at.end_ns;
    add(PathKind::kQueue, row.name, ended_ns, row.at.begin_ns);
    return {before, ended_ns};
  }

  const StepReplay& replay_;
  CriticalPath& out_;
  std::map<std::pair<PathKind, std::uint32_t>, PathPlace> places_;
};

constexpr unsigned free_of(PathKind kind) { return 1U << static_cast<unsigned>(kind); }

// What takes no time: sets of PathKind.
struct Scenario {
  std::string_view name;
  unsigned host;
  unsigned device;
  bool launch_delay = false;
};

constexpr Scenario kScenarios[] = {
    {"data loading", free_of(PathKind::kLoading), 0},
    {"copies", 0, free_of(PathKind::kCopy)},
    {"communication", free_of(PathKind::kCommunication), free_of(PathKind::kCommunication)},
    {"computing kernels", 0, free_of(PathKind::kCompute)},
    {"launch calls and their delay", free_of(PathKind::kLaunch), 0, true},
    {"the host's own work",
     free_of(PathKind::kLaunch) | free_of(PathKind::kOperators) | free_of(PathKind::kUnknown), 0,
     true},
    {"waits of the host for the device", free_of(PathKind::kWait), 0},
};

void ask_what_if(const StepReplay& replay, CriticalPath& out) {
  for (const Scenario& scenario : kScenarios) {
    FreeWork free{.launch_delay = scenario.launch_delay};
    for (std::size_t i = 0; i < kPathKinds; ++i) {
      const unsigned kind = free_of(static_cast<PathKind>(i));
      free.host[i] = (scenario.host & kind) != 0;
      free.device[i] = (scenario.device & kind) != 0;
    }
    const std::int64_t won_ns = replay.measured_end_ns() - replay.end_ns(free);
    if (won_ns <= 0) continue;
    const double step_ns = out.step_ns - double(won_ns) / double(out.steps);
    out.what_ifs.push_back({scenario.name, std::max(0.0, step_ns)});
  }
  std::stable_sort(out.what_ifs.begin(), out.what_ifs.end(),
                   [](const WhatIf& a, const WhatIf& b) { return a.step_ns < b.step_ns; });
}

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
  const StepReplay replay(timeline, steps, window);
  std::int64_t busy_ns = 0;
  for (const ReplayRow& row : replay.rows()) busy_ns += row.at.length_ns();
  if (double(replay.unlaunched_ns()) > kMostUnlaunched * double(busy_ns)) {
    return ValueOrReason<CriticalPath>::absent(
        text::percent_text(double(replay.unlaunched_ns()) / double(busy_ns)) +
        " of the devices' time has no call that launched it: what it waited for is not known");
  }
  out.window = {window.begin_ns, replay.measured_end_ns()};
  out.path_ns = out.window.length_ns();
  out.launch_ns = replay.launch_ns();
  out.guessed_waits = replay.guessed_waits();
  PathWalk(replay, out).walk();
  ask_what_if(replay, out);
  return out;
}

}  // namespace stepbench::analyze
