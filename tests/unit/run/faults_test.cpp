// SPDX-License-Identifier: Apache-2.0
// What goes wrong in one case is a row; the other cases are measured; nothing is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "harness/os/text_file.h"
#include "harness/text/numbers.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Runs `behaviour` and then `ok`.
void expect_failed_row(const std::string& behaviour, const std::string& reason,
                       const std::string& stage) {
  RunProgram program;
  program.config(yaml_with(behaviour + ", ok"));
  const os::CommandResult result = program.run();
  EXPECT_EQ(result.exit_status, 1) << result.err;
  const record::Results results = program.results();
  const record::LaunchRow& failed = program.launch_with(results, behaviour);
  EXPECT_EQ(failed.outcome.kind, Outcome::Kind::kFailed);
  EXPECT_THAT(failed.outcome.reason, HasSubstr(reason));
  EXPECT_EQ(failed.stage, stage);
  EXPECT_THAT(failed.repeat_command, HasSubstr("--case " + failed.key.case_id));
  EXPECT_EQ(program.launch_with(results, "ok").outcome.kind, Outcome::Kind::kMeasured);
  EXPECT_THAT(result.out, HasSubstr(reason.substr(0, 20)));
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Fault, ACrashNamesItsSignal) {
  expect_failed_row("segfault", "SIGSEGV (Segmentation fault)", "warmup");
}

