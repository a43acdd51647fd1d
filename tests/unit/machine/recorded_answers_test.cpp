// SPDX-License-Identifier: Apache-2.0
// Replays records of real devices by tools/gpu_check (recorded/NAME.answers) through all code that
// uses them.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/machine/sampler.h"
#include "tests/gpu/answers.h"
#include "tests/scripted_clock.h"

namespace stepbench::machine {
namespace {

using testing::Contains;
using testing::Key;

TEST(RecordedAnswers, RealDevices_AreUnderstood) {
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
