// SPDX-License-Identifier: Apache-2.0
// Faults of one case: it becomes a row, the other cases are measured, and nothing is left behind.
// Then faults of a whole run, and of a worker that is queried.
#include <csignal>

#include "harness/os/text_file.h"
#include "harness/text/numbers.h"
#include "tests/testing.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

struct FaultRow {
  const char* behaviour;
  const char* reason;
  const char* stage;
};

constexpr FaultRow kFaults[] = {
    {"segfault", "killed by SIGSEGV (Segmentation fault)", "warmup"},
    {"abort", "killed by SIGABRT (Aborted)", "warmup"},
    {"kill_self", "killed by SIGKILL (Killed)", "warmup"},  // not reported as out of memory
    {"oom", "killed by SIGKILL (Killed)", "warmup"},
    {"exit_3", "exited with status 3 without a final line", "warmup"},
    {"no_final_line", "exited with status 0 without a final line", "tear_down"},
    {"throw_in_set_up", "scripted exception in set_up", "set_up"},
    {"throw_in_step", "scripted exception in step", "warmup"},
    {"throw_in_tear_down", "scripted exception in tear_down", "tear_down"},
    {"garbage", "breaks the protocol", "warmup"},
    {"flood_protocol", "a line longer than 16777216 bytes", "warmup"},
    {"future_protocol", "ours 1 to 3, theirs 7 to 9", "start"},
};

TEST(Faults, FailedCases_AreRowsAndOthersRun) {
  std::string behaviours;
  for (const FaultRow& fault : kFaults) behaviours += std::string(fault.behaviour) + ", ";
  RunProgram program(yaml_with(behaviours + "ok, skip, flood_output, orphan"));
  const os::CommandResult result = program.run({"--launches", "2"});
  EXPECT_EQ(result.exit_status, 1) << result.err;
  EXPECT_THAT(program.leftovers(), IsEmpty());
  const record::Results results = program.results();
  for (const FaultRow& fault : kFaults) {
    SCOPED_TRACE(fault.behaviour);
    const record::LaunchRow& failed = program.launch_with(results, fault.behaviour);
    EXPECT_EQ(failed.outcome.kind, Outcome::Kind::kFailed);
    EXPECT_THAT(failed.outcome.reason, HasSubstr(fault.reason));
    EXPECT_EQ(failed.stage, fault.stage);
    EXPECT_THAT(failed.repeat_command, HasSubstr("--case " + failed.key.case_id));
    EXPECT_THAT(result.out, HasSubstr(std::string(fault.reason).substr(0, 20)));
  }
  for (const char* behaviour : {"ok", "flood_output", "orphan"}) {
    EXPECT_EQ(program.launch_with(results, behaviour).outcome.kind, Outcome::Kind::kMeasured)
        << behaviour;
  }
  EXPECT_EQ(program.launch_with(results, "skip").outcome.kind, Outcome::Kind::kSkipped);
  EXPECT_EQ(results.launches.size(), 2 * (std::size(kFaults) + 3) + 1)
      << "a skipped case is launched once";
}

struct HangCase {
  const char* behaviour;
  const char* limit;  // key in `limits`
  double limit_s;
  double told_s;
  const char* reason;  // after the duration
  const char* stage;
  const char* more = "";  // lines of the experiment
};

constexpr HangCase kHangs[] = {
    {"hang_in_set_up", "set_up_s", 0.2, 0.2, "(limit: limits.set_up_s)", "set_up"},
    {"hang_in_step", "step_s", 0.05, 0.35, "(limit: limits.step_s x steps per cycle)", "warmup"},
    {"hang_in_step", "stall_s", 0.4, 0.4, "(limit: limits.stall_s) in stage active", "active",
     "stub: {at_step: 4}\n"},
    {"hang_in_tear_down", "tear_down_s", 0.2, 0.2, "(limit: limits.tear_down_s)", "tear_down"},
    {"hang_in_step", "wall_s", 1, 1, "(limits.wall_s)", "warmup"},
};