TEST(Run, AProfiledLaunchIsOneMoreRowPerCaseAndNoRowOfTheTable) {
  RunProgram program;
  program.config(yaml_with("ok"));
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

TEST(Run, AFailedProfiledLaunchLeavesItsTimedOnesAsTheyAre) {
  RunProgram program;
  const std::string stub = program.worker.string();
  program.worker =
      program.script("worker", "case $1 in --control*) ;; *) exec " + stub +
                                   " \"$@\";; esac\n"
                                   "read -r line <&3\n"
                                   "case $line in *'\"pass\":\"kineto\"'*) exit 3;; esac\n"
                                   "printf '%s\\n' \"$line\" > \"$0.case\"\n"
                                   "exec " +
                                   stub + " --case \"$0.case\" >&3\n");
  program.config(yaml_with("ok"));
  const os::CommandResult result = program.run({"--profile=kineto"});
  const record::Results results = program.results();
  ASSERT_EQ(results.launches.size(), 2U);
  EXPECT_EQ(results.launches[0].row.outcome.kind, Outcome::Kind::kMeasured) << result.out;
  EXPECT_EQ(results.launches[1].row.outcome.kind, Outcome::Kind::kFailed);
  EXPECT_THAT(result.out, HasSubstr("profiled (kineto): failed: "));
}

TEST(Fault, AnAbortNamesItsSignal) { expect_failed_row("abort", "SIGABRT (Aborted)", "warmup"); }

TEST(Fault, AKilledWorkerIsNotCalledOutOfMemory) {
  expect_failed_row("kill_self", "killed by SIGKILL", "warmup");
}

TEST(Fault, ANonZeroExitNamesItsStatus) {
  expect_failed_row("exit_3", "exited with status 3", "warmup");
}

TEST(Fault, AMissingLibraryIsNamedByItsRow) {
  RunProgram program;
  program.config(yaml_with("ok"));
  const std::string stub = program.worker.string();
  program.worker = program.script(
      "worker",
      "case $1 in --control*) echo 'worker: error while loading shared libraries: libtorch.so: no "
      "such file' >&2; exit 127;; esac\nexec " +
          stub + " \"$@\"\n");
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_EQ(program.results().launches.at(0).row.outcome.reason,
            "the worker exited with status 127 without a final line: worker: error while loading "
            "shared libraries: libtorch.so: no such file");
}

TEST(Fault, AnExitWithoutAFinalLineIsAFailure) {
  expect_failed_row("no_final_line", "exited with status 0 without a final line", "tear_down");
}

TEST(Fault, AnExceptionIsQuoted) {
  expect_failed_row("throw_in_step", "scripted exception in step", "warmup");
}

TEST(Fault, AnExceptionInSetUpIsQuoted) {
  expect_failed_row("throw_in_set_up", "scripted exception in set_up", "set_up");
}

TEST(Fault, GarbageOnTheSocketEndsTheWorker) {
  expect_failed_row("garbage", "breaks the protocol", "warmup");
}

TEST(Fault, ALineWithoutEndEndsTheWorker) {
  expect_failed_row("flood_protocol", "a line longer than 16777216 bytes", "warmup");
}

TEST(Fault, AWorkerOfAnotherVersionIsToldBothRanges) {
  expect_failed_row("future_protocol", "ours 1 to 3, theirs 7 to 9", "start");
}

TEST(Fault, AFloodOfOutputDoesNotBlockTheWorker) {
  RunProgram program;
  program.config(yaml_with("flood_output"));
  EXPECT_EQ(program.run().exit_status, 0);
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Fault, AGrandchildThatHoldsThePipesIsKilled) {
  RunProgram program;
  program.config(yaml_with("orphan"));
  EXPECT_EQ(program.run().exit_status, 0);
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Fault, ASkipIsARowWithItsReasonAndNoFailure) {
  RunProgram program;
  program.config(yaml_with("skip, ok"));
  EXPECT_EQ(program.run({"--launches", "2"}).exit_status, 0);
  const record::Results results = program.results();
  EXPECT_EQ(program.launch_with(results, "skip").outcome.kind, Outcome::Kind::kSkipped);
  EXPECT_EQ(results.launches.size(), 3U) << "a skipped case is launched once";
}

TEST(Fault, NothingMeasuredIsAnExitStatusOfItsOwn) {
  RunProgram program;
  program.config(yaml_with("skip"));
  EXPECT_EQ(program.run().exit_status, 4);
}

struct HangCase {
  std::string behaviour;
  std::string limit;   // key below `limits`
  std::string reason;  // after the time
  std::string stage;
  std::string more = {};  // lines of the experiment
};

// A busy machine may need longer to come to the stage that hangs: then again with ten times that.
void expect_timeout(const HangCase& hang, double limit_s, double told_s) {
  RunProgram program;
  program.config(yaml_with(hang.behaviour, hang.more + "limits: {" + hang.limit + ": " +
                                               text::short_number(limit_s) + "}\n"));
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_THAT(program.leftovers(), IsEmpty());
  const record::LaunchRow row = program.results().launches.at(0).row;
  if (row.stage != hang.stage && limit_s < 10) {
    expect_timeout(hang, 10 * limit_s, 10 * told_s);
    return;
  }
  EXPECT_EQ(row.stage, hang.stage);
  EXPECT_THAT(row.outcome.reason, HasSubstr(text::seconds_text(told_s) + " " + hang.reason));
}

TEST(Fault, AHangInSetUpMeetsItsLimit) {
  expect_timeout({"hang_in_set_up", "set_up_s", "(limit: limits.set_up_s)", "set_up"}, 0.2, 0.2);
}

TEST(Fault, AHangInAStepMeetsTheLimitOfItsCycle) {
  expect_timeout({"hang_in_step", "step_s", "(limit: limits.step_s x steps per cycle)", "warmup"},
                 0.05, 0.35);
}

TEST(Fault, AHangInAWindowIsNoticedInSeconds) {
  RunProgram program;
  program.config(yaml_with("hang_in_step", "stub: {at_step: 4}\n"));
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_THAT(program.results().launches.at(0).row.outcome.reason,
              AllOf(HasSubstr("timed out: no message for 10.1 s"),
                    HasSubstr("limits.stall_s: auto, 10 s + 20 x 1.00 ms per step x 5 steps"),
                    HasSubstr("in stage active; its last message was `stage active`")));
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Fault, AHangInAWindowMeetsTheLimitThatTheUserSet) {
  expect_timeout({"hang_in_step", "stall_s", "(limit: limits.stall_s) in stage active", "active",
                  "stub: {at_step: 4}\n"},
                 0.4, 0.4);
}

TEST(Fault, AStoppedWorkerIsKilledAsAHungOne) {
  RunProgram program;
  program.config(yaml_with("ok", "limits: {set_up_s: 1}\n"));
  const std::string stub = program.worker.string();
  program.worker = program.script(
      "worker", "case $1 in --control*) kill -STOP $$;; esac\nexec " + stub + " \"$@\"\n");
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_THAT(program.results().launches.at(0).row.outcome.reason,
              AllOf(HasSubstr("no message for 1 s (limit: limits.set_up_s)"),
                    HasSubstr("it never sent a message")));
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Fault, AHangInTearDownMeetsItsLimit) {
  expect_timeout({"hang_in_tear_down", "tear_down_s", "(limit: limits.tear_down_s)", "tear_down"},
                 0.2, 0.2);
}

TEST(Fault, ALaunchMeetsItsWallLimit) {
  expect_timeout({"hang_in_step", "wall_s", "(limits.wall_s)", "warmup"}, 1, 1);
}

TEST(Fault, AMissingWorkerIsSaidBeforeAnythingRuns) {
  RunProgram program;
  program.config(yaml_with("ok"));
  program.worker = program.folder / "no-such-worker";
  const os::CommandResult result = program.run();
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("there is no such program"));
  EXPECT_FALSE(std::filesystem::exists(program.folder / "results"));
}

