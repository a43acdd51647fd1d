// SPDX-License-Identifier: Apache-2.0
// Rows as no sound profiler writes them: they cross, repeat, have no length, lie on lanes of all
// kinds and far from each other. Nothing breaks, sums close, and no analysis takes for ever.
#include <gtest/gtest.h>

#include <random>

#include "harness/analyze/analysis.h"
#include "harness/trace/trace_builder.h"

namespace stepbench::analyze {
namespace {

class Chaos {
 public:
  explicit Chaos(std::uint32_t seed) : random_(seed) {}

  trace::Trace make(std::int64_t rows, std::int64_t extent_ns) {
    static constexpr std::string_view kNames[] = {"ProfilerStep#1",
                                                  "ProfilerStep#2",
                                                  "ProfilerStep#3",
                                                  "ProfilerStep#900",
                                                  "enumerate(DataLoader)#_X.__next__",
                                                  "aten::mm",
                                                  "aten::to",
                                                  "Optimizer.step#SGD.step",
                                                  "cudaLaunchKernel",
                                                  "cudaMemcpy",
                                                  "cudaStreamSynchronize",
                                                  "cudaFree",
                                                  "cudaGraphLaunch",
                                                  "Memcpy HtoD (Pageable -> Device)",
                                                  "Memset (Device)",
                                                  "ncclKernel",
                                                  "gemm",
                                                  ""};
    const std::int64_t lanes = 1 + below(6);
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t begin = below(extent_ns);
      const std::int64_t end = std::min(extent_ns, begin + below(below(4) == 0 ? extent_ns : 30));
      const bool device = below(3) == 0;
      const auto kind = static_cast<trace::EventKind>(
          device ? static_cast<std::int64_t>(trace::EventKind::kKernel) + below(3) : below(7));
      const std::uint32_t lane = device ? builder_.stream_lane(static_cast<int>(below(3)), below(3))
                                 : kind == trace::EventKind::kSpan
                                     ? builder_.other_lane("Spans")
                                     : builder_.host_lane(1, below(lanes));
      trace::TraceEvent& event =
          builder_.add(lane, kind, kNames[below(std::size(kNames))], begin, end);
      event.correlation = static_cast<std::uint64_t>(below(rows / 2 + 1));
      event.value = below(3) == 0 ? -1 : below(1000);
    }
    return builder_.finish();
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random_);
  }
  trace::TraceBuilder builder_;
  std::mt19937 random_;
};

void expect_closed(const Analysis& analysis, std::uint32_t seed) {
  for (const IntegrityNote& note : analysis.integrity) {
    EXPECT_NE(note.id, "sums_do_not_close") << seed;
    EXPECT_FALSE(note.text.empty());
  }
  for (const IdleReport& report : analysis.idle) {
    std::array<std::int64_t, kIdleCauses> places = {};
    for (const IdlePlace& place : report.places) {
      places[static_cast<std::size_t>(place.cause)] += place.idle_ns;
    }
    places.back() = report.counted.of(IdleCause::kUnattributed);
    EXPECT_EQ(places, report.counted.idle_ns) << seed;
  }
}

TEST(Chaos, OfFewRowsClosesItsSums) {
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    const trace::Trace trace = Chaos(seed).make(1 + seed % 60, 300);
    expect_closed(analyse(trace), seed);
    expect_closed(analyse(trace, {.steps = {.from_loading = true, .numbers = {{1, 2}}}}), seed);
  }
}

TEST(Chaos, OfManyRowsClosesItsSums) {
  for (std::uint32_t seed = 0; seed < 3; ++seed) {
    const trace::Trace trace = Chaos(seed).make(20'000, 1'000'000);
    expect_closed(analyse(trace), seed);
  }
}

TEST(Chaos, OfTimesAtBothEndsOfTheClockDoesNotOverflow) {
  constexpr std::int64_t kFar = std::int64_t{1} << 61;
  trace::TraceBuilder builder;
  const std::uint32_t lane = builder.host_lane(1, 1);
  builder.add(lane, trace::EventKind::kAnnotation, "ProfilerStep#1", -kFar, 0);
  builder.add(lane, trace::EventKind::kAnnotation, "ProfilerStep#2", 0, kFar);
  builder.add(lane, trace::EventKind::kRuntime, "cudaLaunchKernel", -kFar, -kFar + 5).correlation =
      1;
  builder.add(builder.stream_lane(0, 7), trace::EventKind::kKernel, "gemm", kFar - 5, kFar)
      .correlation = 1;
  const Analysis analysis = analyse(builder.finish());
  expect_closed(analysis, 0);
  EXPECT_EQ(analysis.steps.steps.size(), 2U);
}

TEST(Chaos, OfManyThreadsTakesNoLongerThanTheirRows) {
  trace::TraceBuilder builder;
  builder.add(builder.host_lane(1, 0), trace::EventKind::kAnnotation, "ProfilerStep#1", 0,
              1'000'000);
  for (std::int64_t i = 1; i <= 20'000; ++i) {
    builder.add(builder.host_lane(1, i), trace::EventKind::kOp, "aten::mm", 10 * i, 10 * i + 8);
    builder.add(builder.stream_lane(static_cast<int>(i % 300), i), trace::EventKind::kKernel,
                "gemm", 20 * i, 20 * i + 3);
  }
  const Analysis analysis = analyse(builder.finish());
  expect_closed(analysis, 0);
  EXPECT_EQ(analysis.devices.size(), 300U);
}

}  // namespace
}  // namespace stepbench::analyze
