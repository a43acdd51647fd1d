// SPDX-License-Identifier: Apache-2.0
// What holds of every trace, over thousands of random ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "harness/analyze/analysis.h"
#include "tests/unit/analyze/random_trace.h"

namespace stepbench::analyze {
namespace {

using ::stepbench::testing::DrawnRow;
using ::stepbench::testing::RandomTrace;
using ::stepbench::testing::trace_of_rows;

// The same question, answered moment by moment: what did the device do, and if nothing, who was it?
class MomentByMoment {
 public:
  MomentByMoment(const trace::Trace& trace, const Steps& steps) : trace_(trace), steps_(steps) {}

  StepTime step(std::size_t index, const IdleReport& report) const {
    const TimeSpan window = steps_.steps[index].window;
    StepTime out = {.wall_ns = window.length_ns()};
    for (std::int64_t at = window.begin_ns; at < window.end_ns; ++at) {
      const bool loading =
          on_main(at, [&](const trace::TraceEvent& event) { return loads(event); });
      if (loading) ++out.data_loading_ns;
      if (device(at, report, [](const trace::TraceEvent& event, const trace::NameFacts& facts) {
            return event.kind == trace::EventKind::kKernel && !facts.communication;
          })) {
        ++out.compute_ns;
        if (loading) ++out.data_hidden_ns;
      } else if (device(at, report, [](const trace::TraceEvent& event, const trace::NameFacts&) {
                   return event.kind == trace::EventKind::kKernel;
                 })) {
        ++out.communication_ns;
        if (loading) ++out.data_hidden_ns;
      } else if (device(at, report,
                        [](const trace::TraceEvent&, const trace::NameFacts&) { return true; })) {
        ++out.copy_ns;
        if (loading) ++out.data_hidden_ns;
      } else {
        ++out.idle_ns[static_cast<std::size_t>(cause(at))];
      }
    }
    return out;
  }

 private:
  [[nodiscard]] const trace::NameFacts& facts(const trace::TraceEvent& event) const {
    return trace_.names[event.name].facts;
  }
  [[nodiscard]] bool loads(const trace::TraceEvent& event) const {
    return !trace::is_call(event.kind) && facts(event).data_wait;
  }
  [[nodiscard]] bool works(const trace::TraceEvent& event) const {
    return trace::is_call(event.kind) ||
           ((event.kind == trace::EventKind::kOp || event.kind == trace::EventKind::kAnnotation) &&
            facts(event).step < 0);
  }

  template <typename Keep>
  [[nodiscard]] bool on_lane(const trace::TraceLane& lane, std::int64_t at,
                             const Keep& keep) const {
    return std::any_of(lane.events.begin(), lane.events.end(), [&](const trace::TraceEvent& event) {
      return event.start_ns <= at && at < event.end_ns && keep(event);
    });
  }
  template <typename Keep>
  [[nodiscard]] bool on_main(std::int64_t at, const Keep& keep) const {
    return steps_.lane != ops::kNoIndex && on_lane(trace_.lanes[steps_.lane], at, keep);
  }
  template <typename Keep>
  [[nodiscard]] bool device(std::int64_t at, const IdleReport& report, const Keep& keep) const {
    return std::any_of(trace_.lanes.begin(), trace_.lanes.end(), [&](const trace::TraceLane& lane) {
      return lane.kind == trace::LaneKind::kStream &&
             (!report.device || lane.device == *report.device) &&
             on_lane(lane, at,
                     [&](const trace::TraceEvent& event) { return keep(event, facts(event)); });
    });
  }
  [[nodiscard]] bool calls(std::int64_t at, trace::CallClass kind) const {
    return on_main(at, [&](const trace::TraceEvent& event) {
      return trace::is_call(event.kind) && facts(event).call == kind;
    });
  }
  [[nodiscard]] IdleCause cause(std::int64_t at) const {
    if (on_main(at, [&](const trace::TraceEvent& event) { return loads(event); })) {
      return IdleCause::kDataLoading;
    }
    if (calls(at, trace::CallClass::kSynchronize)) return IdleCause::kSynchronise;
    if (calls(at, trace::CallClass::kCopy)) return IdleCause::kCopyCall;
    if (on_main(at, [](const trace::TraceEvent& event) { return trace::is_call(event.kind); })) {
      return IdleCause::kLaunch;
    }
    for (const trace::TraceLane& lane : trace_.lanes) {
      if (lane.kind != trace::LaneKind::kHost) continue;
      if (on_lane(lane, at, [&](const trace::TraceEvent& event) {
            return works(event) && facts(event).autograd;
          })) {
        return IdleCause::kBackward;
      }
    }
    if (on_main(at, [&](const trace::TraceEvent& event) { return works(event); })) {
      return IdleCause::kHostOp;
    }
    for (std::uint32_t lane = 0; lane < trace_.lanes.size(); ++lane) {
      if (lane == steps_.lane || trace_.lanes[lane].kind != trace::LaneKind::kHost) continue;
      if (on_lane(trace_.lanes[lane], at,
                  [&](const trace::TraceEvent& event) { return works(event); })) {
        return IdleCause::kOtherThread;
      }
    }
    return IdleCause::kUnattributed;
  }

