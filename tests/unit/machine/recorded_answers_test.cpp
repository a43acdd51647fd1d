// SPDX-License-Identifier: Apache-2.0
// What tools/gpu_check recorded of real devices (recorded/NAME.answers) is told again to all that
// is made of it.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/base/error.h"
#include "harness/machine/device_sampler.h"
#include "harness/machine/doctor.h"
#include "tests/gpu/answers.h"
#include "tests/scripted_clock.h"
#include "tests/unit/machine/scripted_nvml.h"

namespace stepbench::machine {
namespace {

using testing::Contains;
using testing::Key;

std::vector<std::string> findings_of(const DeviceState& state) {
  std::vector<std::string> texts;
  for (const Finding& finding : diagnose_device(0, state)) texts.push_back(finding.text);
  return texts;
}

gpu::Answers record(ScriptedNvml& nvml) {
  gpu::Answers answers;
  const auto session = NvmlSession::open(gpu::recording(nvml.api(), answers));
  (void)session->driver_version();
  for (int i = 0; i < session->devices(); ++i) {
    (void)session->read(i);
    (void)session->read_counters(session->device(i).value());
  }
  return answers;
}

TEST(RecordedAnswers, AreToldAgainAsTheDeviceGaveThem) {
  ScriptedNvml nvml;
  nvml.uuids = {"GPU-0", "GPU-1"};
  nvml.sm_mhz_of = {{"GPU-1", 1200}};
  nvml.reasons = 0x40;
  nvml.energy_mj = 12'345'678'901;
  nvml.throttled_ns = {{74, 5000}};
  nvml.processes = {17, 4711};
  std::stringstream file;
  write(record(nvml), file);
  const auto real = NvmlSession::open(nvml.api());
  const auto told = NvmlSession::open(gpu::replaying(gpu::read_answers(file)));
  ASSERT_EQ(told->devices(), 2);
  EXPECT_EQ(told->driver_version(), "580.159.03");
  EXPECT_EQ(told->read(2), std::nullopt);
  for (const int index : {0, 1}) {
    const DeviceState expected = real->read(index).value();
    const DeviceState state = told->read(index).value();
    EXPECT_EQ(state.name, "Scripted GPU");
    EXPECT_EQ(state.sm_mhz, expected.sm_mhz);
    EXPECT_EQ(state.memory_total_bytes, expected.memory_total_bytes);
    EXPECT_EQ(state.processes, expected.processes);
    EXPECT_EQ(state.mig, std::nullopt) << "a refusal is told again too";
    EXPECT_EQ(findings_of(state), findings_of(expected));
    const DeviceCounters counters = told->read_counters(told->device(index).value());
    EXPECT_EQ(counters.energy_mj, 12'345'678'901);
    EXPECT_EQ(counters.throttled_ns[0], 5000);
    EXPECT_EQ(counters.throttled_ns[2], std::nullopt);
  }
}

TEST(RecordedAnswers, ALineThatIsNoneIsNamed) {
  std::stringstream file("0.power\t0\t12\t90000\nnonsense\n");
  try {
    (void)gpu::read_answers(file);
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'nonsense' is no answer"));
  }
}

TEST(RecordedAnswers, OfRealDevicesAreUnderstood) {
  const std::filesystem::path folder = std::filesystem::path(__FILE__).parent_path() / "recorded";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".answers") continue;
    ++files;
    SCOPED_TRACE(entry.path().filename());
    std::ifstream in(entry.path());
    const auto session = NvmlSession::open(gpu::replaying(gpu::read_answers(in)));
    ASSERT_GT(session->devices(), 0);
    ScriptedClock clock;
    DeviceSampler sampler(session.get(), 0, clock, [](int) { return DeviceSampler::Owner::kOurs; });
    clock.pass(1'000'000'000);
    sampler.sample();
    EXPECT_THAT(sampler.summary(), Contains(Key("gpu.sm_mhz_max")));
    EXPECT_THAT(sampler.summary(), Contains(Key("gpu.temperature_c_max")));
  }
  if (files == 0) GTEST_SKIP() << "no recording yet: it needs a CUDA device";
}

}  // namespace
}  // namespace stepbench::machine
