// SPDX-License-Identifier: Apache-2.0
// Which calls launch work, which work belongs to which call, and which losses are counted.
#include "harness/cuda/device_activity.h"
#include "tests/testing.h"
#include "tests/unit/cuda/collector_scene.h"
#include "tests/unit/cuda/composed_records.h"

namespace stepbench::cuda {
namespace {

struct Call {
  CUpti_ActivityKind kind;
  std::uint32_t callback;
};
constexpr Call kLaunch{CUPTI_ACTIVITY_KIND_RUNTIME, 211};
constexpr Call kLaunchOfCuda13{CUPTI_ACTIVITY_KIND_RUNTIME, 505};
constexpr Call kGraphLaunch{CUPTI_ACTIVITY_KIND_RUNTIME, 311};
constexpr Call kDriverLaunch{CUPTI_ACTIVITY_KIND_DRIVER, 307};
constexpr Call kDriverLaunchEx{CUPTI_ACTIVITY_KIND_DRIVER, 652};
constexpr Call kDriverGraphLaunch{CUPTI_ACTIVITY_KIND_DRIVER, 514};

TEST(CuptiLaunches, EachLaunchKind_IsMissedWithoutWork) {
  for (const Call& each : {kLaunch, kLaunchOfCuda13, kGraphLaunch, kDriverLaunch, kDriverLaunchEx,
                           kDriverGraphLaunch}) {
    StartedScene scene;
    EXPECT_EQ(scene.log_of(call(each.kind, each.callback, 1, 10)).dropped, 1) << each.callback;
  }
}

TEST(CuptiLaunches, NestedDriverLaunch_IsTheSameLaunch) {
  for (const std::uint32_t kernel_of : {5U, 6U}) {  // with either number
    StartedScene scene;
    scene.cupti.emit(launch(5, 100));
    CUpti_ActivityAPI inner = call(CUPTI_ACTIVITY_KIND_DRIVER, 307, 6, 101);
    inner.end = 104;
    EXPECT_EQ(scene.log_of(inner, kernel(kernel_of, 120, 180)).dropped, 0);
  }
}

TEST(CuptiLaunches, GraphLaunch_StartsManyKernels) {
  StartedScene scene;
  scene.cupti.emit(external(5, 77));
  scene.cupti.emit(call(kGraphLaunch.kind, kGraphLaunch.callback, 5, 100));
  for (std::uint64_t i = 0; i < 3; ++i) scene.cupti.emit(kernel(5, 120 + 10 * i, 125 + 10 * i));
  const ops::OpLog log = scene.collect();
  ASSERT_THAT(log.activities, SizeIs(4));
  for (const ops::DeviceActivity& each : log.activities) EXPECT_EQ(each.external, 77U);
  EXPECT_EQ(log.dropped, 0);
}

TEST(CuptiLaunches, GraphOfCopies_IsNotLost) {
  StartedScene scene;
  scene.cupti.emit(call(kGraphLaunch.kind, kGraphLaunch.callback, 9, 5));
  scene.cupti.emit(copy(CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                        CUPTI_ACTIVITY_MEMORY_KIND_DEVICE));
  EXPECT_EQ(scene.collect().dropped, 0);
}

TEST(CuptiLaunches, FailedLaunch_StartsNothing) {
  StartedScene scene;
  CUpti_ActivityAPI refused = launch(1, 10);
  refused.returnValue = 701;  // too many resources requested
  EXPECT_EQ(scene.log_of(refused).dropped, 0);
}

TEST(CuptiLaunches, LossesOfTwoWindows_AddUp) {
  StartedScene scene;
  scene.cupti.emit(launch(1, 10));
  (void)scene.collect();
  EXPECT_EQ(scene.log_of(launch(2, 20)).dropped, 2);
}

}  // namespace
}  // namespace stepbench::cuda
