// SPDX-License-Identifier: Apache-2.0
// Properties of every trace, over thousands of random ones.
#include <random>

#include "harness/traces/analysis.h"
#include "tests/testing.h"
#include "tests/unit/traces/drawn_trace.h"
#include "tests/unit/traces/random_trace.h"

namespace stepbench::traces {
namespace {

// Brute-force reference, moment by moment: the device's work, or else the cause of its idleness.
class MomentByMoment {
 public:
  MomentByMoment(const traces::Trace& trace, const Steps& steps, const IdleReport& report)
      : windows_(steps.windows()) {
    if (windows_.empty()) return;
    at_.resize(static_cast<std::size_t>(windows_.back().end_ns - windows_.front().begin_ns));
    for (std::uint32_t lane = 0; lane < trace.lanes.size(); ++lane) {
      const traces::LaneKind kind = trace.lanes[lane].kind;
      for (const traces::TraceEvent& event : trace.lanes[lane].events) {
        const traces::NameFacts& facts = trace.names[event.name].facts;
        if (kind == traces::LaneKind::kStream &&
            (!report.device || trace.lanes[lane].device == *report.device)) {
          const bool kernel = event.kind == traces::EventKind::kKernel;
          mark(event, !kernel ? kCopy : facts.communication ? kCommunication : kCompute);
        } else if (kind == traces::LaneKind::kHost) {
          mark_host(event, facts, lane == steps.lane);
        }
      }
    }
  }

  [[nodiscard]] StepTime step(std::size_t index) const {
    StepTime out = {.wall_ns = windows_[index].length_ns()};
    for (std::int64_t ns = windows_[index].begin_ns; ns < windows_[index].end_ns; ++ns) {
      const auto& is = at_[static_cast<std::size_t>(ns - windows_.front().begin_ns)];
      const bool works = is[kCompute] || is[kCommunication] || is[kCopy];
      if (is[kFirstCause]) ++out.data_loading_ns;
      if (is[kFirstCause] && works) ++out.data_hidden_ns;
      if (is[kCompute]) {
        ++out.compute_ns;
      } else if (is[kCommunication]) {
        ++out.communication_ns;
      } else if (is[kCopy]) {
        ++out.copy_ns;
      } else {
        std::size_t cause = 0;
        while (cause + 1 < kIdleCauses && !is[kFirstCause + cause]) ++cause;
        ++out.idle_ns[cause];
      }
    }
    return out;
  }

 private:
  enum What : std::size_t { kCompute, kCommunication, kCopy, kFirstCause };

  void mark(const traces::TraceEvent& event, std::size_t what) {
    const std::int64_t from_ns = windows_.front().begin_ns;
    for (std::int64_t ns = std::max(event.start_ns, from_ns);
         ns < std::min(event.end_ns, windows_.back().end_ns); ++ns) {
      at_[static_cast<std::size_t>(ns - from_ns)][what] = true;
    }
  }
  void mark(const traces::TraceEvent& event, IdleCause cause) {
    mark(event, kFirstCause + static_cast<std::size_t>(cause));
  }
  void mark_host(const traces::TraceEvent& event, const traces::NameFacts& facts, bool main) {
    const bool call = traces::is_call(event.kind);
    const bool named =
        event.kind == traces::EventKind::kOp || event.kind == traces::EventKind::kAnnotation;
    const bool works = call || (named && facts.step < 0);
    if (works && facts.autograd) mark(event, IdleCause::kBackward);
    if (works) mark(event, main ? IdleCause::kHostOp : IdleCause::kOtherThread);
    if (!main) return;
    if (!call && facts.data_wait) mark(event, IdleCause::kDataLoading);
    if (!call) return;
    mark(event, IdleCause::kLaunch);
    if (facts.call == traces::CallClass::kSynchronize) mark(event, IdleCause::kSynchronise);
    if (facts.call == traces::CallClass::kCopy) mark(event, IdleCause::kCopyCall);
  }

  std::vector<TimeSpan> windows_;
  std::vector<std::array<bool, kFirstCause + kIdleCauses>> at_;
};

TEST(IdleProperties, EachMoment_HasTheBruteForceCause) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const traces::Trace trace = trace_of_rows(RandomTrace(seed).rows());
    const Analysis analysis = analyse(trace);
    for (const IdleReport& report : analysis.idle) {
      const MomentByMoment slow(trace, analysis.steps, report);
      for (std::size_t i = 0; i < report.steps.size(); ++i) {
        EXPECT_EQ(report.steps[i], slow.step(i)) << "seed " << seed << ", step " << i;
      }
    }
  }
}

