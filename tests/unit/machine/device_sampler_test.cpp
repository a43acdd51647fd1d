// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/sampler.h"

#include "tests/scripted_clock.h"
#include "tests/testing.h"
#include "tests/unit/machine/scripted_nvml.h"

namespace stepbench::machine {
namespace {

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

TEST(DeviceSampler, FrequentCalls_ReadOnceASecond) {
  Scene scene;
  scene.sampler.sample();
  EXPECT_EQ(scene.nvml.reads, 0);
  scene.pass_a_second();
  scene.sampler.sample();
  scene.clock.pass(kSecond / 2);
  scene.sampler.sample();
  EXPECT_EQ(scene.nvml.reads, 1);
}

TEST(DeviceSampler, Summary_HasTheRanges) {
  Scene scene;
  scene.pass_a_second();
  scene.nvml.sm_mhz = 1200;
  scene.nvml.power_mw = 650'500;
  scene.nvml.temperature_c = 71;
  scene.nvml.processes = {kOurPid, 7};
  scene.pass_a_second();
  const std::pair<const char*, const char*> kFields[] = {
      {"gpu.sm_mhz_min", "1200"},    {"gpu.sm_mhz_max", "1980"},   {"gpu.sm_mhz_median", "1590"},
      {"gpu.ecc", "true"},           {"gpu.power_w_max", "650.5"}, {"gpu.temperature_c_max", "71"},
      {"gpu.utilisation_max", "90"}, {"gpu.other_processes", "1"}, {"gpu.persistence", "true"},
      {"gpu.mig", "absent"},  // not supported is not false
      {"gpu.throttled", "no"},       {"gpu.samples", "2"}};
  for (const auto& [name, value] : kFields) EXPECT_EQ(scene.field(name), value) << name;
}

TEST(DeviceSampler, IdleClocks_DoNotCount) {
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

TEST(DeviceSampler, MedianClock_IsOfTheWindows) {
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

TEST(DeviceSampler, Container_DoesNotCountTheWorker) {
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

TEST(DeviceSampler, ThrottledSample_CoversTheLastSecond) {
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
  EXPECT_THAT(scene.field("gpu.power_capped_share"), StartsWith("0.66"));
}

TEST(DeviceSampler, NoLibraryOrDevice_NeverSamples) {
  ScriptedClock clock;
  ScriptedNvml nvml;
  const auto session = NvmlSession::open(nvml.api());
  for (const auto& [watched, device] :
       {std::pair<const NvmlSession*, std::optional<int>>{nullptr, 0}, {session.get(), {}}}) {
    DeviceSampler sampler(watched, device, clock, owner_of);
    clock.pass(1000 * kSecond);
    sampler.window_begins();
    sampler.sample();
    EXPECT_GT(sampler.next_ns(), clock.now_ns());
    EXPECT_THAT(sampler.summary(), IsEmpty());
  }
}

// CUDA orders its devices by speed, the library by their place on the bus.
TEST(DeviceSampler, Device_IsThatOfTheWorker) {
  ScriptedClock clock;
  ScriptedNvml nvml;
  nvml.uuids = {"GPU-0", "GPU-1"};
  nvml.pcis = {"0000:17:00.0", "0000:ca:00.0"};
  nvml.sm_mhz_of = {{"GPU-0", 1590}, {"GPU-1", 1980}};
  nvml.processes = {7};
  const auto session = NvmlSession::open(nvml.api());
  DeviceSampler sampler(session.get(), 0, clock, owner_of);
  const auto pass_a_second = [&] {
    clock.pass(kSecond);
    sampler.sample();
  };
  pass_a_second();
  nvml.processes = {kOurPid};
  sampler.device_is("0000:ca:00.0");
  pass_a_second();
  EXPECT_EQ(to_text(sampler.summary().at("gpu.sm_mhz_min")), "1980")
      << "what was read of the other one is forgotten";
  EXPECT_EQ(to_text(sampler.summary().at("gpu.other_processes")), "0");
  EXPECT_EQ(to_text(sampler.summary().at("gpu.samples")), "1");
  sampler.device_is("0000:ca:00.0");
  EXPECT_EQ(to_text(sampler.summary().at("gpu.samples")), "1") << "told again it is the same";
  sampler.device_is("0000:99:00.0");
  pass_a_second();
  EXPECT_EQ(to_text(sampler.summary().at("gpu.samples")), "2")
      << "a device that the library does not show";
  DeviceSampler by_place(session.get(), std::nullopt, clock, owner_of);
  by_place.device_is("0000:17:00.0");
  clock.pass(kSecond);
  by_place.sample();
  EXPECT_EQ(to_text(by_place.summary().at("gpu.samples")), "1") << "by its place alone";
}

// As slow as some drivers.
TEST(DeviceSampler, SlowReadings_ComeOnceASecond) {
  Scene scene;
  scene.nvml.on_read = [&] { scene.clock.pass(5'000'000); };
  for (int tenth = 0; tenth < 600; ++tenth) {
    scene.clock.pass(kSecond / 10);
    scene.sampler.sample();
  }
  EXPECT_GE(scene.nvml.reads, 50) << "in a minute";
  EXPECT_EQ(scene.nvml.fact_reads, 1);
}

TEST(DeviceSampler, Counters_AreReadAtWindowEdges) {
  Scene scene;
  scene.nvml.energy_mj = 5'000'000;
  scene.nvml.throttled_ns = {{74, 1000}, {270, 0}};
  for (int window = 0; window < 2; ++window) {
    scene.clock.pass(kSecond);
    scene.nvml.energy_mj += 90'000;  // between windows
    scene.nvml.throttled_ns[74] += 50;
    scene.sampler.window_begins();
    scene.clock.pass(4 * kSecond);
    scene.nvml.energy_mj += 2'400'000;
    scene.nvml.throttled_ns[74] += 700;
    scene.sampler.window_ends();
  }
  const WindowCounters& seen = scene.sampler.counters();
  EXPECT_EQ(seen.windows, 2);
  EXPECT_EQ(seen.span_ns, 8 * kSecond);
  EXPECT_DOUBLE_EQ(seen.energy_j.value(), 4800);
  EXPECT_DOUBLE_EQ(seen.power_w().value(), 600);
  EXPECT_EQ(seen.throttled_ns[0], 1400) << "gpu_power_capped_ns";
  EXPECT_EQ(seen.throttled_ns[1], std::nullopt) << "not supported is not never";
  EXPECT_EQ(seen.throttled_ns[3], 0) << "gpu_hardware_thermal_ns";
  EXPECT_EQ(scene.field("gpu.energy_source"), "nvmlDeviceGetTotalEnergyConsumption");
}

TEST(DeviceSampler, MissingOrBackwardCounter_IsAbsent) {
  const auto energy_after = [](const auto& happen) {
    Scene scene;
    scene.nvml.energy_mj = 1'000'000;
    scene.sampler.window_begins();
    scene.clock.pass(4 * kSecond);
    happen(scene.nvml);
    scene.sampler.window_ends();
    scene.nvml.energy_result = 0;
    scene.nvml.energy_mj = 8'000'000;
    scene.sampler.window_begins();
    scene.clock.pass(4 * kSecond);
    scene.nvml.energy_mj += 1;
    scene.sampler.window_ends();
    return std::pair(scene.sampler.counters().power_w(), scene.field("gpu.energy_source"));
  };
  EXPECT_TRUE(energy_after([](ScriptedNvml& nvml) { nvml.energy_mj += 5; }).first.has_value());
  const auto none = std::pair<std::optional<double>, std::string>(
      std::nullopt, "none: this device counts no energy");
  EXPECT_EQ(energy_after([](ScriptedNvml& nvml) { nvml.energy_result = kNvmlNotSupported; }), none);
  EXPECT_EQ(energy_after([](ScriptedNvml& nvml) { nvml.energy_mj = 3; }), none)
      << "the driver was loaded anew";
}

TEST(DeviceSampler, ShortWindowOrMig_HasNoEnergy) {
  for (const auto& [mig, seconds, why] :
       {std::tuple(false, 1, "schedule.active"), std::tuple(true, 4, "MIG")}) {
    Scene scene;
    if (mig) scene.nvml.mig = 1;
    scene.pass_a_second();
    scene.sampler.window_begins();
    scene.clock.pass(seconds * kSecond);
    scene.nvml.energy_mj += 300'000;
    scene.sampler.window_ends();
    EXPECT_EQ(scene.sampler.counters().power_w(), std::nullopt);
    EXPECT_THAT(scene.field("gpu.energy_source"), HasSubstr(why));
  }
}

TEST(DeviceSampler, NewMemoryErrors_AreCounted) {
  Scene scene;
  scene.nvml.memory_errors = 3;
  scene.pass_a_second();
  EXPECT_EQ(scene.field("gpu.memory_errors"), "absent") << "they were there before";
  scene.nvml.memory_errors = 5;
  scene.pass_a_second();
  EXPECT_EQ(scene.field("gpu.memory_errors"), "2");
}

TEST(DeviceSampler, LostCard_IsReadNoMore) {
  Scene scene;
  scene.pass_a_second();
  scene.nvml.lost = true;
  scene.pass_a_second();
  EXPECT_EQ(scene.field("gpu.lost"), "true");
  EXPECT_EQ(scene.field("gpu.samples"), "1") << "what was seen before is kept";
  EXPECT_EQ(scene.field("gpu.sm_mhz_median"), "1980");
  EXPECT_GT(scene.sampler.next_ns(), scene.clock.now_ns() + 1000 * kSecond);
  scene.sampler.window_begins();
  scene.sampler.window_ends();
  EXPECT_EQ(scene.sampler.counters().windows, 0);
}

TEST(NvmlSession, RefusingDriver_OpensNoSession) {
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

TEST(WatchedDevice, VisibleDevices_AreMapped) {
  EXPECT_EQ(watched_device("cpu", {}), std::nullopt);
  EXPECT_EQ(watched_device("cuda", {}), 0);
  EXPECT_EQ(watched_device("cuda:2", {}), 2);
  const Variables visible = {{"CUDA_VISIBLE_DEVICES", "5,3"}};
  EXPECT_EQ(watched_device("cuda", visible), 5);
  EXPECT_EQ(watched_device("cuda:1", visible), 3);
  EXPECT_EQ(watched_device("cuda:2", visible), std::nullopt);
  EXPECT_EQ(watched_device("cuda", {{"CUDA_VISIBLE_DEVICES", "GPU-8a"}}), std::nullopt);
}

TEST(WatchedDevice, Identifier_FindsIt) {
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

TEST(ThrottleText, Slowdowns_AreNamed) {
  EXPECT_EQ(throttle_text(0), "");
  EXPECT_EQ(throttle_text(0x01 | 0x02 | 0x04), "") << "idle, set by the user, power cap";
  EXPECT_EQ(throttle_text(0x08 | 0x20), "hardware slowdown, software thermal slowdown");
  EXPECT_TRUE(is_power_capped(0x04));
}

}  // namespace
}  // namespace stepbench::machine
