// SPDX-License-Identifier: Apache-2.0
// A stretch of a trace as a graph of what waits for what, which can be run again with work left
// out; critical_path.h says what it knows. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "harness/analyze/path_kind.h"
#include "harness/analyze/steps.h"

namespace stepbench::analyze {

inline constexpr std::uint32_t kNoReplayRow = std::numeric_limits<std::uint32_t>::max();

// A piece of the host's chain. Pieces touch.
struct HostPiece {
  TimeSpan at = {};
  PathKind kind = PathKind::kUnknown;
  std::uint32_t name = ops::kNoIndex;  // Trace::names
  bool copies = false;                 // a call that copies, and may wait for its own row
  // StepReplay::rows(): it ends when this row has ended, and then as long after it as it did.
  std::uint32_t waits_for = kNoReplayRow;
};

// What held a row back.
enum class RowBinding : std::uint8_t { kLaunch, kStream, kOtherStream };

struct ReplayRow {
  TimeSpan at = {};
  PathKind kind = PathKind::kCompute;
  RowBinding binding = RowBinding::kLaunch;
  std::uint32_t name = ops::kNoIndex;
  std::uint32_t lane = 0;                 // its stream
  std::uint32_t previous = kNoReplayRow;  // on its stream
  std::uint32_t other = kNoReplayRow;     // of another stream, that it seems to wait for
  std::int64_t launch_ns = 0;             // begin of its call; of a row without one its own
  // The least that passes after each of these.
  std::int64_t after_launch_ns = 0;
  std::int64_t after_previous_ns = 0;
  std::int64_t after_other_ns = 0;
};

// Kinds of work that take no time.
struct FreeWork {
  std::array<bool, kPathKinds> host = {};
  std::array<bool, kPathKinds> device = {};
  bool launch_delay = false;  // from a call to its row
};

class StepReplay {
 public:
  // Of the window, and of what was launched in it. Rows that were launched before keep their
  // launch.
  StepReplay(const Timeline& timeline, const Steps& steps, TimeSpan window);

  // When the host is at the end of the window, and all that was launched in it has ended.
  [[nodiscard]] std::int64_t end_ns(const FreeWork& free) const;
  [[nodiscard]] std::int64_t measured_end_ns() const;
  [[nodiscard]] bool in_window(const ReplayRow& row) const {
    return row.launch_ns >= window_.begin_ns;
  }

  [[nodiscard]] TimeSpan window() const { return window_; }
  [[nodiscard]] const std::vector<HostPiece>& pieces() const { return pieces_; }
  [[nodiscard]] const std::vector<ReplayRow>& rows() const { return rows_; }  // in running order
  // The median from a call to its row on a stream that has nothing to do.
  [[nodiscard]] std::int64_t launch_ns() const { return launch_ns_; }
  [[nodiscard]] std::int64_t guessed_waits() const { return guessed_waits_; }
  [[nodiscard]] std::int64_t unlaunched_ns() const { return unlaunched_ns_; }  // of rows

 private:
  void add_pieces(const Timeline& timeline, std::uint32_t main);
  void add_rows(const Timeline& timeline);
  void order_rows();
  void find_launch_delay();
  void bind_rows();
  void find_waits();
  [[nodiscard]] std::uint32_t row_before(std::int64_t at_ns, std::uint32_t index) const;

  TimeSpan window_;
  std::vector<HostPiece> pieces_;
  std::vector<ReplayRow> rows_;
  std::vector<std::uint32_t> by_end_;  // rows
  std::int64_t launch_ns_ = 0;
  std::int64_t guessed_waits_ = 0;
  std::int64_t unlaunched_ns_ = 0;
};

}  // namespace stepbench::analyze