TEST(Fault, AWorkerThatIsNoProgramIsSaidBeforeAnythingRuns) {
  RunProgram program;
  program.config(yaml_with("ok"));
  program.worker = program.folder / "config.yaml";
  const os::CommandResult result = program.run();
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("not an executable file"));
}

// As torch leaves one of a tensor for which /dev/shm has no room.
TEST(Fault, ASegmentOfATensorIsRemovedWhenItsProcessHasEnded) {
  RunProgram program;
  program.config(yaml_with("ok"));
  const std::string stub = program.worker.string();
  program.worker = program.script("worker",
                                  "case $1 in --control*)\n: > /dev/shm/torch_$$_1_0\n"
                                  "echo $$ >> " +
                                      (program.folder / "workers").string() + "\n;; esac\nexec " +
                                      stub + " \"$@\"\n");
  EXPECT_EQ(program.run().exit_status, 0);
  std::ifstream workers{program.folder / "workers"};
  int launches = 0;
  for (std::string pid; workers >> pid; ++launches) {
    EXPECT_FALSE(std::filesystem::exists("/dev/shm/torch_" + pid + "_1_0"));
  }
  EXPECT_GT(launches, 0);
}

TEST(Fault, AFullDiskEndsTheRunAndKeepsWhatWasFinished) {
  RunProgram program;
  program.config(
      "name: full\nworkload: stub\nlaunches: 4\nschedule: {wait: 0, warmup: 0, active: 2000}\n");
  program.prefix = {"/bin/sh", "-c", "ulimit -f 256; exec \"$0\" \"$@\""};  // 128 KiB
  const os::CommandResult result = program.run();
  EXPECT_EQ(result.exit_status, 2) << result.out;
  EXPECT_THAT(result.err, HasSubstr("File too large"));
  EXPECT_THAT(result.err, HasSubstr("go on with --resume"));
  const std::size_t kept = program.results().launches.size();
  EXPECT_GE(kept, 1U);
  EXPECT_LT(kept, 4U);
  EXPECT_THAT(program.leftovers(), IsEmpty());
  program.prefix = {};
  EXPECT_EQ(program.resume().exit_status, 0);
  EXPECT_EQ(program.results().launches.size(), 4U);
}

