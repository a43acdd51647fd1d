// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/internal/event_clock.h"

#include "tests/testing.h"
#include "tests/unit/cuda/event_scene.h"

namespace stepbench::cuda {
namespace {

using testing::Ge;
using testing::Le;

struct Timed {
  const char* name;
  std::vector<Part> step;
  // In us, of the last window; a single value is that of each step. Then metrics of the ring.
  const char* columns;
  struct Window {
    std::int64_t warmup = 2, active = 4, repeat = 1;
    std::size_t ring = 0;  // 0: large enough
  } window = {};
};

constexpr auto kForward = PhaseId::kForward;
constexpr auto kBackward = PhaseId::kBackward;
constexpr auto kH2d = PhaseId::kH2d;

TEST(EventClock, Device_IsTimed) {
  const Timed kTimed[] = {
      // The two warm-up steps are not finished when the window begins.
      {"a device that is behind the host",
       {{kForward, 300, 10}, {kBackward, 600, 20}},
       "forward_ns 10; step_device_ns 900; forward_device_ns 300; backward_device_ns 600; "
       "idle_device_ns 0; period_device_ns 900; other_device_ns 0; host_lead_ns 2610 3480 4350 "
       "5220"},
      {"a device that waits for the host has no lead",
       {{kForward, 2, 10}, {kBackward, 3, 20}},
       "step_device_ns 30; host_lead_ns 0"},
      {"waiting for data is idle",
       {{PhaseId::kDataWait, 0, 100}, {kForward, 40}},
       "step_device_ns 100; idle_device_ns 60; data_wait_device_ns 60"},
      {"a copy on a side stream and its overlap",
       {{kForward, 50}, {kH2d, 30, 0, 1}, {{}, 0, 80}},
       "h2d_side_device_ns 30; forward_device_ns 50; overlap_device_ns 30"},
      // Every copy except the first runs during the first step's forward pass.
      {"a copy that runs ahead",
       {{kH2d, 30, 1, 1}, {kForward, 1000, 1}},
       "h2d_side_device_ns 30; overlap_device_ns 29 30 30 30",
       {.warmup = 0}},
      // The last step's device span ends when its end is recorded, 100 us after it began.
      {"two side streams",
       {{kH2d, 20, 0, 1}, {kH2d, 20, 0, 2}, {kForward, 15}, {{}, 0, 100}},
       "h2d_side_device_ns 40; overlap_device_ns 30; idle_device_ns 80"},
      {"no step is read before its side stream has passed",
       {{kH2d, 500, 0, 1}, {{}, 0, 10}},
       "h2d_side_device_ns 500; event_ring_lagging 4",
       {1, 6, 1, 2}},
      {"a small ring is read while it runs",
       {{kForward, 2, 10}, {kBackward, 3, 20}},
       "step_device_ns 30; event_ring_grown 0; event_ring_lagging 0",
       {1, 60, 2, 4}},
      {"events that are not ready grow it",
       {{kForward, 300, 10}, {kBackward, 600, 20}},
       "step_device_ns 900; event_ring_grown 6; event_ring_lagging 6",
       {1, 10, 1, 4}},
  };
  for (const Timed& each : kTimed) {
    SCOPED_TRACE(each.name);
    EventScene scene;
    scene.schedule = {.wait = 0,
                      .warmup = each.window.warmup,
                      .active = each.window.active,
                      .repeat = each.window.repeat};
    if (each.window.ring > 0) scene.options = {.window = 4, .ring = each.window.ring};
    scene.run(parts(scene, each.step));
    std::istringstream wanted(each.columns);
    for (std::string column; std::getline(wanted, column, ';');) {
      std::istringstream in(column);
      std::string name;
      in >> name;
      std::vector<std::int64_t> us;
      for (std::int64_t value = 0; in >> value;) us.push_back(value);
      if (name.starts_with("event_")) {
        EXPECT_EQ(scene.said.metrics.at(name), us.front()) << name;
        continue;
      }
      us.resize(us.size() == 1 ? std::size_t(each.window.active) : us.size(), us.front());
      for (std::int64_t& value : us) value *= kUs;
      EXPECT_EQ(scene.column(name), us) << name;
    }
  }
}

TEST(EventClock, SpansAndGaps_SumToTheWindow) {
  constexpr std::int64_t kRecord = 700;  // host time of a record: the gap between two steps
  EventScene scene;
  scene.cuda.record_cost_ns = kRecord;
  scene.schedule = {.wait = 1, .warmup = 1, .active = 20, .repeat = 3};
  scene.run(two_phases(scene, 2 * kUs, 3 * kUs));
  ASSERT_EQ(scene.cycles.size(), 3U);
  for (const Series& cycle : scene.cycles) {
    const auto sum = [&](const char* name) {
      const std::vector<std::int64_t>& column = cycle.column(name);
      return std::accumulate(column.begin(), column.end(), std::int64_t{0});
    };
    EXPECT_EQ(sum("step_ns"), 20 * (30 * kUs + 6 * kRecord) - kRecord);
    EXPECT_EQ(sum("step_device_ns") + 19 * kRecord, sum("step_ns"));
    EXPECT_EQ(sum("forward_device_ns") + sum("backward_device_ns") + sum("idle_device_ns"),
              sum("step_device_ns"));
    EXPECT_EQ(sum("period_device_ns"), 20 * (30 * kUs + 6 * kRecord));
    EXPECT_EQ(sum("forward_device_ns") + sum("backward_device_ns") + sum("other_device_ns"),
              sum("period_device_ns"));
  }
}

TEST(EventClock, CycleStartToWindowEnd_NeverWaits) {
  EventScene scene;
  scene.cuda.keep_log = true;
  scene.schedule.repeat = 2;
  scene.run(two_phases(scene, 300 * kUs, 600 * kUs));
  std::vector<std::string> cycle;  // two steps and four, with six borders each
  for (int step = 0; step < 6; ++step) {
    if (step == 2) cycle.insert(cycle.end(), {"WINDOW", "query"});  // whether the device is idle
    cycle.insert(cycle.end(), 6, "record");
  }
  auto from = scene.cuda.log.begin();
  for (int i = 0; i < scene.schedule.repeat; ++i) {
    from = std::find(from, scene.cuda.log.end(), "CYCLE");
    ASSERT_GE(scene.cuda.log.end() - from, 1 + 38);
    EXPECT_THAT(std::vector<std::string>(from + 1, from + 1 + 38), ElementsAreArray(cycle));
    ++from;
  }
}

TEST(EventClock, IdleDevice_ExcludesEarlierHostWork) {
  EventScene scene;
  scene.before_window = [&] { scene.clock.pass(500 * kUs); };
  scene.run(two_phases(scene, 2 * kUs, 3 * kUs));
  EXPECT_THAT(scene.column("period_device_ns"), Each(30 * kUs));
  EventScene busy;
  busy.before_window = [&] { busy.clock.pass(500 * kUs); };
  busy.run(two_phases(busy, 300 * kUs, 600 * kUs));
  EXPECT_THAT(busy.column("period_device_ns"), Each(900 * kUs)) << "its queue hides the host";
}

TEST(EventClock, Events_AreMadeInTheWarmUp) {
  EventScene scene;
  int side = 0;
  scene.run([&](StepRecorder& step) {
    if (step.index() == 2) scene.cuda.calls["create"] = 0;
    for (int i = 0; i < 30; ++i) {
      const auto copy = step.phase(PhaseId::kH2d, DeviceStream{&side});
      scene.cuda.launch(&side, 1 * kUs);
    }
  });
  EXPECT_EQ(scene.cuda.calls["create"], 0);
  EXPECT_EQ(scene.said.metrics.at("event_ring_grown"), 0);
}

TEST(EventClock, MorePhasesThanInWarmUp_AreKept) {
  EventScene scene;
  scene.run([&](StepRecorder& step) {
    const int phases = step.index() == 3 ? 40 : 1;
    for (int i = 0; i < phases; ++i) {
      const auto forward = step.phase(PhaseId::kForward);
      scene.cuda.launch(nullptr, 10 * kUs);
    }
  });
  EXPECT_THAT(scene.column("forward_device_ns"),
              ElementsAre(10 * kUs, 400 * kUs, 10 * kUs, 10 * kUs));
  EXPECT_GT(scene.said.metrics.at("event_ring_grown"), 0);
}

TEST(EventClock, ManyShortTimes_SumWithoutDrift) {
  EventScene scene;
  scene.options = {.window = 5000, .ring = 64};
  scene.schedule = {.wait = 0, .warmup = 1, .active = 5000, .repeat = 1};
  scene.cuda.resolution_ns = 32;
  scene.run(two_phases(scene, 7'000'123, 5'000'456));  // a minute in total
  for (const std::int64_t ns : scene.column("step_device_ns")) {
    EXPECT_NEAR(static_cast<double>(ns), 12'000'579, 33);
  }
  // The lead of the last step is the sum of all differences: float rounding must not accumulate.
  const double lead = 5001.0 * (12'000'579 - 30 * kUs);
  EXPECT_NEAR(static_cast<double>(scene.column("host_lead_ns").back()), lead, 1000);
}

TEST(EventClock, Window_MayBeginOnABusyDevice) {
  EventScene scene;
  scene.workload_waits = false;
  scene.schedule = {.wait = 3, .warmup = 0, .active = 4, .repeat = 2};
  scene.run(two_phases(scene, 300 * kUs, 600 * kUs));
  ASSERT_EQ(scene.cycles.size(), 2U);
  for (const Series& cycle : scene.cycles) {
    EXPECT_THAT(cycle.column("period_device_ns"), Each(900 * kUs))
        << "steps that nobody heard are not in it";
    EXPECT_THAT(cycle.column("host_lead_ns"),
                ElementsAre(3480 * kUs, 4350 * kUs, 5220 * kUs, 6090 * kUs));
  }
  EXPECT_EQ(scene.said.metrics.at("event_clock_error_ns"), 0);
}

TEST(EventClock, FirstPeriod_StartsInTheWarmUp) {
  EventScene scene;
  scene.run([&](StepRecorder& step) {
    scene.clock.pass(step.index() == 2 ? 70 * kUs : 5 * kUs);
    scene.cuda.launch(nullptr, 20 * kUs);
    scene.cuda.wait_for(nullptr);
  });
  EXPECT_THAT(scene.column("period_device_ns"),
              ElementsAre(90 * kUs, 25 * kUs, 25 * kUs, 25 * kUs));
}

TEST(EventClock, AdjacentWindows_AreSeparate) {
  for (const std::int64_t active : {1, 2}) {
    EventScene scene;
    scene.schedule = {.wait = 0, .warmup = 0, .active = active, .repeat = 4};
    scene.run(
        [&](StepRecorder& step) { scene.cuda.launch(nullptr, (step.index() + 1) * 10 * kUs); });
    ASSERT_EQ(scene.cycles.size(), 4U);
    std::int64_t step = 0;
    for (const Series& cycle : scene.cycles) {
      for (std::size_t i = 0; i < cycle.column("index").size(); ++i) {
        ++step;
        EXPECT_EQ(cycle.column("step_device_ns")[i], step * 10 * kUs);
        EXPECT_EQ(cycle.column("period_device_ns")[i], step * 10 * kUs);
      }
    }
  }
}

TEST(EventClock, EventTime_IsTheMiddleOfTwoReadings) {
  EventScene scene;
  scene.cuda.synchronize_cost_ns = 400;  // it passes at once, and the host notices it later
  scene.run(two_phases(scene, 300 * kUs, 600 * kUs));
  EXPECT_EQ(scene.said.metrics.at("event_clock_error_ns"), 200);
  EXPECT_EQ(scene.column("host_lead_ns").front(), 2610 * kUs + 200);
}

TEST(EventClock, GrowthAndWorstError_AreOfAllWindows) {
  EventScene scene;
  scene.options = {.window = 4, .ring = 4};
  scene.schedule = {.wait = 0, .warmup = 1, .active = 10, .repeat = 3};
  scene.run([&, inner = two_phases(scene, 300 * kUs, 600 * kUs)](StepRecorder& step) {
    // The first window's end is seen 4 us late, those of the others at once.
    scene.cuda.synchronize_cost_ns = step.index() == 10 ? 4 * kUs : 0;
    inner(step);
  });
  EXPECT_EQ(scene.said.metrics.at("event_clock_error_ns"), 2 * kUs);
  EXPECT_EQ(scene.said.metrics.at("event_ring_grown"), 6)
      << "in the first; then it is large enough";
}

TEST(EventClock, FastClock_IsMappedBack) {
  EventScene scene;
  scene.cuda.drift = 1.0001;
  scene.run(two_phases(scene, 300 * kUs, 600 * kUs));
  EXPECT_NEAR(static_cast<double>(scene.column("host_lead_ns").front()), 2610 * kUs, 5);
}

TEST(EventClock, UncertainLead_IsOmitted) {
  EventScene scene;
  scene.cuda.synchronize_cost_ns = 40 * kUs;
  scene.run(two_phases(scene, 2 * kUs, 3 * kUs));
  EXPECT_THAT(scene.cycles.back().names, Not(Contains("host_lead_ns")));
  EXPECT_THAT(scene.cycles.back().names, Contains("step_device_ns"));
  EXPECT_EQ(scene.said.metrics.at("event_clock_error_ns"), 20 * kUs);
  EXPECT_THAT(scene.said.notes, Contains(HasSubstr("host_lead_ns is left out")));
}

TEST(EventClock, ShortHostSteps_KeepTheLead) {
  EventScene scene;
  scene.cuda.synchronize_cost_ns = 10 * kUs;
  scene.run(two_phases(scene, 4000 * kUs, 6000 * kUs));  // the host takes 30 us
  EXPECT_THAT(scene.cycles.back().names, Contains("host_lead_ns"));
  // 5 us, plus the rounding of 60 ms as a float in milliseconds.
  EXPECT_EQ(scene.said.metrics.at("event_clock_error_ns"), 5 * kUs + 3);
}

TEST(EventClock, CutWindow_IsForgotten) {
  ScriptedClock clock;
  ScriptedCuda cuda(clock);
  const CudaApi api = cuda.api();
  EventClock events(api, clock, {.window = 4});
  ASSERT_EQ(events.exercise(), std::nullopt);
  const auto step = [&](std::int64_t index, std::int64_t ns) {
    events.step_begin(index);
    cuda.launch(nullptr, ns);
    events.step_end();
  };
  events.change(Action::kNone, Action::kRecord);
  step(0, 50 * kUs);
  events.change(Action::kRecord, Action::kNone);
  events.change(Action::kNone, Action::kRecord);
  step(1, 70 * kUs);
  Series cycle{{"step_ns"}, {{100 * kUs}}};
  events.device_wait_begins();
  events.device_wait_ends();
  events.add_columns(cycle);
  EXPECT_THAT(cycle.column("step_device_ns"), ElementsAre(70 * kUs));
  EXPECT_THAT(cycle.column("period_device_ns"), ElementsAre(70 * kUs));
}

TEST(EventClock, MissingDevice_IsRefused) {
  for (const int code : {kCudaInsufficientDriver, kCudaNoDevice}) {
    EventScene scene;
    scene.cuda.failing["device_count"] = code;
    scene.run(two_phases(scene, 1, 1));
    EXPECT_EQ(scene.refused, "no CUDA device");
  }
  EventScene beyond;
  beyond.options.device = 3;
  beyond.run(two_phases(beyond, 1, 1));
  EXPECT_THAT(*beyond.refused, HasSubstr("cuda:3 does not exist"));
  EventScene second;
  second.cuda.devices = 4;
  second.options.device = 2;
  second.run(two_phases(second, 1, 1));
  EXPECT_EQ(second.cuda.device, 2);
}

// A user's step: 40 us of work on its own stream, launched far ahead of the device.
DeviceWork::Step on_own_stream(EventScene& scene, void* stream,
                               std::optional<DeviceStream> reported) {
  return [&scene, stream, reported](StepRecorder& step) {
    const auto work = [&] {
      scene.cuda.launch(stream, 400 * kUs);
      scene.clock.pass(10 * kUs);
    };
    if (!reported) return work();
    const auto forward = step.phase(PhaseId::kForward, *reported);
    work();
  };
}

TEST(EventClock, OwnStream_IsTimed) {
  EventScene scene;
  scene.options.window = 20;
  scene.schedule = {.wait = 0, .warmup = 2, .active = 20, .repeat = 2};
  int own = 0;
  scene.run(on_own_stream(scene, &own, DeviceStream{.handle = &own, .computes = true}));
  for (const Series& cycle : scene.cycles) {
    EXPECT_THAT(cycle.column("period_device_ns"), Each(400 * kUs));
    EXPECT_THAT(cycle.column("forward_device_ns"), Each(400 * kUs));
    EXPECT_EQ(cycle.find("forward_side_device_ns"), nullptr) << "it computes";
  }
  EXPECT_THAT(scene.said.notes, IsEmpty());
}

TEST(EventClock, UnnamedStream_HasNoPeriods) {
  EventScene scene;
  scene.options.window = 20;
  scene.schedule = {.wait = 0, .warmup = 2, .active = 20, .repeat = 2};
  int own = 0;
  scene.run(on_own_stream(scene, &own, std::nullopt));
  for (const Series& cycle : scene.cycles) {
    EXPECT_EQ(cycle.find("period_device_ns"), nullptr) << "it would be 10 us, not 400";
  }
  ASSERT_EQ(scene.said.notes.size(), 1U);
  EXPECT_THAT(scene.said.notes[0],
              StartsWith("no device times of 2 of 2 windows: the device worked for 8 ms"));
}

// Reading facts of a loader's workers takes milliseconds.
TEST(EventClock, HostWorkAfterTheSteps_IsNoDeviceWork) {
  EventScene scene;
  scene.after_steps = [&] { scene.clock.pass(20'000 * kUs); };
  scene.run(two_phases(scene, 40 * kUs, 60 * kUs));
  EXPECT_THAT(scene.column("period_device_ns"), SizeIs(4));
  EXPECT_THAT(scene.said.notes, IsEmpty());
}

TEST(EventClock, QueuedHost_CannotTellUnnamedWork) {
  EventScene scene;
  std::int64_t queued_ns = 5'000 * kUs;
  scene.options.queued_ns = [&] { return queued_ns; };
  scene.schedule.repeat = 2;
  bool is_queued = false;
  scene.after_steps = [&] { is_queued = scene.cycles.size() == 1; };
  scene.while_waiting = [&] {
    if (!std::exchange(is_queued, false)) return;
    scene.clock.pass(20'000 * kUs);
    queued_ns += 19'500 * kUs;
  };
  scene.run(two_phases(scene, 40 * kUs, 60 * kUs));
  ASSERT_THAT(scene.cycles, SizeIs(2));
  EXPECT_NE(scene.cycles[0].find("period_device_ns"), nullptr);
  EXPECT_EQ(scene.cycles[1].find("period_device_ns"), nullptr);
  EXPECT_THAT(
      scene.said.notes,
      ElementsAre(StartsWith("no device times of 1 of 2 windows: the thread waited 19 ms")));
}

TEST(EventClock, CopyAhead_MayOutlastTheLastStep) {
  EventScene scene;
  scene.options.window = 20;
  scene.schedule = {.wait = 0, .warmup = 2, .active = 20, .repeat = 2};
  int side = 0;
  scene.run([&](StepRecorder& step) {
    {
      const auto copy = step.phase(PhaseId::kH2d, DeviceStream{&side});
      scene.cuda.launch(&side, 800 * kUs);
    }
    const auto forward = step.phase(PhaseId::kForward);
    scene.cuda.hold(nullptr, 0);
    scene.cuda.launch(nullptr, 1000 * kUs);
  });
  for (const Series& cycle : scene.cycles) EXPECT_NE(cycle.find("period_device_ns"), nullptr);
  EXPECT_THAT(scene.said.notes, IsEmpty());
}

}  // namespace
}  // namespace stepbench::cuda
