// SPDX-License-Identifier: Apache-2.0
// Processes started by a worker end with its controller, however that ends.
#include <csignal>

#include "tests/testing.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

// A worker that runs `body` at the start of a case unless $FOLDER/again exists; otherwise a stub.
fs::path worker_that(const RunProgram& program, const std::string& body) {
  const std::string stub = program.worker.string();
  return program.script("worker", "folder=" + program.folder.string() +
                                      "\ncase $1 in --control*)\n[ -e $folder/again ] || {\n" +
                                      body + "\n}\n;; esac\nexec " + stub + " \"$@\"\n");
}

void kill_when_started(const RunProgram& program) {
  StartedRun run = program.start();
  ASSERT_TRUE(appears(program.folder / "started"));
  run.signal(SIGKILL);
  EXPECT_EQ(run.wait(), 137);
}

TEST(Lifeline, KilledController_EndsItsChildren) {
  RunProgram program(yaml_with("ok"));
  program.worker = worker_that(program,
                               "(sh -c 'sleep 1000; :' & sleep 1000) &\n"
                               "trap '' TERM INT HUP\n: > $folder/started\nwait");
  kill_when_started(program);
  EXPECT_THAT(program.leftovers(true), IsEmpty());
}

TEST(Lifeline, InterpreterHeldInC_IsReached) {
  const fs::path python = "/usr/bin/python3";
  if (!fs::exists(python)) GTEST_SKIP() << "no " << python << "; tools/setup installs it";
  RunProgram program(yaml_with("ok"));
  // PyDLL keeps the GIL while C runs, in the worker and in its forked child.
  std::ofstream{program.folder / "held.py"} << "import ctypes, os, sys\n"
                                               "os.fork() and open(sys.argv[1], 'w')\n"
                                               "ctypes.PyDLL(None).sleep(1000)\n";
  program.worker =
      worker_that(program, "exec " + python.string() + " $folder/held.py $folder/started");
  kill_when_started(program);
  EXPECT_THAT(program.leftovers(true), IsEmpty());
}

TEST(Lifeline, ProcessOutsideTheGroup_EndsNextRun) {
  RunProgram program(yaml_with("ok"));
  program.worker = worker_that(
      program,
      "setsid sh -c ': > '$folder'/started; exec sleep 1000' < /dev/null > /dev/null 2>&1 &\nwait");
  kill_when_started(program);
  std::ofstream{program.folder / "again"};
  EXPECT_EQ(program.resume().exit_status, 0);
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

}  // namespace
}  // namespace stepbench::testing