TEST(Wrap, PutsACommandBeforeTheWorkerAndMarksItsRows) {
  RunProgram program;
  program.config(yaml_with("ok"));
  const auto wrapper = program.script("wrapper", "echo \"$1\" > \"$2\"; shift 2; exec \"$@\"\n");
  EXPECT_EQ(
      program.run({"--wrap", wrapper.string() + " '{case_id} {launch}' {run_dir}/wrapped.txt"})
          .exit_status,
      0);
  const auto said = os::read_line(program.run_dir() / "wrapped.txt");
  std::filesystem::remove(program.run_dir() / "wrapped.txt");
  const record::Results results = program.results();
  EXPECT_EQ(said, results.launches.at(0).row.key.case_id + " 0");
  EXPECT_EQ(results.launches.at(0).row.key.pass, Pass::kWrapped);
}

TEST(Wrap, ThatCannotWorkIsSaidBeforeAnythingIsMade) {
  RunProgram program;
  program.config(yaml_with("ok"));
  const os::CommandResult unknown = program.run({"--wrap", "env {bogus}"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("there is no {bogus}; known: {run_dir}, {case_id}, {launch}"));
  const os::CommandResult missing = program.run({"--wrap", "no-such-profiler -x"});
  EXPECT_EQ(missing.exit_status, 2);
  EXPECT_THAT(missing.err, HasSubstr("no-such-profiler: there is no such program"));
  EXPECT_FALSE(std::filesystem::exists(program.folder / "results"));
}

TEST(Secret, ItsValueIsNowhereInTheResults) {
  RunProgram program;
  program.config(
      "name: secret\nworkload: stub\nlaunches: 1\n"
      "schedule: {wait: 0, warmup: 0, active: 2}\n"
      "env: {WANDB_API_KEY: wandb_in_the_file}\n"
      "sweep: {matrix: {stub.samples: [1]}}\n");
  program.prefix = {"/usr/bin/env", "NCCL_SECRET=from_the_shell"};
  const std::vector<std::string> on_the_line = {"--set", "env.HF_TOKEN=hf_on_the_line", "--set",
                                                "env.http_proxy=http://me:proxy_password@proxy"};
  EXPECT_EQ(program.run(on_the_line).exit_status, 0);
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator{program.run_dir()}) {
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

TEST(Secret, IsAskedForAgainWhenARunGoesOnFromItsFolderAlone) {
  RunProgram program;
  program.config(yaml_with("ok"));
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

TEST(Secret, CasesThatDifferInOneStayTwo) {
  RunProgram program;
  program.config(
      "name: secret\nworkload: stub\nlaunches: 1\n"
      "schedule: {wait: 0, warmup: 0, active: 2}\n"
      "sweep: {matrix: {env.HF_TOKEN: [hf_first, hf_second]}}\n");
  const os::CommandResult result = program.run();
  EXPECT_EQ(result.exit_status, 0) << result.err;
  const record::Results results = program.results();
  ASSERT_EQ(results.launches.size(), 2U);
  EXPECT_NE(results.launches[0].row.key.case_id, results.launches[1].row.key.case_id);
  EXPECT_NE(results.launches[0].row.options.at("env.HF_TOKEN"),
            results.launches[1].row.options.at("env.HF_TOKEN"));
  EXPECT_EQ(result.out.find("hf_first"), std::string::npos);
}

TEST(ForeignWorker, ThatIsAScriptIsAskedEachTime) {
  RunProgram program;
  program.config(yaml_with("ok"));
  const std::string stub = program.worker.string();
  const auto log = program.folder / "log";
  program.worker =
      program.script("worker", "echo \"$1\" >> " + log.string() + "; exec " + stub + " \"$@\"\n");
  EXPECT_EQ(program.run({"--dry-run"}).exit_status, 0);
  EXPECT_EQ(program.run({"--dry-run"}).exit_status, 0);
  EXPECT_EQ(os::read_text(log), "describe\ncheck\ndescribe\ncheck\n")
      << "what it executes may have been built anew";
}

TEST(ForeignWorker, ThatIsAProgramIsAskedForItsCatalogueOnce) {
  RunProgram program;
  program.config(yaml_with("ok"));
  EXPECT_EQ(program.run({"--dry-run"}).exit_status, 0);
  const std::filesystem::directory_iterator cached{program.folder / "cache/stepbench"};
  ASSERT_NE(cached, std::filesystem::directory_iterator{});
  std::ofstream{cached->path()} << R"({"stepbench_catalogue": 1, "sections": [], "workloads": []})";
  EXPECT_EQ(program.run({"--dry-run"}).exit_status, 2) << "the kept answer counts";
}

TEST(ForeignWorker, ThatDoesNotDescribeItselfIsKilledAtTheLimit) {
  RunProgram program;
  program.config(yaml_with("ok"));
  program.worker = program.script("worker", "sleep 1000\n");
  const os::CommandResult result = program.run({"--set", "limits.ask_s=0.3"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("worker describe: gave no answer within 0.3 s"));
  EXPECT_THAT(result.err, HasSubstr("limits.ask_s"));
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(ForeignWorker, ThatHangsInItsRulesIsKilledAtTheLimitOfTheFile) {
  RunProgram program;
  const std::string stub = program.worker.string();
  program.worker =
      program.script("worker", "case $1 in check) sleep 1000;; esac\nexec " + stub + " \"$@\"\n");
  std::string said;
  // A busy machine may need longer to describe the worker, which has the same limit.
  for (const std::string limit_s : {"0.3", "3", "30"}) {
    program.config(yaml_with("ok", "limits: {ask_s: " + limit_s + "}\n"));
    const os::CommandResult result = program.run();
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_THAT(program.leftovers(), IsEmpty());
    said = result.err;
    if (said.find("worker describe:") != std::string::npos) continue;
    EXPECT_THAT(said, HasSubstr("worker check: gave no answer within " + limit_s + " s"));
    break;
  }
  EXPECT_THAT(said, HasSubstr("worker check:"));
}

TEST(ForeignWorker, ThatHangsWhenAskedEndsWithTheProgram) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    RunProgram program;
    program.config(yaml_with("ok"));
    const auto started = program.folder / "started";
    program.worker = program.script("worker", "touch " + started.string() + "; sleep 1000\n");
    StartedRun run = program.start();
    ASSERT_TRUE(appears(started));
    run.signal(signal);
    EXPECT_EQ(run.wait(), 128 + signal);
    EXPECT_THAT(program.leftovers(), IsEmpty());
  }
}

TEST(ForeignWorker, ThatCrashesInItsRulesIsAnErrorAtTheFilesLine) {
  RunProgram program;
  program.config(yaml_with("ok, skip"));
  const std::string stub = program.worker.string();
  program.worker = program.script("worker",
                                  "case $1 in check) echo '{\"answer\": \"ok\"}'; kill -SEGV $$;; "
                                  "esac\nexec " +
                                      stub + " \"$@\"\n");
  const os::CommandResult result = program.run({"--dry-run"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("config.yaml:2:"));
  EXPECT_THAT(result.err, HasSubstr("the worker that checked this case was killed by SIGSEGV"));
}

TEST(ForeignWorker, WithoutRulesIsSaidToHaveNone) {
  RunProgram program;
  program.config(yaml_with("ok"));
  const std::string stub = program.worker.string();
  program.worker = program.script(
      "worker", "case $1 in check) echo usage >&2; exit 2;; esac\nexec " + stub + " \"$@\"\n");
  const os::CommandResult result = program.run();
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("1 note on the plan: stepbench plan"));
}

TEST(ForeignWorker, ThatBreaksWhenAskedIsNamedWithItsLastWords) {
  RunProgram program;
  program.config(yaml_with("ok"));
  program.worker = program.script("worker", "echo 'no module named torch' >&2; exit 7\n");
  const os::CommandResult result = program.run();
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("worker describe: ended with status 7: no module named torch"));
}

}  // namespace
}  // namespace stepbench::testing
