// SPDX-License-Identifier: Apache-2.0
// The frames of Python that a profiler recorded of one thread: which function was running, who
// called it, and what a stretch of time was spent in. Pure; any thread.
//
//   PythonFrames frames(trace, lane);
//   for (const PythonShare& share : frames.shares_of(gap)) ...
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/analyze/interval_set.h"
#include "harness/trace/trace.h"

namespace stepbench::analyze {

// "train.py(31): main", not "torch/serialization.py(940): save" nor "<built-in function sleep>".
[[nodiscard]] bool is_users_frame(std::string_view name);

// What a part of a stretch was spent in. Texts are Trace::names.
struct PythonShare {
  std::uint32_t function = ops::kNoIndex;  // none: no frame covers it
  std::uint32_t caller =
      ops::kNoIndex;  // the user's frame that called it; none: it is the user's own
  const trace::TraceEvent* row = nullptr;  // the longest of `function` there
  std::int64_t ns = 0;
};

class PythonFrames {
 public:
  PythonFrames() = default;
  PythonFrames(const trace::Trace& trace, const trace::TraceLane& lane);

  [[nodiscard]] bool empty() const { return frames_.empty(); }
  // The user's frame that runs, or from which a library runs, at this moment; kNoIndex: none.
  [[nodiscard]] std::uint32_t user_at(std::int64_t at_ns) const;
  // Sums to the stretch. A function is named where it, with all that it calls, covers a fifth of
  // the stretch; what is less counts as its caller's. Not const: it keeps room for its sums.
  [[nodiscard]] std::vector<PythonShare> shares_of(TimeSpan stretch);

 private:
  static constexpr std::uint32_t kNoFrame = 0xffffffffU;
  struct Frame {
    const trace::TraceEvent* row = nullptr;
    std::uint32_t parent = kNoFrame;
    std::int64_t covered_ns = 0;  // of the stretch that is looked at
    std::uint32_t named_as = kNoFrame;
    bool touched = false;
  };
  // In which a frame was the innermost; sorted, disjoint.
  struct Piece {
    TimeSpan at = {};
    std::uint32_t frame = 0;
  };

  [[nodiscard]] bool is_users(std::uint32_t frame) const;
  [[nodiscard]] std::uint32_t users_around(std::uint32_t frame) const;
  [[nodiscard]] PythonShare share_of(std::uint32_t frame) const;

  const trace::Trace* trace_ = nullptr;
  std::vector<Frame> frames_;  // by start: callers before what they call
  std::vector<Piece> pieces_;
  std::vector<bool> users_;  // by name
};

}  // namespace stepbench::analyze
