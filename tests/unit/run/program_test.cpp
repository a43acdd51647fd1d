// SPDX-License-Identifier: Apache-2.0
// The records of `stepbench run` and the output of `stepbench show`, in a shell.
#include <chrono>

#include "harness/document/render.h"
#include "harness/os/text_file.h"
#include "harness/report/result_tables.h"
#include "tests/testing.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

using ::testing::Gt;

TEST(Run, ProfiledLaunch_IsARowOutsideTheTable) {
  RunProgram program(yaml_with("ok"));
  const os::CommandResult result = program.run({"--profile"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  const record::Results results = program.results();
  ASSERT_EQ(results.launches.size(), 2U);
  EXPECT_EQ(results.launches[0].row.key.pass, Pass::kTiming);
  EXPECT_EQ(results.launches[1].row.key.pass, Pass::kNative);
  EXPECT_EQ(results.launches[0].row.key.case_id, results.launches[1].row.key.case_id);
  EXPECT_TRUE(results.launches[1].row.report.metrics.contains("profile_overhead"));
  EXPECT_THAT(result.out, HasSubstr("profiled (native), recording cost: "));
}

TEST(Run, FailedProfile_KeepsTimedLaunches) {
  RunProgram program;
  program.worker = program.stub_after(
      "case $1 in --control*)\n"
      "read -r line <&3\n"
      "case $line in *'\"pass\":\"kineto\"'*) exit 3;; esac\n"
      "printf '%s\\n' \"$line\" > \"$0.case\"\n"
      "exec $stub --case \"$0.case\" >&3;; esac");
  program.config(yaml_with("ok"));
  const os::CommandResult result = program.run({"--profile=kineto"});
  const record::Results results = program.results();
  ASSERT_EQ(results.launches.size(), 2U);
  EXPECT_EQ(results.launches[0].row.outcome.kind, Outcome::Kind::kMeasured) << result.out;
  EXPECT_EQ(results.launches[1].row.outcome.kind, Outcome::Kind::kFailed);
  EXPECT_THAT(result.out, HasSubstr("profiled (kineto): failed: "));
}

TEST(Wrap, Command_PrecedesTheWorker) {
  RunProgram program(yaml_with("ok"));
  const auto wrapper = program.script("wrapper", "echo \"$1\" > \"$2\"; shift 2; exec \"$@\"\n");
  EXPECT_EQ(
      program.run({"--wrap", wrapper.string() + " '{case_id} {launch}' {run_dir}/wrapped.txt"})
          .exit_status,
      0);
  const auto said = os::read_line(program.run_dir() / "wrapped.txt");
  fs::remove(program.run_dir() / "wrapped.txt");
  const record::Results results = program.results();
  EXPECT_EQ(said, results.launches.at(0).row.key.case_id + " 0");
  EXPECT_EQ(results.launches.at(0).row.key.pass, Pass::kWrapped);
}

TEST(Wrap, Unusable_IsRejectedUpFront) {
  RunProgram program(yaml_with("ok"));
  const os::CommandResult unknown = program.run({"--wrap", "env {bogus}"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_THAT(unknown.err,
              HasSubstr("unknown placeholder {bogus}; known: {run_dir}, {case_id}, {launch}"));
  const os::CommandResult missing = program.run({"--wrap", "no-such-profiler -x"});
  EXPECT_EQ(missing.exit_status, 2);
  EXPECT_THAT(missing.err, HasSubstr("no-such-profiler: there is no such program"));
  EXPECT_FALSE(fs::exists(program.folder / "results"));
}

TEST(Secret, Value_IsNowhereInTheResults) {
  RunProgram program;
  program.config(
      "name: secret\nworkload: stub\nlaunches: 1\n"
      "schedule: {wait: 0, warmup: 0, active: 2}\n"
      "env: {WANDB_API_KEY: wandb_in_the_file}\n"
      "sweep: {matrix: {stub.samples: [1]}}\n");
  program.prefix = {"/usr/bin/env", "NCCL_SECRET=from_the_shell"};
  const std::vector<std::string> on_the_line = {"--set", "env.HF_TOKEN=hf_on_the_line", "--set",
                                                "env.http_proxy=http://me:proxy_password@proxy"};
  std::vector<std::string> words = on_the_line;
  words.insert(words.end(), {"--label", "shell=from_the_shell"});
  EXPECT_EQ(program.run(words).exit_status, 0);
  std::string text;
  for (const auto& entry : fs::directory_iterator{program.run_dir()}) {
    text += os::read_text(entry.path()).value();
  }
  for (const char* value :
       {"wandb_in_the_file", "hf_on_the_line", "from_the_shell", "proxy_password"}) {
    EXPECT_EQ(text.find(value), std::string::npos) << value;
  }
  for (const char* name : {"WANDB_API_KEY", "HF_TOKEN", "NCCL_SECRET"}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
  const os::CommandResult resumed = program.resume(on_the_line);
  EXPECT_EQ(resumed.exit_status, 0) << resumed.err;
}

TEST(Secret, Inherited_IsMaskedInWorkerOutput) {
  RunProgram program(yaml_with("throw_in_step"));
  program.prefix = {"/usr/bin/env", "NCCL_SECRET=scripted exception"};
  EXPECT_EQ(program.run().exit_status, 4);
  const std::string reason = program.results().launches.at(0).row.outcome.reason;
  EXPECT_THAT(reason, HasSubstr("*** in step"));
  program.prefix = {"/usr/bin/env", "NCCL_SECRETARY=/scripted exception",
                    "NCCL_COMMENT=scripted exception"};
  fs::remove_all(program.folder / "results");
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_THAT(program.results().launches.at(0).row.outcome.reason,
              HasSubstr("scripted exception in step"));
}

TEST(Secret, ResumeFromTheFolder_AsksAgain) {
  RunProgram program(yaml_with("ok"));
  EXPECT_EQ(program.run({"--set", "env.HF_TOKEN=hf_on_the_line"}).exit_status, 0);
  const auto resume = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench", "run",
                                      "--no-lock", "--resume", program.run_dir().string()};
    words.insert(words.end(), more.begin(), more.end());
    return os::run_command(words, "", std::chrono::minutes{10});
  };
  const os::CommandResult without = resume({});
  EXPECT_EQ(without.exit_status, 2);
  EXPECT_THAT(without.err, HasSubstr("give --set env.HF_TOKEN=VALUE again"));
  const os::CommandResult with = resume({"--set", "env.HF_TOKEN=hf_on_the_line"});
  EXPECT_EQ(with.exit_status, 0) << with.err;
}

constexpr const char* kConclusions =
    "name: conclusions\n"
    "workload: stub\n"
    "launches: 4\n"
    "schedule: {wait: 0, warmup: 2, active: 5}\n"
    "stub: {phases: 'forward=50,backward=40'}\n"
    "sweep: {matrix: {stub.finding_launches: [0, 1, 3]}}\n";

TEST(FindingsOfARun, Worker_SendsThemToTableAndPage) {
  RunProgram program(kConclusions);
  const os::CommandResult result = program.run();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("warning: the step spins for 51 % of its time "
                                    "(finding_launches=3)\n  Shorten the script.\n"
                                    "  try: --set stub.step_us=10\n"));
  const record::Results results = program.results();
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(document::render(report::case_document(rows[1], results, {}), {}),
              Not(HasSubstr("Findings")))
      << "one launch of four has it";
  EXPECT_THAT(document::render(report::case_document(rows[2], results, {}), {}),
              AllOf(HasSubstr("Findings\nwarning: the step spins for 51 % of its time (3 of 4 "
                              "launches)\n"),
                    HasSubstr("  seen in: step_ns; possible gain, at most: 50.0 % of the step\n")));
}

constexpr const char* kBeside =
    "workload: stub\n"
    "launches: 1\n"
    "stub: {clock: host, step_us: 5000}\n"
    "sweep: {matrix: {background.busy_cpus: [0, 0.5, 2]}}\n";

TEST(BackgroundLoad, SweptLoad_IsRecordedWithItsRealSize) {
  RunProgram program(kBeside);
  EXPECT_EQ(program.run().exit_status, 0);
  const record::Results results = program.results();
  ASSERT_EQ(results.launches.size(), 3U);
  for (const record::Launch& launch : results.launches) {
    const Fields& machine = launch.row.machine;
    if (launch.row.place == 0) {
      EXPECT_THAT(machine, Not(Contains(Key("background_cpus")))) << "nobody asked for one";
    } else {
      EXPECT_THAT(number_of(machine, "background_cpus").value_or(0), Gt(0));
    }
  }
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(BackgroundLoad, NegativeCpus_AreRejected) {
  RunProgram program(kBeside);
  const os::CommandResult run = program.run({"--set", "background.busy_cpus=-1"});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_THAT(run.err, HasSubstr("background.busy_cpus"));
}

os::CommandResult show(const RunProgram& program, const std::vector<std::string>& arguments = {}) {
  std::vector<std::string> words = {STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench", "show",
                                    program.run_dir().string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return os::run_command(words, "", std::chrono::minutes(10));
}

TEST(ShowCommand, NoMeasuredLaunch_ExitsWithFour) {
  for (const auto& [behaviours, of_run, of_show] :
       {std::tuple("skip", 4, 4), {"throw_in_step", 4, 4}, {"ok, throw_in_step", 1, 0}}) {
    RunProgram program(yaml_with(behaviours));
    EXPECT_EQ(program.run().exit_status, of_run);
    EXPECT_EQ(show(program).exit_status, of_show);
  }
}

TEST(ShowCommand, FullDiskAtStdout_IsAnError) {
  for (const char* words : {"--help", "--version", "list", "run --help"}) {
    const os::CommandResult result = os::run_command(
        {"/bin/sh", "-c",
         std::string(STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench ") + words + " > /dev/full"},
        "", std::chrono::minutes(10));
    EXPECT_EQ(result.exit_status, 2) << words;
    EXPECT_THAT(result.err, HasSubstr("standard output: cannot be written")) << words;
  }
}

TEST(ShowCommand, StandardOutput_IsWritableByName) {
  RunProgram program(yaml_with("ok"));
  EXPECT_EQ(program.run().exit_status, 0);
  const std::string expected = show(program).out;
  const auto shell = [&](const std::string& script) {
    return os::run_command(
               {"/bin/sh", "-c", script, STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench",
                program.run_dir().string()},
               "", std::chrono::minutes(10))
        .out;
  };
  for (const std::string name : {"-", "/dev/stdout", "/proc/self/fd/1"}) {
    const std::string show = "\"$0\" show \"$1\" --output " + name;
    EXPECT_EQ(shell(show + " | cat"), expected) << name;
    EXPECT_EQ(shell("f=\"$1/kept\"; echo before > \"$f\"; " + show + " >> \"$f\"; cat \"$f\""),
              "before\n" + expected)
        << name;
  }
}

}  // namespace
}  // namespace stepbench::testing
