// SPDX-License-Identifier: Apache-2.0
// Replays records of real devices by tools/gpu_check (recorded/NAME.answers) through all code that
// uses them.
#include "harness/machine/sampler.h"
#include "tests/gpu/answers.h"
#include "tests/scripted_clock.h"
#include "tests/testing.h"

namespace stepbench::machine {
namespace {

TEST(RecordedAnswers, RealDevices_AreUnderstood) {
  const fs::path folder = fs::path(__FILE__).parent_path() / "recorded";
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
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