void expect_closed(const Analysis& analysis, std::uint32_t seed) {
  for (const IdleReport& report : analysis.idle) {
    for (const StepTime& step : report.steps) {
      std::int64_t sum = 0;
      for (const StepPart& part : step_parts()) sum += part.of(step);
      EXPECT_EQ(sum, step.wall_ns) << seed;
    }
    std::array<std::int64_t, kIdleCauses> places = {};
    for (const IdlePlace& place : report.places) {
      places[static_cast<std::size_t>(place.cause)] += place.idle_ns;
    }
    places.back() = report.counted.of(IdleCause::kUnattributed);
    EXPECT_EQ(places, report.counted.idle_ns) << seed;
  }
  for (const IntegrityNote& note : analysis.integrity) EXPECT_NE(note.id, "sums_do_not_close");
}

// Rows that no sound profiler writes: they cross, repeat, have no length, belong to any call.
TEST(IdleProperties, AnyRows_SumToTheStep) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::vector<DrawnRow> rows = RandomTrace(seed, 60).rows();
    std::mt19937 random(seed);
    for (DrawnRow& row : rows) {
      if (random() % 2 == 0) continue;
      row.begin_ns = 1000 + random() % 300;
      row.end_ns = row.begin_ns + random() % (random() % 4 == 0 ? 300 : 30);
      row.correlation = random() % (rows.size() / 2 + 1);
      if (random() % 8 == 0) row.name = "ProfilerStep#" + std::to_string(random() % 900);
    }
    const traces::Trace trace = trace_of_rows(rows);
    expect_closed(analyse(trace), seed);
    expect_closed(analyse(trace, {.steps = {.from_loading = true, .numbers = {{1, 2}}}}), seed);
  }
}

TEST(IdleProperties, ExtremeTimes_DoNotOverflow) {
  constexpr std::int64_t kFar = std::int64_t{1} << 61;
  constexpr auto kCall = traces::EventKind::kRuntime;
  constexpr auto kNote = traces::EventKind::kAnnotation;
  const Analysis analysis = analyse(
      trace_of_rows({{.kind = kNote, .name = "ProfilerStep#1", .begin_ns = -kFar, .end_ns = 0},
                     {.kind = kNote, .name = "ProfilerStep#2", .begin_ns = 0, .end_ns = kFar},
                     {kCall, "cudaLaunchKernel", -kFar, -kFar + 5, 1},
                     {traces::EventKind::kKernel, "gemm", kFar - 5, kFar, 1, -1, 7, 0}}));
  expect_closed(analysis, 0);
  EXPECT_EQ(analysis.steps.steps.size(), 2U);
}

TEST(IdleProperties, PartsAndPlaces_SumToTheWhole) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    expect_closed(analyse(trace_of_rows(RandomTrace(seed, 5000).rows())), seed);
  }
}

// The order of zero-length rows at the same moment is that of the file.
TEST(IdleProperties, ShiftedOrShuffled_GiveTheSame) {
  constexpr std::int64_t kShiftNs = 1'700'000'000'123'456'789;
  for (std::uint32_t seed = 0; seed < 80; ++seed) {
    std::vector<DrawnRow> rows = RandomTrace(seed, 5000).rows();
    std::erase_if(rows, [](const DrawnRow& row) { return row.begin_ns == row.end_ns; });
    const Json wanted = steady_numbers(trace_of_rows(rows));

    traces::Trace with_notes = trace_of_rows(rows);
    with_notes.names.push_back({"ProfilerStep#1", traces::facts_of_name("ProfilerStep#1")});
    with_notes.lanes.push_back({.kind = traces::LaneKind::kDeviceNotes, .device = 0, .stream = 7});
    with_notes.lanes.back().events.push_back(
        {.start_ns = 0,
         .end_ns = 100'000,
         .name = static_cast<std::uint32_t>(with_notes.names.size() - 1),
         .lane = static_cast<std::uint32_t>(with_notes.lanes.size() - 1),
         .kind = traces::EventKind::kGpuAnnotation});
    EXPECT_EQ(steady_numbers(with_notes), wanted) << "annotations drawn over kernels, " << seed;

    std::vector<DrawnRow> changed = rows;
    std::shuffle(changed.begin(), changed.end(), std::mt19937(seed));
    EXPECT_EQ(steady_numbers(trace_of_rows(changed)), wanted) << "in another order, " << seed;

    for (DrawnRow& row : changed) {
      row.begin_ns += kShiftNs;
      row.end_ns += kShiftNs;
    }
    EXPECT_EQ(steady_numbers(trace_of_rows(changed)), wanted) << "at another time, " << seed;
  }
}

TEST(IdleProperties, Microseconds_ScaleTheNumbers) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    std::vector<DrawnRow> rows = RandomTrace(seed).rows();
    const Analysis fine = analyse(trace_of_rows(rows));
    for (DrawnRow& row : rows) {
      row.begin_ns *= 1000;
      row.end_ns *= 1000;
    }
    const Analysis wide = analyse(trace_of_rows(rows));
    ASSERT_EQ(fine.idle.size(), wide.idle.size());
    for (std::size_t i = 0; i < fine.idle.size(); ++i) {
      for (const StepPart& part : step_parts()) {
        EXPECT_EQ(1000 * part.of(fine.idle[i].counted), part.of(wide.idle[i].counted)) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace stepbench::traces
