// SPDX-License-Identifier: Apache-2.0
// `stepbench plan` with the noise kept by `stepbench doctor --measure`, and with a probe.
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/shell/program.h"
#include "tests/unit/verdict/stored_noise.h"

namespace stepbench {
namespace {

using testing::stepbench;

class PlanCommand : public ::testing::Test {
 protected:
  [[nodiscard]] std::string plan(int launches) const {
    folder_.write("x.yaml", "workload: stub\nlaunches: " + std::to_string(launches) + "\n");
    return os::run_command(
               {"/usr/bin/env", "XDG_STATE_HOME=" + (folder_ / "state").string(),
                testing::stepbench_program(), "plan", (folder_ / "x.yaml").string(), "--worker",
                testing::stub_worker(), "--results", (folder_ / "results").string()},
               "", std::chrono::minutes{10})
        .out;
  }
  const test::TemporaryFolder folder_;
};

TEST_F(PlanCommand, KeptNoise_IsQuoted) {
  EXPECT_THAT(plan(10), Not(HasSubstr("for `ab`"))) << "nobody measured yet";
  keep_noise(folder_ / "state");
  EXPECT_THAT(plan(10), HasSubstr(std::string("\nfor `ab`: ") + kKeptQuote + '\n'));
}

TEST_F(PlanCommand, UnreadableNoiseFile_IsNamed) {
  const auto place = campaign::place_for_machine({{"XDG_STATE_HOME", (folder_ / "state").string()}},
                                                 campaign::machine_identity("/"));
  folder_.write(place.lexically_relative(folder_.path()).string(), "{");
  EXPECT_THAT(plan(10),
              HasSubstr("for `ab`: what this machine can show is unknown: " + place.string()));
}

TEST(InterpreterOption, NameInBraces_IsAFolder) {
  const test::TemporaryFolder folder;
  folder.write("x.yaml", "workload: stub\n");
  const auto planned =
      stepbench({"plan", (folder / "x.yaml").string(), "--worker", testing::stub_worker(),
                 "--interpreter", "{venv}/bin/python", "--format", "json"});
  EXPECT_THAT(planned.out, HasSubstr('"' + (fs::current_path() / "{venv}/bin/python").string()));
}

TEST(ProbeCommand, TimesAndFailures_AreShown) {
  const test::TemporaryFolder own;
  own.write("x.yaml",
            "workload: stub\n"
            "schedule: {wait: 0, warmup: 10, active: 50}\n"
            "sweep: {matrix: {stub.behaviour: [ok, throw_in_step]}}\n");
  const std::string file = (own / "x.yaml").string();
  const os::CommandResult probe =
      stepbench({"plan", file, "--probe", "--no-lock", "--quiet", "--worker",
                 testing::stub_worker(), "--results", (own / "results").string()});
  EXPECT_EQ(probe.exit_status, 1);
  EXPECT_THAT(probe.err, IsEmpty());
  for (const char* part :
       {"one step", "one launch", "all launches", "1.00 ms", "by the probe of 1 case\n",
        "case 2 FAILED in warmup: scripted exception in step", "  repeat: stepbench run "}) {
    EXPECT_THAT(probe.out, HasSubstr(part));
  }
  EXPECT_FALSE(fs::exists(own / "results"));
}

TEST(ProbeCommand, Interrupt_EndsInOrder) {
  const test::TemporaryFolder own;
  const std::string marker = (own / "begun").string();
  own.write("x.yaml",
            "workload: stub\nstub: {behaviour: hang_in_set_up, marker: " + marker + "}\n");
  fs::create_directory(own / "tmp");
  const std::string script =
      "cd " + own.path().string() + "; TMPDIR=$PWD/tmp " + testing::stepbench_program() +
      " plan x.yaml --probe --no-lock --quiet --worker " + testing::stub_worker() +
      " & pid=$!\n"
      "while ! test -e begun; do kill -0 $pid || exit 99; sleep 0.01; done\n"
      "kill -TERM $pid; wait $pid";
  const os::CommandResult probe =
      os::run_command({"/bin/sh", "-c", script}, "", std::chrono::minutes{10});
  EXPECT_EQ(probe.exit_status, 143);
  EXPECT_EQ(probe.err, "stepbench: interrupted; the probe is not complete\n");
  EXPECT_THAT(probe.out, IsEmpty());
  EXPECT_TRUE(fs::is_empty(own / "tmp")) << "no folder is left behind";
}

}  // namespace
}  // namespace stepbench
