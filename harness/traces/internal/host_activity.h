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
#include "harness/traces/internal/nesting.h"
#include "harness/traces/internal/timeline.h"
#include "harness/traces/trace.h"

namespace stepbench::traces {

// A span of one thread during which the same row was the innermost.
struct InnerRow {
  TimeSpan at = {};
  const TraceEvent* row = nullptr;
  const TraceEvent* op = nullptr;  // the same; for a call: the innermost row around it that is none
};

// Returns the innermost op, annotation or loader row at each moment of a thread, without steps, as
// sorted and disjoint spans. Includes calls if `calls` is set.
[[nodiscard]] std::vector<InnerRow> innermost_rows(const Trace& trace, const TraceLane& lane,
                                                   bool calls);

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

// A span of a host row that can explain idle time. Names index Trace::names.
struct Stretch {
  TimeSpan at = {};
  std::uint32_t name = ops::kNoIndex;
  std::uint32_t call = ops::kNoIndex;
  const TraceEvent* row = nullptr;
};

struct OtherThread {
  std::uint32_t lane = 0;
  std::vector<Stretch> stretches = {};
  IntervalSet set = {};
  IntervalSet backward = {};  // autograd's part of `set`
};

struct HostActivity {
  // `main` is the step thread; kNoIndex: no step thread.
  HostActivity(const Timeline& timeline, std::uint32_t main);

  // Of the step thread, sorted and disjoint; none of backward, of other threads and unattributed.
  ByCause<std::vector<Stretch>> stretches;
  ByCause<IntervalSet> explaining;   // moments that each cause explains; kUnattributed: none
  IntervalSet main_backward;         // autograd on the step thread
  std::vector<OtherThread> threads;  // the busiest other threads, one entry each

 private:
  void add_step_thread(const Timeline& timeline, std::uint32_t main);
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

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  // The user's frame that runs, or calls the running library, at this moment; kNoIndex: none.
  [[nodiscard]] std::uint32_t user_at(std::int64_t at_ns) const;
  // Returns shares that sum to the span. A function is listed if it and its callees cover at least
  // a fifth of the span; smaller shares count as their caller's. Not const: reuses its buffers.
  [[nodiscard]] std::vector<PythonShare> shares_of(TimeSpan stretch);

 private:
  // What the current span has of each of `rows_`.
  struct Frame {
    std::int64_t covered_ns = 0;
    std::uint32_t named_as = ops::kNoIndex;
    bool touched = false;
  };

  [[nodiscard]] bool is_users(std::uint32_t frame) const;
  [[nodiscard]] std::uint32_t users_around(std::uint32_t frame) const;
  [[nodiscard]] PythonShare share_of(std::uint32_t frame) const;

  std::vector<NestedRow> rows_;
  std::vector<Nesting::Piece> pieces_;
  std::vector<Frame> frames_;
  std::vector<bool> users_;  // indexed by name
};

}  // namespace stepbench::traces