  const trace::Trace& trace_;
  const Steps& steps_;
};

void expect_same_numbers(const Analysis& a, const Analysis& b, std::uint32_t seed) {
  ASSERT_EQ(a.steps.steps.size(), b.steps.steps.size()) << seed;
  ASSERT_EQ(a.idle.size(), b.idle.size()) << seed;
  for (std::size_t i = 0; i < a.idle.size(); ++i) {
    EXPECT_EQ(a.idle[i].steps, b.idle[i].steps) << seed;
    EXPECT_EQ(a.idle[i].places.size(), b.idle[i].places.size()) << seed;
  }
  ASSERT_EQ(static_cast<bool>(a.tensorboard), static_cast<bool>(b.tensorboard)) << seed;
  if (a.tensorboard) {
    ASSERT_EQ(a.tensorboard->steps.size(), b.tensorboard->steps.size()) << seed;
    for (std::size_t i = 0; i < a.tensorboard->steps.size(); ++i) {
      EXPECT_EQ(a.tensorboard->steps[i].ns, b.tensorboard->steps[i].ns) << seed;
    }
  }
  ASSERT_EQ(static_cast<bool>(a.holistic), static_cast<bool>(b.holistic)) << seed;
  if (a.holistic) {
    EXPECT_EQ(a.holistic->temporal.idle_ns, b.holistic->temporal.idle_ns) << seed;
    EXPECT_EQ(a.holistic->overlaps.ns, b.holistic->overlaps.ns) << seed;
  }
  ASSERT_EQ(static_cast<bool>(a.launches), static_cast<bool>(b.launches)) << seed;
  if (a.launches) {
    EXPECT_EQ(a.launches->rows, b.launches->rows) << seed;
    EXPECT_EQ(a.launches->idle_delay_ns, b.launches->idle_delay_ns) << seed;
    EXPECT_DOUBLE_EQ(a.launches->delay.mean, b.launches->delay.mean) << seed;
  }
  ASSERT_EQ(a.integrity.size(), b.integrity.size()) << seed;
  for (std::size_t i = 0; i < a.integrity.size(); ++i) {
    EXPECT_EQ(a.integrity[i].id, b.integrity[i].id) << seed;
    EXPECT_EQ(a.integrity[i].count, b.integrity[i].count) << seed << ' ' << a.integrity[i].id;
  }
}

TEST(IdleProperties, EveryMomentHasTheCauseThatLookingAtItAloneGives) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const trace::Trace trace = trace_of_rows(RandomTrace(seed).rows());
    const Analysis analysis = analyse(trace);
    const MomentByMoment slow(trace, analysis.steps);
    for (const IdleReport& report : analysis.idle) {
      for (std::size_t i = 0; i < report.steps.size(); ++i) {
        EXPECT_EQ(report.steps[i], slow.step(i, report)) << "seed " << seed << ", step " << i;
      }
    }
  }
}

