// SPDX-License-Identifier: Apache-2.0
// `stepbench run --ranks` on the stub worker: what is recorded of a group, and that it has one
// fate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <set>
#include <sstream>

#include "harness/estimate/case_rows.h"
#include "harness/machine/process_tree.h"
#include "harness/os/text_file.h"
#include "harness/run/worker_program.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kThree = "distributed: {ranks: 3}\n";

// The one row of a group whose rank 1 behaves so.
struct Failure {
  record::LaunchRow row;
  int exit_status = 0;
  std::size_t rows = 0;
};

Failure fails(const std::string& behaviour, const std::string& more = "") {
  RunProgram program;
  program.config(yaml_with(behaviour, kThree + more + "stub: {of_rank: 1, at_step: 3}\n"));
  const os::CommandResult result = program.run();
  EXPECT_THAT(program.leftovers(), IsEmpty()) << behaviour;
  const record::Results results = program.results();
  return {results.launches.at(0).row, result.exit_status, results.launches.size()};
}

TEST(Group, HasARowAndSamplesOfEachRank) {
  RunProgram program;
  program.config(yaml_with("ok", std::string(kThree) + "stub: {marker: " +
                                     (program.folder / "marker").string() + "}\n"));
  const os::CommandResult result = program.run();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const record::Results results = program.results();
  std::set<int> ranks;
  for (const record::Launch& launch : results.launches) {
    ranks.insert(launch.row.key.rank);
    EXPECT_EQ(launch.row.world, 3);
    EXPECT_EQ(launch.samples.size(), 1);
    EXPECT_NE(text_of(launch.row.machine, "rank.host"), "");
  }
  EXPECT_THAT(ranks, ElementsAre(0, 1, 2));
  EXPECT_EQ(results.launches.back().row.key.rank, 0) << "its line commits the launch";
  EXPECT_EQ(results.end->measured, 1) << "a group counts once";
  std::ifstream in(program.folder / "marker");
  std::stringstream marks;
  marks << in.rdbuf();
  for (const char* mark : {" 0 0\n", " 0 1\n", " 0 2\n"}) EXPECT_THAT(marks.str(), HasSubstr(mark));
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Group, DoesTheWorkOfAllItsRanks) {
  RunProgram program;
  program.config(yaml_with("ok", std::string(kThree) + "stub: {samples: 32, step_us: 1000}\n"));
  ASSERT_EQ(program.run().exit_status, 0);
  const record::Results results = program.results();
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows.front().measured.size(), 1);
  EXPECT_NEAR(*rows.front().step_ns, 1e6, 1);
  EXPECT_NEAR(*rows.front().samples_per_s, 3 * 32 / 1e-3, 1);
}

TEST(Group, EndsWithTheRankThatIsKilledAndNamesIt) {
  const Failure failure = fails("kill_self");
  EXPECT_EQ(failure.exit_status, 4);
  EXPECT_EQ(failure.rows, 1) << "of the group";
  EXPECT_THAT(failure.row.outcome.reason,
              HasSubstr("rank 1: was killed by SIGKILL (Killed) without a final line (the other 2 "
                        "ranks were ended)"));
  EXPECT_EQ(failure.row.world, 3);
  EXPECT_EQ(failure.row.stage, "active");
}

TEST(Group, SaysHowARankEnded) {
  EXPECT_THAT(fails("exit_3").row.outcome.reason, HasSubstr("rank 1: exited with status 3"));
  EXPECT_THAT(fails("throw_in_step").row.outcome.reason,
              HasSubstr("rank 1: scripted exception in step"));
  EXPECT_THAT(fails("throw_in_set_up").row.outcome.reason,
              HasSubstr("rank 1: scripted exception in set_up"));
  EXPECT_THAT(fails("garbage").row.outcome.reason,
              AllOf(HasSubstr("rank 1: message"), HasSubstr("breaks the protocol")));
  EXPECT_THAT(fails("segfault").row.outcome.reason, HasSubstr("rank 1: was killed by SIGSEGV"));
}

TEST(Group, NamesTheRankThatHangs) {
  const Failure failure = fails("hang_in_step", "limits: {stall_s: 1, set_up_s: 60}\n");
  EXPECT_THAT(failure.row.outcome.reason,
              AllOf(HasSubstr("rank 1: timed out: no message for 1 s"), Not(HasSubstr("rank 0"))))
      << "the others have said their last line and wait for it";
}

TEST(Group, AFloodOfOutputIsNoFailure) {
  const Failure failure = fails("flood_output", "limits: {stall_s: 60}\n");
  EXPECT_EQ(failure.exit_status, 0) << failure.row.outcome.reason;
}

TEST(Group, IsSkippedWhenARankIs) {
  const Failure failure = fails("skip");
  EXPECT_EQ(failure.row.outcome.kind, Outcome::Kind::kSkipped);
  EXPECT_EQ(failure.row.outcome.reason, "scripted reason to skip");
}

