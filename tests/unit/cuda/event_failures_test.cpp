// SPDX-License-Identifier: Apache-2.0
// Any call of the runtime may fail at any time: the launch is then timed on the host as without an
// event clock, and the first reason is kept.
#include "tests/testing.h"
#include "tests/unit/cuda/event_scene.h"

namespace stepbench::cuda {
namespace {

using testing::AnyOf;

// Two windows of four steps; the ring holds two, so that it is read inside them.
struct Launched {
  EventScene scene;
  explicit Launched(int fail_at = -1, int code = 0, bool without_events = false) {
    scene.options = {.window = 4, .ring = 2};
    scene.schedule = {.wait = 1, .warmup = 1, .active = 4, .repeat = 2};
    scene.cuda.fail_at = fail_at;
    scene.cuda.fail_with = code;
    scene.without_events = without_events;
    int side = 0;
    scene.run([&](StepRecorder& step) {
      {
        const auto copy = step.phase(PhaseId::kH2d, DeviceStream{&side});
        scene.cuda.launch(&side, 3 * kUs);
        scene.clock.pass(1 * kUs);
      }
      two_phases(scene, 2 * kUs, 40 * kUs)(step);
    });
  }
};

std::vector<std::vector<std::int64_t>> host_values(const EventScene& scene) {
  std::vector<std::vector<std::int64_t>> values;
  for (const Series& cycle : scene.cycles) {
    for (const char* name :
         {"index", "step_ns", "h2d_ns", "forward_ns", "backward_ns", "other_ns", "flags"}) {
      values.push_back(cycle.column(name));
    }
  }
  return values;
}

TEST(EventFailures, AnyCall_MayFail) {
  const auto expected = host_values(Launched(-1, 0, true).scene);
  const int calls = Launched().scene.cuda.made;
  ASSERT_GT(calls, 100);
  int unnoticed = 0;
  for (const int code : {kCudaInsufficientDriver, kCudaNoDevice, 999}) {
    for (int at = 0; at < calls; ++at) {
      const Launched run(at, code);
      const EventScene& scene = run.scene;
      EXPECT_EQ(scene.cuda.events, 0) << "an event is left behind after call " << at;
      if (scene.refused) {
        // The scripted machine has no driver, which is the meaning of 35.
        const bool absent = scene.cuda.failed == "device_count" && code != 999;
        EXPECT_EQ(*scene.refused == "no CUDA device", absent) << *scene.refused;
        if (!absent) {
          EXPECT_THAT(*scene.refused, HasSubstr("(" + std::to_string(code) + ")"));
        }
        continue;
      }
      EXPECT_EQ(host_values(scene), expected) << scene.cuda.failed << " at " << at;
      if (scene.said.notes.empty()) {
        EXPECT_EQ(scene.cuda.failed, "synchronize") << at;  // of the workload itself
        ++unnoticed;
        continue;
      }
      EXPECT_THAT(scene.said.notes,
                  Contains(AnyOf(StartsWith("no device times"),
                                 StartsWith("the last window has no host_lead"))));
      EXPECT_THAT(scene.said.notes.front(), HasSubstr("(" + std::to_string(code) + ")"));
      EXPECT_THAT(scene.cycles.back().names, Not(Contains("host_lead_ns"))) << at;
    }
  }
  EXPECT_EQ(unnoticed, 3 * 4) << "the workload waits before and after each of two cycles";
}

TEST(EventFailures, FailedCall_EndsUseOfTheDevice) {
  EventScene scene;
  scene.cuda.keep_log = true;
  scene.run([&, inner = two_phases(scene, 2 * kUs, 3 * kUs)](StepRecorder& step) {
    if (step.index() == 3) scene.cuda.failing["record"] = 700;
    inner(step);
  });
  const auto failed = std::find(scene.cuda.log.begin(), scene.cuda.log.end(), "WINDOW");
  EXPECT_EQ(std::count(failed, scene.cuda.log.end(), "query"), 1) << "as the window opened";
  EXPECT_EQ(std::count(failed, scene.cuda.log.end(), "elapsed"), 0);
}

TEST(EventFailures, FirstReason_IsKept) {
  EventScene scene;
  scene.run([&, inner = two_phases(scene, 2 * kUs, 3 * kUs)](StepRecorder& step) {
    if (step.index() == 3) scene.cuda.failing["record"] = 719;
    if (step.index() == 4) scene.cuda.failing["synchronize"] = 700;
    inner(step);
  });
  EXPECT_THAT(scene.said.notes, Contains("no device times: cudaEventRecord: cudaError719 (719)"));
}

TEST(EventFailures, EarlierWindows_KeepTheirTimes) {
  EventScene scene;
  scene.schedule = {.wait = 0, .warmup = 1, .active = 4, .repeat = 3};
  scene.run([&, inner = two_phases(scene, 2 * kUs, 3 * kUs)](StepRecorder& step) {
    if (step.index() == 12) scene.cuda.failing["record"] = 700;
    inner(step);
  });
  ASSERT_EQ(scene.cycles.size(), 3U);
  EXPECT_THAT(scene.cycles[0].names, Contains("step_device_ns"));
  EXPECT_THAT(scene.cycles[1].names, Contains("step_device_ns"));
  EXPECT_THAT(scene.cycles[2].names, Not(Contains("step_device_ns")));
  EXPECT_THAT(scene.said.notes, Contains("no device times after 2 of 3 windows: cudaEventRecord: "
                                         "cudaError700 (700)"));
  EXPECT_EQ(scene.said.metrics.count("event_clock_error_ns"), 1U);
}

}  // namespace
}  // namespace stepbench::cuda