// A busy machine may need longer to reach the stage that hangs: retry with ten times the limit.
void expect_timeout(HangCase hang) {
  RunProgram program(yaml_with(hang.behaviour, std::string(hang.more) + "limits: {" + hang.limit +
                                                   ": " + text::short_number(hang.limit_s) +
                                                   "}\n"));
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_THAT(program.leftovers(), IsEmpty());
  const record::LaunchRow row = program.results().launches.at(0).row;
  if (row.stage != hang.stage && hang.limit_s < 10) {
    hang.limit_s *= 10;
    hang.told_s *= 10;
    return expect_timeout(hang);
  }
  EXPECT_EQ(row.stage, hang.stage);
  EXPECT_THAT(row.outcome.reason, HasSubstr(text::seconds_text(hang.told_s) + " " + hang.reason));
}

TEST(Faults, Hang_MeetsItsStageLimit) {
  for (const HangCase& hang : kHangs) {
    SCOPED_TRACE(hang.limit);
    expect_timeout(hang);
  }
}

TEST(Faults, HangInAWindow_IsNoticedInSeconds) {
  RunProgram program(yaml_with("hang_in_step", "stub: {at_step: 4}\n"));
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_THAT(program.results().launches.at(0).row.outcome.reason,
              AllOf(HasSubstr("timed out: no message for 10.1 s"),
                    HasSubstr("limits.stall_s: auto, 10 s + 20 x 1.00 ms per step x 5 steps"),
                    HasSubstr("in stage active; its last message was `stage active`")));
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Faults, StoppedWorker_IsAHang) {
  RunProgram program(yaml_with("ok", "limits: {set_up_s: 1}\n"));
  program.worker = program.stub_after("case $1 in --control*) kill -STOP $$;; esac");
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_THAT(program.results().launches.at(0).row.outcome.reason,
              AllOf(HasSubstr("no message for 1 s (limit: limits.set_up_s)"),
                    HasSubstr("it never sent a message")));
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Faults, MissingLibrary_IsNamedInItsRow) {
  RunProgram program(yaml_with("ok"));
  program.worker = program.stub_after(
      "case $1 in --control*) echo 'worker: error while loading shared libraries: libtorch.so: no "
      "such file' >&2; exit 127;; esac");
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_EQ(program.results().launches.at(0).row.outcome.reason,
            "the worker exited with status 127 without a final line: worker: error while loading "
            "shared libraries: libtorch.so: no such file");
}

TEST(Faults, InvalidWorker_IsRejectedUpFront) {
  for (const auto& [name, what] : {std::pair("no-such-worker", "there is no such program"),
                                   std::pair("config.yaml", "not an executable file")}) {
    RunProgram program(yaml_with("ok"));
    program.worker = program.folder / name;
    const os::CommandResult result = program.run();
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_THAT(result.err, HasSubstr(what));
    EXPECT_FALSE(fs::exists(program.folder / "results"));
  }
}

// torch leaves a segment like this for a tensor that does not fit into /dev/shm.
TEST(Faults, EndedProcess_LeavesNoSegment) {
  RunProgram program(yaml_with("ok"));
  program.worker =
      program.stub_after("case $1 in --control*)\n: > /dev/shm/torch_$$_1_0\necho $$ >> " +
                         (program.folder / "workers").string() + "\n;; esac");
  EXPECT_EQ(program.run().exit_status, 0);
  std::ifstream workers{program.folder / "workers"};
  int launches = 0;
  for (std::string pid; workers >> pid; ++launches) {
    EXPECT_FALSE(fs::exists("/dev/shm/torch_" + pid + "_1_0"));
  }
  EXPECT_GT(launches, 0);
}