TEST(Group, AnOrphanOfARankIsEnded) {
  const Failure failure = fails("orphan");
  EXPECT_EQ(failure.exit_status, 0) << failure.row.outcome.reason;
}

TEST(Group, NamesWhoDidNotComeInTime) {
  RunProgram program;
  // A mpirun that starts one rank of two.
  fs::create_directory(program.folder / "bin");
  program.script("bin/mpirun",
                 "shift 2\nOMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 "
                 "OMPI_COMM_WORLD_LOCAL_RANK=0 exec \"$@\"\n");
  program.config(
      yaml_with("ok", "distributed: {ranks: 2, launcher: mpirun}\nlimits: {join_s: 1}\n"));
  program.prefix = {"PATH=" + (program.folder / "bin").string() + ":/usr/bin:/bin"};
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_THAT(program.results().launches.at(0).row.outcome.reason,
              HasSubstr("timed out: rank 1 of 2 did not call back within 1 s of mpirun's start "
                        "(limits.join_s)"));
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

// A mpirun that is a shell script.
std::string reason_with_mpirun(const std::string& body) {
  RunProgram program;
  fs::create_directory(program.folder / "bin");
  program.script("bin/mpirun", body);
  program.config(yaml_with("ok", "distributed: {ranks: 2, launcher: mpirun}\n"));
  program.prefix = {"PATH=" + (program.folder / "bin").string() + ":/usr/bin:/bin"};
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_THAT(program.leftovers(), IsEmpty());
  return program.results().launches.at(0).row.outcome.reason;
}

TEST(Group, ALauncherThatFailsIsQuoted) {
  EXPECT_THAT(reason_with_mpirun("echo 'not enough slots' >&2; exit 7\n"),
              HasSubstr("mpirun exited with status 7 before ranks 0 and 1 called back: not enough "
                        "slots"));
}

TEST(Group, ALauncherThatIsKilledIsNamed) {
  RunProgram program;
  program.config(yaml_with("hang_in_step", std::string(kThree) + "stub: {at_step: 3, marker: " +
                                               (program.folder / "started").string() + "}\n"));
  StartedRun run = program.start();
  ASSERT_TRUE(appears(program.folder / "started"));
  for (const pid_t launcher : machine::children_of("/", run.pid())) ::kill(launcher, SIGKILL);
  EXPECT_EQ(run.wait(), 4);
  EXPECT_THAT(program.results().launches.at(0).row.outcome.reason,
              ::testing::StartsWith("the launcher, local, was killed by SIGKILL (Killed) while its "
                                    "ranks measured"));
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Group, ALauncherThatIsToldToEndIsNamedAndNoRank) {
  RunProgram program;
  program.config(yaml_with("hang_in_step", std::string(kThree) + "stub: {at_step: 3, marker: " +
                                               (program.folder / "started").string() + "}\n"));
  StartedRun run = program.start();
  ASSERT_TRUE(appears(program.folder / "started"));
  for (const pid_t launcher : machine::children_of("/", run.pid())) ::kill(launcher, SIGTERM);
  EXPECT_EQ(run.wait(), 4);
  EXPECT_THAT(program.results().launches.at(0).row.outcome.reason,
              AllOf(::testing::StartsWith("the launcher, local, told rank"),
                    HasSubstr(" to end by SIGTERM (Terminated): it was told so itself"),
                    Not(HasSubstr("was killed"))));
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Group, AnotherBuildOnARankIsRefused) {
  RunProgram program;
  const fs::path own = STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench";
  std::string bytes = os::read_text(own).value();
  const std::string id = run::program_build_id(own);
  std::string raw;
  for (std::size_t i = 0; i + 1 < id.size(); i += 2) {
    raw += static_cast<char>(std::stoi(id.substr(i, 2), nullptr, 16));
  }
  const std::size_t at = bytes.find(raw);
  ASSERT_NE(at, std::string::npos) << id;
  bytes[at] = static_cast<char>(~bytes[at]);
  fs::create_directory(program.folder / "other");
  std::ofstream{program.folder / "other/stepbench", std::ios::binary} << bytes;
  fs::permissions(program.folder / "other/stepbench", fs::perms::owner_all);
  fs::create_directory(program.folder / "bin");
  program.script("bin/mpirun",
                 "shift 3\nexport OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=0\n"
                 "OMPI_COMM_WORLD_RANK=1 " +
                     (program.folder / "other/stepbench").string() +
                     " \"$@\" &\n"
                     "OMPI_COMM_WORLD_RANK=0 " +
                     own.string() + " \"$@\" & wait\n");
  program.config(yaml_with("ok", "distributed: {ranks: 2, launcher: mpirun}\n"));
  program.prefix = {"PATH=" + (program.folder / "bin").string() + ":/usr/bin:/bin"};
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_THAT(program.leftovers(), IsEmpty());
  EXPECT_THAT(program.results().launches.at(0).row.outcome.reason,
              AllOf(HasSubstr("rank 1: another build of stepbench is on "),
                    HasSubstr("install the same one on all machines")));
}

TEST(Group, OneOfSeveralProcessesOfALauncherIsRefused) {
  RunProgram program;
  program.config(yaml_with("ok"));
  program.prefix = {"RANK=5", "WORLD_SIZE=8"};
  const os::CommandResult alone = program.run();
  EXPECT_EQ(alone.exit_status, 2);
  EXPECT_THAT(alone.err,
              AllOf(HasSubstr("RANK=5 and WORLD_SIZE=8 are set, so that this is one of 8 "
                              "processes"),
                    HasSubstr("`stepbench run --ranks 8` starts the ranks itself"),
                    HasSubstr("or unset the two where they are left")));
  EXPECT_EQ(program.run({"--shard", "1/1"}).exit_status, 0);
  const os::CommandResult group = program.run({"--ranks", "2"});
  EXPECT_EQ(group.exit_status, 0) << "its ranks have variables of their own " << group.err;
  program.prefix.emplace_back("TORCHELASTIC_RUN_ID=none");
  EXPECT_EQ(program.run({"--ranks", "2"}).exit_status, 2) << "and there are 8 of such groups";
}

TEST(Group, AnAgentThatIsKilledIsNamed) {
  RunProgram program;
  program.config(yaml_with("hang_in_step", std::string(kThree) + "stub: {at_step: 3, marker: " +
                                               (program.folder / "started").string() + "}\n"));
  StartedRun run = program.start();
  ASSERT_TRUE(appears(program.folder / "started"));
  const pid_t launcher = machine::children_of("/", run.pid()).at(0);
  const pid_t agent = machine::children_of("/", launcher).at(0);
  ::kill(agent, SIGKILL);
  EXPECT_EQ(run.wait(), 4);
  EXPECT_THAT(program.results().launches.at(0).row.outcome.reason,
              AllOf(::testing::MatchesRegex("rank [0-2]: its connection was closed.*"),
                    HasSubstr(", process " + std::to_string(agent) +
                              ", was killed by SIGKILL (Killed) (the other 2 ranks were ended)")));
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Group, RanksWithoutAPlaceOrOfAnotherWorldAreRefused) {
  EXPECT_THAT(reason_with_mpirun("shift 2\nOMPI_COMM_WORLD_RANK=0 exec \"$@\"\n"),
              HasSubstr("OMPI_COMM_WORLD_SIZE: is not set, and OMPI_COMM_WORLD_RANK is"));
  EXPECT_THAT(reason_with_mpirun("shift 2\nOMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=5 "
                                 "OMPI_COMM_WORLD_LOCAL_RANK=0 exec \"$@\"\n"),
              HasSubstr("mpirun started 5 ranks where 2 were asked for"));
}

TEST(Group, WhoDoesNotKnowTheTokenIsRefused) {
  RunProgram program;
  fs::create_directory(program.folder / "bin");
  program.script("bin/mpirun",
                 "shift 2\nexport OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=0\n"
                 "OMPI_COMM_WORLD_RANK=0 STEPBENCH_TOKEN=guessed \"$@\"\n"
                 "OMPI_COMM_WORLD_RANK=0 \"$@\" & OMPI_COMM_WORLD_RANK=1 \"$@\" & wait\n");
  program.config(yaml_with("ok", "distributed: {ranks: 2, launcher: mpirun}\n"));
  program.prefix = {"PATH=" + (program.folder / "bin").string() + ":/usr/bin:/bin"};
  EXPECT_EQ(program.run().exit_status, 0);
  const record::Results results = program.results();
  EXPECT_THAT(results.launches.back().row.report.notes,
              ::testing::Contains("refused a connection with a wrong token"));
}

TEST(Group, NothingOfItOutlivesAControllerThatIsKilled) {
  RunProgram program;
  program.config(yaml_with("hang_in_step", std::string(kThree) + "stub: {at_step: 3, marker: " +
                                               (program.folder / "started").string() + "}\n"));
  StartedRun run = program.start();
  ASSERT_TRUE(appears(program.folder / "started"));
  run.signal(SIGKILL);
  EXPECT_EQ(run.wait(), 137);
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Group, AnInterruptEndsItAndIsToBeRepeated) {
  RunProgram program;
  program.config(yaml_with("hang_in_step", std::string(kThree) + "stub: {at_step: 3, marker: " +
                                               (program.folder / "started").string() + "}\n"));
  StartedRun run = program.start();
  ASSERT_TRUE(appears(program.folder / "started"));
  run.signal(SIGINT);
  EXPECT_EQ(run.wait(), 130);
  EXPECT_THAT(program.results().launches, IsEmpty());
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(Group, WithoutAControllerARankSaysWhoStartsIt) {
  const os::CommandResult result =
      os::run_command({"/usr/bin/env", "-u", "STEPBENCH_GROUP",
                       STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench", "__rank", "srun"},
                      "", std::chrono::minutes(1));
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("this command is started by `stepbench run --ranks`"));
}

}  // namespace
}  // namespace stepbench::testing