TEST(IdleProperties, PartsAndPlacesSumToTheWholeExactly) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const trace::Trace trace = trace_of_rows(RandomTrace(seed, 5000).rows());
    const Analysis analysis = analyse(trace);
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
    if (analysis.tracelens) {
      for (const DeviceTimeline& device : *analysis.tracelens) {
        EXPECT_EQ(device.computation_ns + device.exposed_communication_ns +
                      device.exposed_copies_ns + device.idle_ns,
                  device.window.length_ns())
            << seed;
      }
    }
    if (analysis.holistic) {
      const HolisticTemporal& temporal = analysis.holistic->temporal;
      EXPECT_EQ(temporal.idle_ns + temporal.compute_ns + temporal.non_compute_ns,
                temporal.kernel_time_ns)
          << seed;
      const auto& overlaps = analysis.holistic->overlaps.ns;
      EXPECT_EQ(std::accumulate(overlaps.begin(), overlaps.end(), std::int64_t{0}),
                temporal.kernel_time_ns - temporal.idle_ns)
          << seed;
    }
    for (const IntegrityNote& note : analysis.integrity) EXPECT_NE(note.id, "sums_do_not_close");
  }
}

TEST(IdleProperties, AShiftOfAllTimesChangesNoNumber) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const std::vector<DrawnRow> rows = RandomTrace(seed, 5000).rows();
    std::vector<DrawnRow> shifted = rows;
    constexpr std::int64_t kShiftNs = 1'700'000'000'123'456'789;
    for (DrawnRow& row : shifted) {
      row.begin_ns += kShiftNs;
      row.end_ns += kShiftNs;
    }
    const trace::Trace trace = trace_of_rows(rows);
    const trace::Trace moved = trace_of_rows(shifted);
    expect_same_numbers(analyse(trace), analyse(moved), seed);
  }
}

TEST(IdleProperties, TheOrderOfRowsInTheFileChangesNoNumber) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    // Rows of no length at the same moment have no order but the file's.
    std::vector<DrawnRow> rows = RandomTrace(seed, 5000).rows();
    std::erase_if(rows, [](const DrawnRow& row) { return row.begin_ns == row.end_ns; });
    const trace::Trace trace = trace_of_rows(rows);
    std::mt19937 random(seed);
    std::shuffle(rows.begin(), rows.end(), random);
    const trace::Trace shuffled = trace_of_rows(rows);
    expect_same_numbers(analyse(trace), analyse(shuffled), seed);
  }
}

TEST(IdleProperties, TimesInMicrosecondsGiveAThousandTimesTheNanoseconds) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::vector<DrawnRow> rows = RandomTrace(seed).rows();
    std::vector<DrawnRow> scaled = rows;
    for (DrawnRow& row : scaled) {
      row.begin_ns *= 1000;
      row.end_ns *= 1000;
    }
    const trace::Trace trace = trace_of_rows(rows);
    const trace::Trace coarse = trace_of_rows(scaled);
    const Analysis fine = analyse(trace);
    const Analysis wide = analyse(coarse);
    ASSERT_EQ(fine.idle.size(), wide.idle.size());
    for (std::size_t i = 0; i < fine.idle.size(); ++i) {
      for (const StepPart& part : step_parts()) {
        EXPECT_EQ(1000 * part.of(fine.idle[i].counted), part.of(wide.idle[i].counted)) << seed;
      }
    }
  }
}

TEST(IdleProperties, AnnotationsDrawnOverKernelsChangeNothing) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::vector<DrawnRow> rows = RandomTrace(seed, 5000).rows();
    const trace::Trace trace = trace_of_rows(rows);
    trace::Trace with_notes = trace_of_rows(rows);
    trace::TraceLane notes = {.kind = trace::LaneKind::kDeviceNotes, .device = 0, .stream = 7};
    const auto number = static_cast<std::uint32_t>(with_notes.names.size());
    with_notes.names.push_back({"ProfilerStep#1", trace::facts_of_name("ProfilerStep#1")});
    const auto lane = static_cast<std::uint32_t>(with_notes.lanes.size());
    notes.events.push_back({.start_ns = 0,
                            .end_ns = 100'000,
                            .name = number,
                            .lane = lane,
                            .kind = trace::EventKind::kGpuAnnotation});
    with_notes.lanes.push_back(notes);
    expect_same_numbers(analyse(trace), analyse(with_notes), seed);
  }
}

}  // namespace
}  // namespace stepbench::analyze
