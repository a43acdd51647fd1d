// SPDX-License-Identifier: Apache-2.0
// Hand-made traces for tests. Times are in nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/trace/internal/trace_builder.h"

namespace stepbench::testing {

inline constexpr std::string_view kSingleProcess =
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

inline constexpr std::int64_t kUs = 1000;
inline constexpr std::int64_t kMillisecond = 1'000'000;

class TraceMaker {
 public:
  TraceMaker() : main(builder.host_lane(4711, 4711)) {}

  void step(std::int64_t number, std::int64_t begin_ns, std::int64_t end_ns) {
    row(main, trace::EventKind::kAnnotation, "ProfilerStep#" + std::to_string(number), begin_ns,
        end_ns);
  }
  void loading(std::int64_t begin_ns, std::int64_t end_ns) {
    row(main, trace::EventKind::kAnnotation, kSingleProcess, begin_ns, end_ns);
  }
  void op(std::string_view name, std::int64_t begin_ns, std::int64_t end_ns) {
    row(main, trace::EventKind::kOp, name, begin_ns, end_ns);
  }
  void op_on(std::int64_t tid, std::string_view name, std::int64_t begin_ns, std::int64_t end_ns) {
    row(builder.host_lane(4711, tid), trace::EventKind::kOp, name, begin_ns, end_ns);
  }
  // A call that starts no work.
  void call(std::string_view name, std::int64_t begin_ns, std::int64_t end_ns) {
    row(main, trace::EventKind::kRuntime, name, begin_ns, end_ns).correlation = ++correlation_;
  }
  // Device work that no call started.
  trace::TraceEvent& work(trace::EventKind kind, std::string_view name, std::int64_t begin_ns,
                          std::int64_t end_ns, std::int64_t stream = 7, int device = 0) {
    return row(builder.stream_lane(device, stream), kind, name, begin_ns, end_ns);
  }
  trace::TraceEvent& kernel(std::string_view name, std::int64_t begin_ns, std::int64_t end_ns,
                            std::int64_t stream = 7, int device = 0) {
    return work(trace::EventKind::kKernel, name, begin_ns, end_ns, stream, device);
  }
  trace::TraceEvent& copy(std::string_view name, std::int64_t begin_ns, std::int64_t end_ns,
                          std::int64_t bytes = -1, std::int64_t stream = 20) {
    trace::TraceEvent& made = work(trace::EventKind::kMemcpy, name, begin_ns, end_ns, stream);
    made.value = bytes;
    return made;
  }
  // The step thread's call that started the previous row.
  void called(trace::TraceEvent& started, std::string_view name, std::int64_t begin_ns,
              std::int64_t end_ns, trace::EventKind kind = trace::EventKind::kRuntime) {
    started.correlation = ++correlation_;
    row(main, kind, name, begin_ns, end_ns).correlation = correlation_;
  }
  trace::TraceEvent& row(std::uint32_t lane, trace::EventKind kind, std::string_view name,
                         std::int64_t begin_ns, std::int64_t end_ns) {
    return builder.add(lane, kind, name, begin_ns, end_ns);
  }
  [[nodiscard]] trace::Trace finish() { return builder.finish(); }

  trace::TraceBuilder builder;
  std::uint32_t main;

 private:
  std::uint64_t correlation_ = 100;
};

}  // namespace stepbench::testing