TEST(Faults, FullDisk_KeepsFinishedLaunches) {
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

// A worker whose launches run these sh commands to print on its channel.
void expect_breach(const std::string& printing, const std::string& what) {
  RunProgram program(yaml_with("ok"));
  program.worker = program.stub_after(
      "case $1 in --control*)\n"
      R"(say() { printf '%s\n' "$1" >&3; })"
      "\n"
      R"(say '{"kind":"hello","protocol":[1,3],"build_id":"b","pid":1}')"
      "\nread -r line <&3\n" +
      printing + "\n;; esac");
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_THAT(program.leftovers(), IsEmpty());
  const record::LaunchRow row = program.results().launches.at(0).row;
  EXPECT_EQ(row.outcome.kind, Outcome::Kind::kFailed);
  EXPECT_THAT(row.outcome.reason,
              AllOf(HasSubstr("of the worker breaks the protocol: "), HasSubstr(what)));
}

// All invalid numbers are tested in LaunchRules.
TEST(Faults, ImpossibleNumbers_AreNamed) {
  expect_breach(R"(say '{"kind":"launch"}'; exit 0)", "nothing was measured: there are no samples");
  expect_breach(
      R"(say '{"kind":"samples","cycle":0,"columns":["step_ns"],"values":[[5,-5,5,5,5]]}')"
      "\n"
      R"(say '{"kind":"launch"}'; exit 0)",
      "cycle 0, step 1 of its window: step_ns is negative, -5");
}

TEST(Faults, FloodOfNumbers_EndsEarly) {
  expect_breach(
      "line=$(awk 'BEGIN { printf "
      R"("{\"kind\":\"samples\",\"cycle\":0,\"columns\":[\"step_ns\"],\"values\":[[1"; )"
      R"(for (i = 1; i < 16384; i++) printf ",1"; printf "]]}" }'))"
      "\nexec yes \"$line\" >&3\n",
      "far beyond what schedule.active and schedule.repeat ask for");
}

TEST(ForeignWorker, Script_IsAskedEachTime) {
  RunProgram program(yaml_with("ok"));
  const auto log = program.folder / "log";
  program.worker = program.stub_after("echo \"$1\" >> " + log.string());
  EXPECT_EQ(program.run({"--dry-run"}).exit_status, 0);
  EXPECT_EQ(program.run({"--dry-run"}).exit_status, 0);
  EXPECT_EQ(os::read_text(log), "describe\ncheck\ndescribe\ncheck\n")
      << "what it executes may have been built anew";
}

TEST(ForeignWorker, Program_IsAskedForItsCatalogueOnce) {
  RunProgram program(yaml_with("ok"));
  EXPECT_EQ(program.run({"--dry-run"}).exit_status, 0);
  const fs::directory_iterator cached{program.folder / "cache/stepbench"};
  ASSERT_NE(cached, fs::directory_iterator{});
  std::ofstream{cached->path()} << R"({"stepbench_catalogue": 1, "sections": [], "workloads": []})";
  EXPECT_EQ(program.run({"--dry-run"}).exit_status, 2) << "the kept answer counts";
}

TEST(ForeignWorker, FailedQuery_QuotesItsLastOutput) {
  const auto expect = [](const std::string& lines, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& words) {
    RunProgram program(yaml_with("ok, skip"));
    program.worker = program.stub_after(lines);
    const os::CommandResult result = program.run(arguments);
    EXPECT_EQ(result.exit_status, 2);
    for (const std::string& each : words) EXPECT_THAT(result.err, HasSubstr(each));
    EXPECT_THAT(program.leftovers(), IsEmpty());
  };
  expect("sleep 1000", {"--set", "limits.ask_s=0.3"},
         {"worker describe: gave no answer within 0.3 s", "limits.ask_s"});
  expect("echo 'no module named torch' >&2; exit 7", {},
         {"worker describe: ended with status 7: no module named torch"});
  expect("case $1 in check) echo '{\"answer\": \"ok\"}'; kill -SEGV $$;; esac", {"--dry-run"},
         {"config.yaml:2:", "the worker that checked this case was killed by SIGSEGV"});
}

TEST(ForeignWorker, HangInRules_MeetsTheFilesLimit) {
  RunProgram program;
  program.worker = program.stub_after("case $1 in check) sleep 1000;; esac");
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

TEST(ForeignWorker, HangWhenAsked_EndsWithTheProgram) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    RunProgram program(yaml_with("ok"));
    const auto started = program.folder / "started";
    program.worker = program.script("worker", "touch " + started.string() + "; sleep 1000\n");
    StartedRun run = program.start();
    ASSERT_TRUE(appears(started));
    run.signal(signal);
    EXPECT_EQ(run.wait(), 128 + signal);
    EXPECT_THAT(program.leftovers(), IsEmpty());
  }
}

TEST(ForeignWorker, NoRules_IsNoted) {
  RunProgram program(yaml_with("ok"));
  program.worker = program.stub_after("case $1 in check) echo usage >&2; exit 2;; esac");
  const os::CommandResult result = program.run();
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("1 note on the plan: stepbench plan"));
}

}  // namespace
}  // namespace stepbench::testing
