// SPDX-License-Identifier: Apache-2.0
// A stretch of a trace as a graph of what waits for what; critical_path.h says what it knows.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "harness/analyze/path_kind.h"
#include "harness/analyze/steps.h"

namespace stepbench::analyze {

inline constexpr std::uint32_t kNoWaitRow = std::numeric_limits<std::uint32_t>::max();

// A piece of the host's chain. Pieces touch.
struct HostPiece {
  TimeSpan at = {};
  PathKind kind = PathKind::kUnknown;
  std::uint32_t name = ops::kNoIndex;  // Trace::names
  bool copies = false;                 // a call that copies, and may wait for its own row
  // WaitGraph::rows(): it ended when this row had ended.
  std::uint32_t waits_for = kNoWaitRow;
};

// What held a row back.
enum class RowBinding : std::uint8_t { kLaunch, kStream, kOtherStream };

struct WaitRow {
  TimeSpan at = {};
  PathKind kind = PathKind::kCompute;
  RowBinding binding = RowBinding::kLaunch;
  std::uint32_t name = ops::kNoIndex;
  std::uint32_t lane = 0;               // its stream
  std::uint32_t previous = kNoWaitRow;  // on its stream
  std::uint32_t other = kNoWaitRow;     // of another stream, that it seems to wait for
  std::int64_t launch_ns = 0;           // begin of its call; of a row without one its own
};

class WaitGraph {
 public:
  // Of the window, and of what was launched in it. Rows that were launched before keep their
  // launch.
  WaitGraph(const Timeline& timeline, const Steps& steps, TimeSpan window);

  // When the host is at the end of the window, and all that was launched in it has ended.
  [[nodiscard]] std::int64_t end_ns() const;
  [[nodiscard]] bool in_window(const WaitRow& row) const {
    return row.launch_ns >= window_.begin_ns;
  }

  [[nodiscard]] TimeSpan window() const { return window_; }
  [[nodiscard]] const std::vector<HostPiece>& pieces() const { return pieces_; }
  [[nodiscard]] const std::vector<WaitRow>& rows() const { return rows_; }  // in running order
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
  std::vector<WaitRow> rows_;
  std::vector<std::uint32_t> by_end_;  // rows
  std::int64_t launch_ns_ = 0;
  std::int64_t guessed_waits_ = 0;
  std::int64_t unlaunched_ns_ = 0;
};

}  // namespace stepbench::analyze
