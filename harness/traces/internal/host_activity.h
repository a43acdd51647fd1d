// SPDX-License-Identifier: Apache-2.0
// Activity of the host's threads: the sets of moments that explain why a device was idle, and the
// Python frames that a profiler recorded on a thread. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/traces/internal/interval_set.h"
#include "harness/traces/internal/timeline.h"
#include "harness/traces/trace.h"

namespace stepbench::traces {

// A span of one thread during which the same row was the innermost.
struct InnerRow {
  TimeSpan at = {};
  const TraceEvent* row = nullptr;
  const TraceEvent* op = nullptr;  // for a call: the innermost row around it that is no call
};

// Returns the innermost op, annotation or loader row at each moment of a thread, without steps, as
// sorted and disjoint spans. Includes calls if `calls` is set.
[[nodiscard]] std::vector<InnerRow> innermost_rows(const Trace& trace, const TraceLane& lane,
                                                   bool calls);

struct OtherThread {
  std::uint32_t lane = 0;
  IntervalSet set;
  IntervalSet backward;  // autograd's part of `set`
};

// In the order in which causes claim idle time: an earlier cause hides a later one, so collating
// inside a data fetch counts as data loading.
enum class IdleCause : std::uint8_t {
  kDataLoading,  // the step thread fetches a batch
  kSynchronise,  // the step thread waits in a synchronising call
  kCopyCall,     // the step thread is inside a call that copies
  kLaunch,       // the step thread is inside another call of the runtime or driver
  kBackward,     // autograd runs, on any thread
  kHostOp,       // the step thread is inside an op or annotation
  kOtherThread,  // another thread is inside an op, annotation or call
  kUnattributed  // not covered by any row
};
constexpr EnumNames<8> names_of(IdleCause) {
  return {"data_loading", "synchronise", "copy_call",    "launch",
          "backward",     "host_op",     "other_thread", "unattributed"};
}
inline constexpr std::size_t kIdleCauses = 8;

template <typename Value>
struct ByCause : std::array<Value, kIdleCauses> {
  using std::array<Value, kIdleCauses>::operator[];
  [[nodiscard]] Value& operator[](IdleCause cause) { return (*this)[std::size_t(cause)]; }
  [[nodiscard]] const Value& operator[](IdleCause cause) const {
    return (*this)[std::size_t(cause)];
  }
};

[[nodiscard]] IdleCause cause_of_call(CallClass call);

struct HostSets {
  // `main` is the step thread; kNoIndex: no step thread.
  HostSets(const Trace& trace, std::uint32_t main);

  ByCause<IntervalSet> explaining;   // moments that each cause explains; kUnattributed: none
  IntervalSet main_backward;         // autograd on the step thread
  std::vector<OtherThread> threads;  // the busiest other threads, one entry each
};

// Ops and annotations open at a moment of a thread, innermost last. Moments must be queried in
// ascending order.
class OpenRows {
 public:
  explicit OpenRows(const TraceLane& lane) : lane_(lane) {}
  [[nodiscard]] const std::vector<const TraceEvent*>& at(std::int64_t at_ns);

 private:
  void close_until(std::int64_t at_ns);

  const TraceLane& lane_;
  std::size_t next_ = 0;
  std::vector<const TraceEvent*> open_;
};

// The Python frames of one thread: the running function, its caller, and the functions in which a
// span of time was spent.
//
//   PythonFrames frames(trace, lane);
//   for (const PythonShare& share : frames.shares_of(gap)) ...

// "train.py(31): main", not "torch/serialization.py(940): save" or "<built-in function sleep>".
[[nodiscard]] bool is_users_frame(std::string_view name);

// One function's share of a span. Names index Trace::names.
struct PythonShare {
  std::uint32_t function = ops::kNoIndex;  // kNoIndex: not covered by any frame
  std::uint32_t caller =
      ops::kNoIndex;  // the user's frame that called it; kNoIndex: it is the user's own
  const TraceEvent* row = nullptr;  // the longest row of `function` in the span
  std::int64_t ns = 0;
};

class PythonFrames {
 public:
  PythonFrames() = default;
  PythonFrames(const Trace& trace, const TraceLane& lane);

  [[nodiscard]] bool empty() const { return frames_.empty(); }
  // The user's frame that runs, or calls the running library, at this moment; kNoIndex: none.
  [[nodiscard]] std::uint32_t user_at(std::int64_t at_ns) const;
  // Returns shares that sum to the span. A function is listed if it and its callees cover at least
  // a fifth of the span; smaller shares count as their caller's. Not const: reuses its buffers.
  [[nodiscard]] std::vector<PythonShare> shares_of(TimeSpan stretch);

 private:
  static constexpr std::uint32_t kNoFrame = 0xffffffffU;
  struct Frame {
    const TraceEvent* row = nullptr;
    std::uint32_t parent = kNoFrame;
    std::int64_t covered_ns = 0;  // part of the current span
    std::uint32_t named_as = kNoFrame;
    bool touched = false;
  };
  // A span in which `frame` was the innermost; sorted, disjoint.
  struct Piece {
    TimeSpan at = {};
    std::uint32_t frame = 0;
  };

  [[nodiscard]] bool is_users(std::uint32_t frame) const;
  [[nodiscard]] std::uint32_t users_around(std::uint32_t frame) const;
  [[nodiscard]] PythonShare share_of(std::uint32_t frame) const;

  const Trace* trace_ = nullptr;
  std::vector<Frame> frames_;  // sorted by start: callers precede callees
  std::vector<Piece> pieces_;
  std::vector<bool> users_;  // indexed by name
};

}  // namespace stepbench::traces
