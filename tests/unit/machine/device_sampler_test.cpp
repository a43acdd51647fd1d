// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/device_sampler.h"

#include <gmock/gmock.h>

#include "tests/scripted_clock.h"
#include "tests/unit/machine/scripted_nvml.h"

namespace stepbench::machine {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr int kOurPid = 42;

constexpr int kUnknownPid = 31'000;

DeviceSampler::Owner owner_of(int pid) {
  using Owner = DeviceSampler::Owner;
  return pid == kOurPid ? Owner::kOurs : pid >= kUnknownPid ? Owner::kUnknown : Owner::kOther;
}

struct Scene {
  void pass_a_second() {
    clock.pass(kSecond);
    sampler.sample();
  }
  [[nodiscard]] std::string field(const std::string& name) const {
    const Fields fields = sampler.summary();
    const auto found = fields.find(name);
    return found == fields.end() ? "absent" : to_text(found->second);
  }
  ScriptedClock clock;
  ScriptedNvml nvml;
  std::unique_ptr<NvmlSession> session = NvmlSession::open(nvml.api());
  DeviceSampler sampler{session.get(), 0, clock, owner_of};
};

TEST(DeviceSampler, AsksAtMostOnceASecond) {
  Scene scene;
  scene.sampler.sample();
  EXPECT_EQ(scene.nvml.reads, 0);
  scene.pass_a_second();
  scene.sampler.sample();
  scene.clock.pass(kSecond / 2);
  scene.sampler.sample();
  EXPECT_EQ(scene.nvml.reads, 1);
}

TEST(DeviceSampler, SaysTheRangeOfWhatItSaw) {
  Scene scene;
  scene.pass_a_second();
  scene.nvml.sm_mhz = 1200;
  scene.nvml.power_mw = 650'500;
  scene.nvml.temperature_c = 71;
  scene.nvml.processes = {kOurPid, 7};
  scene.pass_a_second();
  EXPECT_EQ(scene.field("gpu.sm_mhz_min"), "1200");
  EXPECT_EQ(scene.field("gpu.sm_mhz_max"), "1980");
  EXPECT_EQ(scene.field("gpu.sm_mhz_median"), "1590");
  EXPECT_EQ(scene.field("gpu.ecc"), "true");
  EXPECT_EQ(scene.field("gpu.power_w_max"), "650.5");
  EXPECT_EQ(scene.field("gpu.temperature_c_max"), "71");
  EXPECT_EQ(scene.field("gpu.utilisation_max"), "90");
  EXPECT_EQ(scene.field("gpu.other_processes"), "1");
  EXPECT_EQ(scene.field("gpu.persistence"), "true");
  EXPECT_EQ(scene.field("gpu.mig"), "absent") << "not supported is not false";
  EXPECT_EQ(scene.field("gpu.throttled"), "no");
  EXPECT_EQ(scene.field("gpu.samples"), "2");
}

TEST(DeviceSampler, ClocksOfAnIdleDeviceSayNothingOfTheLaunch) {
  Scene scene;
  scene.nvml.utilisation = 0;
  scene.nvml.sm_mhz = 345;
  scene.pass_a_second();
  EXPECT_EQ(scene.field("gpu.sm_mhz_median"), "absent");
  scene.nvml.utilisation = 80;
  scene.nvml.sm_mhz = 1980;
  scene.pass_a_second();
  EXPECT_EQ(scene.field("gpu.sm_mhz_median"), "1980");
  EXPECT_EQ(scene.field("gpu.sm_mhz_min"), "345");
}

TEST(DeviceSampler, TheMedianClockIsThatOfTheWindows) {
  Scene scene;
  for (int second = 0; second < 5; ++second) scene.pass_a_second();  // set-up and warm-up
  scene.nvml.sm_mhz = 1400;
  scene.sampler.window_begins();
  scene.clock.pass(kSecond / 5);
  scene.sampler.sample();
  EXPECT_EQ(scene.nvml.reads, 6) << "a window of a fifth of a second has a reading";
  scene.sampler.window_ends();
  scene.nvml.sm_mhz = 1980;
  for (int second = 0; second < 5; ++second) scene.pass_a_second();
  EXPECT_EQ(scene.field("gpu.sm_mhz_median"), "1400");
  EXPECT_EQ(scene.field("gpu.sm_mhz_max"), "1980");
}

TEST(DeviceSampler, AWindowWithoutADeviceIsNotAsked) {
  ScriptedClock clock;
  DeviceSampler sampler(nullptr, std::nullopt, clock, owner_of);
  sampler.window_begins();
  clock.pass(kSecond);
  EXPECT_GT(sampler.next_ns(), clock.now_ns());
  sampler.sample();
  EXPECT_THAT(sampler.summary(), IsEmpty());
}

TEST(DeviceSampler, InAContainerTheWorkerItselfIsNotTakenForAStranger) {
  struct Case {
    std::vector<int> processes;
    const char* others;
  };
  for (const Case& each :
       {Case{{}, "0"}, Case{{kUnknownPid}, "0"}, Case{{kUnknownPid, kUnknownPid + 1}, "1"},
        Case{{kOurPid, kUnknownPid}, "1"}, Case{{7}, "1"}, Case{{7, kUnknownPid}, "1"}}) {
    Scene scene;
    scene.nvml.processes = each.processes;
    scene.pass_a_second();
    EXPECT_EQ(scene.field("gpu.other_processes"), each.others)
        << testing::PrintToString(each.processes);
  }
}

TEST(DeviceSampler, AThrottledSampleSpeaksForTheSecondBeforeIt) {
  Scene scene;
  scene.pass_a_second();
  const std::int64_t before = scene.clock.now_ns();
  scene.nvml.reasons = 0x40 | 0x04;
  scene.pass_a_second();
  scene.nvml.reasons = 0x04;
  scene.pass_a_second();
  ASSERT_THAT(scene.sampler.throttled(), SizeIs(1));
  EXPECT_EQ(scene.sampler.throttled()[0].begin_ns, before);
  EXPECT_EQ(scene.sampler.throttled()[0].end_ns, before + kSecond);
  EXPECT_EQ(scene.field("gpu.throttled"), "hardware thermal slowdown");
  EXPECT_THAT(scene.field("gpu.power_capped_share"), testing::StartsWith("0.66"));
}

TEST(DeviceSampler, WithoutALibraryOrADeviceIsNeverDueAndSaysNothing) {
  ScriptedClock clock;
  ScriptedNvml nvml;
  const auto session = NvmlSession::open(nvml.api());
  for (const auto& [watched, device] :
       {std::pair<const NvmlSession*, std::optional<int>>{nullptr, 0}, {session.get(), {}}}) {
    DeviceSampler sampler(watched, device, clock, owner_of);
    clock.pass(1000 * kSecond);
    sampler.sample();
    EXPECT_GT(sampler.next_ns(), clock.now_ns());
    EXPECT_THAT(sampler.summary(), IsEmpty());
  }
}

TEST(NvmlSession, IsClosedOnceAndNotOpenedWhereTheDriverRefuses) {
  ScriptedNvml nvml;
  {
    const auto session = NvmlSession::open(nvml.api());
    EXPECT_EQ(nvml.sessions, 1);
    EXPECT_FALSE(session->read(1).has_value()) << "there is one device";
  }
  EXPECT_EQ(nvml.sessions, 0);
  nvml.init_result = 9;
  EXPECT_EQ(NvmlSession::open(nvml.api()), nullptr);
  EXPECT_EQ(NvmlSession::open(std::nullopt), nullptr);
}

TEST(WatchedDevice, IsTheOneThatTheWorkerWillSee) {
  EXPECT_EQ(watched_device("cpu", {}), std::nullopt);
  EXPECT_EQ(watched_device("cuda", {}), 0);
  EXPECT_EQ(watched_device("cuda:2", {}), 2);
  const Variables visible = {{"CUDA_VISIBLE_DEVICES", "5,3"}};
  EXPECT_EQ(watched_device("cuda", visible), 5);
  EXPECT_EQ(watched_device("cuda:1", visible), 3);
  EXPECT_EQ(watched_device("cuda:2", visible), std::nullopt);
  EXPECT_EQ(watched_device("cuda", {{"CUDA_VISIBLE_DEVICES", "GPU-8a"}}), std::nullopt);
}

TEST(WatchedDevice, IsFoundByItsIdentifier) {
  ScriptedNvml nvml;
  nvml.uuids = {"GPU-8a1e4f00-7b", "GPU-8a2f0011-90", "GPU-01"};
  const auto session = NvmlSession::open(nvml.api());
  const auto watched = [&](const char* visible, const char* device = "cuda") {
    return watched_device(device, {{"CUDA_VISIBLE_DEVICES", visible}}, session.get());
  };
  EXPECT_EQ(watched("GPU-8a2f0011-90"), 1);
  EXPECT_EQ(watched("GPU-8a2"), 1) << "CUDA takes as much as tells it apart";
  EXPECT_EQ(watched("GPU-01,GPU-8a1", "cuda:1"), 0);
  EXPECT_EQ(watched("GPU-ff"), std::nullopt);
  EXPECT_EQ(watched("MIG-1c54"), 2) << "the device that the slice is a part of";
  EXPECT_EQ(watched("MIG-GPU-8a2f0011-90/3/0"), 1);
  EXPECT_EQ(watched("MIG-none"), std::nullopt);
  EXPECT_EQ(watched(""), std::nullopt);
}

TEST(ThrottleText, NamesWhatSlowsALoadedDeviceDown) {
  EXPECT_EQ(throttle_text(0), "");
  EXPECT_EQ(throttle_text(0x01 | 0x02 | 0x04), "") << "idle, set by the user, power cap";
  EXPECT_EQ(throttle_text(0x08 | 0x20), "hardware slowdown, software thermal slowdown");
  EXPECT_TRUE(is_power_capped(0x04));
}

}  // namespace
}  // namespace stepbench::machine
