// SPDX-License-Identifier: Apache-2.0
// Hand-made traces for tests. Times are in nanoseconds.
#pragma once

#include "harness/traces/internal/trace_builder.h"
#include "tests/testing.h"

namespace stepbench {

inline constexpr std::string_view kSingleProcess =
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

inline constexpr std::int64_t kUs = 1000;
inline constexpr std::int64_t kMillisecond = 1'000'000;

class TraceMaker {
 public:
  TraceMaker() : main(builder.host_lane(4711, 4711)) {}

  void step(std::int64_t number, std::int64_t begin_ns, std::int64_t end_ns) {
    row(main, traces::EventKind::kAnnotation, "ProfilerStep#" + std::to_string(number), begin_ns,
        end_ns);
  }
  void loading(std::int64_t begin_ns, std::int64_t end_ns) {
    row(main, traces::EventKind::kAnnotation, kSingleProcess, begin_ns, end_ns);
  }
  void op(std::string_view name, std::int64_t begin_ns, std::int64_t end_ns) {
    row(main, traces::EventKind::kOp, name, begin_ns, end_ns);
  }
  void op_on(std::int64_t tid, std::string_view name, std::int64_t begin_ns, std::int64_t end_ns) {
    row(builder.host_lane(4711, tid), traces::EventKind::kOp, name, begin_ns, end_ns);
  }
  // A call that starts no work.
  void call(std::string_view name, std::int64_t begin_ns, std::int64_t end_ns) {
    row(main, traces::EventKind::kRuntime, name, begin_ns, end_ns).correlation = ++correlation_;
  }
  // Device work that no call started.
  traces::TraceEvent& work(traces::EventKind kind, std::string_view name, std::int64_t begin_ns,
                           std::int64_t end_ns, std::int64_t stream = 7, int device = 0) {
    return row(builder.stream_lane(device, stream), kind, name, begin_ns, end_ns);
  }
  traces::TraceEvent& kernel(std::string_view name, std::int64_t begin_ns, std::int64_t end_ns,
                             std::int64_t stream = 7, int device = 0) {
    return work(traces::EventKind::kKernel, name, begin_ns, end_ns, stream, device);
  }
  traces::TraceEvent& copy(std::string_view name, std::int64_t begin_ns, std::int64_t end_ns,
                           std::int64_t bytes = -1, std::int64_t stream = 20) {
    traces::TraceEvent& made = work(traces::EventKind::kMemcpy, name, begin_ns, end_ns, stream);
    made.value = bytes;
    return made;
  }
  // The step thread's call that started the previous row.
  void called(traces::TraceEvent& started, std::string_view name, std::int64_t begin_ns,
              std::int64_t end_ns, traces::EventKind kind = traces::EventKind::kRuntime) {
    started.correlation = ++correlation_;
    row(main, kind, name, begin_ns, end_ns).correlation = correlation_;
  }
  traces::TraceEvent& row(std::uint32_t lane, traces::EventKind kind, std::string_view name,
                          std::int64_t begin_ns, std::int64_t end_ns) {
    return builder.add(lane, kind, name, begin_ns, end_ns);
  }
  [[nodiscard]] traces::Trace finish() { return builder.finish(); }

  traces::TraceBuilder builder;
  std::uint32_t main;

 private:
  std::uint64_t correlation_ = 100;
};

}  // namespace stepbench
