// SPDX-License-Identifier: Apache-2.0
// `stepbench run --ranks` on the stub worker: the record of a group, and its common outcome.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "harness/estimate/case_rows.h"
#include "harness/machine/processes.h"
#include "harness/os/text_file.h"
#include "harness/protocol/messages.h"
#include "harness/run/internal/address.h"
#include "harness/run/internal/group_lines.h"
#include "harness/run/worker_program.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

constexpr const char* kThree = "distributed: {ranks: 3}\n";

TEST(Group, EachRank_HasARowAndSamples) {
  RunProgram program;
  program.config(yaml_with("ok", std::string(kThree) +
                                     "stub: {step_us: 1000, samples: 32, marker: " +
                                     (program.folder / "marker").string() + "}\n"));
  const os::CommandResult result = program.run();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const record::Results results = program.results();
  std::set<int> ranks;
  double memory = 0;
  for (const record::Launch& launch : results.launches) {
    ranks.insert(launch.row.key.rank);
    EXPECT_EQ(launch.row.world, 3);
    EXPECT_EQ(launch.samples.size(), 1);
    EXPECT_NE(text_of(launch.row.machine, "rank.host"), "");
    EXPECT_TRUE(launch.row.machine.contains("load_1m_start")) << "its agent watched it";
    memory += number_of(launch.row.machine, "rank.tree_peak_pss_bytes").value_or(0);
  }
  EXPECT_GT(memory, 0);
  EXPECT_EQ(results.launches.back().row.report.metrics.at("tree_peak_pss_bytes"), memory)
      << "of the job";
  EXPECT_THAT(ranks, ElementsAre(0, 1, 2));
  EXPECT_EQ(results.launches.back().row.key.rank, 0) << "its line commits the launch";
  EXPECT_EQ(results.end->measured, 1) << "a group counts once";
  const std::string marks = test::text_of_file(program.folder / "marker");
  for (const char* mark : {" 0 0\n", " 0 1\n", " 0 2\n"}) EXPECT_THAT(marks, HasSubstr(mark));
  EXPECT_THAT(program.leftovers(), IsEmpty());
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows.front().measured.size(), 1);
  EXPECT_NEAR(*rows.front().step_ns, 1e6, 1);
  EXPECT_NEAR(*rows.front().samples_per_s, 3 * 32 / 1e-3, 1) << "the work of all its ranks";
}

// Behaviour of rank 1; the others are fine.
constexpr std::pair<const char*, const char*> kFaultsOfARank[] = {
    {"kill_self",
     "rank 1: was killed by SIGKILL (Killed) without a final line (the other 2 ranks "
     "were ended)"},
    {"exit_3", "rank 1: exited with status 3"},
    {"throw_in_step", "rank 1: scripted exception in step"},
    {"throw_in_set_up", "rank 1: scripted exception in set_up"},
    {"garbage", "rank 1: message"},
    {"segfault", "rank 1: was killed by SIGSEGV"}};

TEST(Group, FailedRank_FailsTheGroup) {
  std::string behaviours;
  for (const auto& [behaviour, reason] : kFaultsOfARank)
    behaviours += std::string(behaviour) + ", ";
  RunProgram program;
  program.config(
      yaml_with(behaviours + "skip, flood_output, orphan",
                std::string(kThree) + "limits: {stall_s: 60}\nstub: {of_rank: 1, at_step: 3}\n"));
  EXPECT_EQ(program.run().exit_status, 1);
  EXPECT_THAT(program.leftovers(), IsEmpty());
  const record::Results results = program.results();
  for (const auto& [behaviour, reason] : kFaultsOfARank) {
    SCOPED_TRACE(behaviour);
    const record::LaunchRow& row = program.launch_with(results, behaviour);
    EXPECT_EQ(row.outcome.kind, Outcome::Kind::kFailed);
    EXPECT_THAT(row.outcome.reason, HasSubstr(reason));
    EXPECT_EQ(row.world, 3);
    EXPECT_EQ(std::count_if(results.launches.begin(), results.launches.end(),
                            [&](const record::Launch& launch) {
                              return launch.row.key.case_id == row.key.case_id;
                            }),
              1)
        << "of the group";
  }
  EXPECT_THAT(program.launch_with(results, "garbage").outcome.reason,
              HasSubstr("breaks the protocol"));
  EXPECT_EQ(program.launch_with(results, "kill_self").stage, "active");
  const record::LaunchRow& skipped = program.launch_with(results, "skip");
  EXPECT_EQ(skipped.outcome.kind, Outcome::Kind::kSkipped);
  EXPECT_EQ(skipped.outcome.reason, "scripted reason to skip");
  for (const char* behaviour : {"flood_output", "orphan"}) {
    EXPECT_EQ(program.launch_with(results, behaviour).outcome.kind, Outcome::Kind::kMeasured);
  }
}

// The reason of a run that fails at a limit. If a busy machine delays the other ranks beyond it,
// `accepts` returns false: retry with ten times the limit.
std::string reason_at_limit(const std::function<void(RunProgram&, const std::string&)>& prepare,
                            const std::function<bool(const std::string&)>& accepts) {
  std::string reason;
  for (const char* limit_s : {"1", "10", "100"}) {
    RunProgram program;
    prepare(program, limit_s);
    EXPECT_EQ(program.run().exit_status, 4);
    EXPECT_THAT(program.leftovers(), IsEmpty());
    reason = program.results().launches.at(0).row.outcome.reason;
    if (accepts(reason)) break;
  }
  return reason;
}

TEST(Group, HangingRank_IsNamed) {
  const std::string reason = reason_at_limit(
      [](RunProgram& program, const std::string& limit_s) {
        program.config(yaml_with("hang_in_step",
                                 std::string(kThree) + "limits: {stall_s: " + limit_s +
                                     ", set_up_s: 60}\n" + "stub: {of_rank: 1, at_step: 3}\n"));
      },
      [](const std::string& said) { return said.find("rank 1: timed out") != said.npos; });
  EXPECT_THAT(reason,
              AllOf(HasSubstr("rank 1: timed out: no message for 1"), Not(HasSubstr("rank 0"))))
      << "the others have said their last line and wait for it";
}

// Uses a shell script as mpirun.
void start_by_mpirun(RunProgram& program, const std::string& body, const std::string& more = "") {
  fs::create_directory(program.folder / "bin");
  program.script("bin/mpirun", body);
  program.config(yaml_with("ok", "distributed: {ranks: 2, launcher: mpirun}\n" + more));
  program.prefix = {"PATH=" + (program.folder / "bin").string() + ":/usr/bin:/bin"};
}

TEST(Group, LateRank_IsNamed) {
  // It starts one rank of two.
  const std::string reason = reason_at_limit(
      [](RunProgram& program, const std::string& limit_s) {
        start_by_mpirun(program,
                        "shift 2\nOMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 "
                        "OMPI_COMM_WORLD_LOCAL_RANK=0 exec \"$@\"\n",
                        "limits: {join_s: " + limit_s + "}\n");
      },
      [](const std::string& said) { return said.find("rank 1 of 2") != said.npos; });
  EXPECT_THAT(reason, AllOf(HasSubstr("timed out: rank 1 of 2 did not call back within 1"),
                            HasSubstr(" s of mpirun's start (limits.join_s)")));
}

TEST(Group, FailingLauncher_IsReported) {
  const std::pair<const char*, const char*> kLaunchers[] = {
      {"echo 'not enough slots' >&2; exit 7\n",
       "mpirun exited with status 7 before ranks 0 and 1 called back: not enough slots"},
      {"shift 2\nOMPI_COMM_WORLD_RANK=0 exec \"$@\"\n",
       "OMPI_COMM_WORLD_SIZE: is not set, and OMPI_COMM_WORLD_RANK is"},
      {"shift 2\nOMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=5 OMPI_COMM_WORLD_LOCAL_RANK=0 exec "
       "\"$@\"\n",
       "mpirun started 5 ranks where 2 were asked for"}};
  for (const auto& [body, reason] : kLaunchers) {
    RunProgram program;
    start_by_mpirun(program, body);
    EXPECT_EQ(program.run().exit_status, 4);
    EXPECT_THAT(program.leftovers(), IsEmpty());
    EXPECT_THAT(program.results().launches.at(0).row.outcome.reason, HasSubstr(reason));
  }
}

// Open MPI hands ranks on other machines only the variables of this list.
TEST(Group, OpenMpi_HandsOnTheAddress) {
  RunProgram program;
  start_by_mpirun(program, "echo \"$*, $OMPI_MCA_mca_base_env_list\" >&2; exit 7\n");
  program.prefix.emplace_back("OMPI_MCA_mca_base_env_list=MINE");
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_THAT(program.results().launches.at(0).row.outcome.reason,
              HasSubstr("__rank mpirun, MINE;STEPBENCH_GROUP;STEPBENCH_TOKEN"));
}

// It refuses a list beside -x.
TEST(Group, OpenMpiOption_ExportsByOption) {
  RunProgram program;
  start_by_mpirun(program, "echo \"$*, $OMPI_MCA_mca_base_env_list.\" >&2; exit 7\n");
  EXPECT_EQ(program.run({"--set", "distributed.launcher_args=-x MINE"}).exit_status, 4);
  EXPECT_THAT(program.results().launches.at(0).row.outcome.reason,
              AllOf(HasSubstr("-x STEPBENCH_GROUP -x STEPBENCH_TOKEN -x MINE "),
                    HasSubstr("__rank mpirun, .")));
}

// A group whose ranks hang in their window; then `end` is applied to the run.
struct EndedGroup {
  explicit EndedGroup(const std::function<void(const StartedRun&)>& end) {
    program.config(yaml_with("hang_in_step", std::string(kThree) + "stub: {at_step: 3, marker: " +
                                                 (program.folder / "started").string() + "}\n"));
    StartedRun run = program.start();
    EXPECT_TRUE(appears(program.folder / "started"));
    end(run);
    exit_status = run.wait();
    EXPECT_THAT(program.leftovers(exit_status == 128 + SIGKILL), IsEmpty());
  }
  [[nodiscard]] std::string reason() const {
    return program.results().launches.at(0).row.outcome.reason;
  }
  RunProgram program;
  int exit_status = 0;
};

pid_t launcher_of(const StartedRun& run) { return machine::children_of("/", run.pid()).at(0); }

TEST(Group, KilledLauncher_IsNamed) {
  const EndedGroup group([](const StartedRun& run) { ::kill(launcher_of(run), SIGKILL); });
  EXPECT_EQ(group.exit_status, 4);
  EXPECT_THAT(group.reason(),
              StartsWith("the launcher, local, was killed by SIGKILL (Killed) while its "
                         "ranks measured"));
}

TEST(Group, TerminatedLauncher_IsNamedWithoutARank) {
  const EndedGroup group([](const StartedRun& run) { ::kill(launcher_of(run), SIGTERM); });
  EXPECT_EQ(group.exit_status, 4);
  EXPECT_THAT(group.reason(),
              AllOf(StartsWith("the launcher, local, told rank"),
                    HasSubstr(" to end by SIGTERM (Terminated): it received that signal itself"),
                    Not(HasSubstr("was killed"))));
}

TEST(Group, KilledAgent_IsNamed) {
  pid_t agent = 0;
  const EndedGroup group([&](const StartedRun& run) {
    agent = machine::children_of("/", launcher_of(run)).at(0);
    ::kill(agent, SIGKILL);
  });
  EXPECT_EQ(group.exit_status, 4);
  EXPECT_THAT(group.reason(),
              AllOf(::testing::MatchesRegex("rank [0-2]: its connection was closed.*"),
                    HasSubstr(", process " + std::to_string(agent) +
                              ", was killed by SIGKILL (Killed) (the other 2 ranks were ended)")));
}

TEST(Group, KilledController_LeavesNothing) {
  const EndedGroup group([](const StartedRun& run) { run.signal(SIGKILL); });
  EXPECT_EQ(group.exit_status, 137);
}

TEST(Group, Interrupt_EndsItForARepeat) {
  const EndedGroup group([](const StartedRun& run) { run.signal(SIGINT); });
  EXPECT_EQ(group.exit_status, 130);
  EXPECT_THAT(group.program.results().launches, IsEmpty());
}

TEST(Group, OtherBuildOnARank_IsRefused) {
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
  start_by_mpirun(program,
                  "shift 3\nexport OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=0\n"
                  "OMPI_COMM_WORLD_RANK=1 " +
                      (program.folder / "other/stepbench").string() +
                      " \"$@\" &\n"
                      "OMPI_COMM_WORLD_RANK=0 " +
                      own.string() + " \"$@\" & wait\n");
  EXPECT_EQ(program.run().exit_status, 4);
  EXPECT_THAT(program.leftovers(), IsEmpty());
  EXPECT_THAT(program.results().launches.at(0).row.outcome.reason,
              AllOf(HasSubstr("rank 1: another build of stepbench is on "),
                    HasSubstr("install the same one on all machines")));
}

TEST(Group, OneOfSeveralProcesses_IsRefused) {
  RunProgram program(yaml_with("ok"));
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

// All hang, so each is asked for its stack, by a signal that would end one without a handler.
TEST(Group, RanksWithoutStacks_AreSentNoSignal) {
  const std::string reason = reason_at_limit(
      [](RunProgram& program, const std::string& limit_s) {
        program.config(yaml_with("hang_in_set_up",
                                 std::string(kThree) + "limits: {set_up_s: " + limit_s + "}\n"));
      },
      [](const std::string& said) { return said.find("ranks 0, 1 and 2") != said.npos; });
  EXPECT_THAT(reason, AllOf(HasSubstr("ranks 0, 1 and 2: timed out: no message for 1"),
                            Not(HasSubstr("SIGUSR1"))));
}

TEST(Group, UnknownToken_IsRefused) {
  RunProgram program;
  start_by_mpirun(program,
                  "shift 2\nexport OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=0\n"
                  "OMPI_COMM_WORLD_RANK=0 STEPBENCH_TOKEN=guessed \"$@\"\n"
                  "OMPI_COMM_WORLD_RANK=0 \"$@\" & OMPI_COMM_WORLD_RANK=1 \"$@\" & wait\n");
  EXPECT_EQ(program.run().exit_status, 0);
  const record::Results results = program.results();
  EXPECT_THAT(results.launches.back().row.report.notes,
              Contains("refused a connection that is not a rank of this group"));
}

// Another user may listen where a rank looks for its controller.
TEST(Group, PlantedListener_StartsNothing) {
  const test::TemporaryFolder folder;
  const run::RankListener planted = run::listen_for_ranks("lo", false);
  std::string heard;
  std::thread listening([&] {
    pollfd waits{planted.sockets.front().value(), POLLIN, 0};
    ASSERT_EQ(::poll(&waits, 1, 60'000), 1);
    const os::Descriptor rank(::accept(waits.fd, nullptr, nullptr));
    const std::string begin = run::encode(run::RankBegin{
        .argv = {"/usr/bin/touch", folder / "started"}, .folder = folder.path().string()});
    ASSERT_TRUE(protocol::write_line(
        rank.value(), run::encode(run::ControllerChallenge{"0f", std::string(64, '0')})));
    ASSERT_TRUE(protocol::write_line(rank.value(), begin));
    std::array<char, 4096> buffer{};
    for (ssize_t count = 1; (count = ::read(rank.value(), buffer.data(), buffer.size())) > 0;)
      heard.append(buffer.data(), static_cast<std::size_t>(count));
  });
  const os::CommandResult result = os::run_command(
      {"/usr/bin/env", "STEPBENCH_GROUP=" + run::to_text(planted), "STEPBENCH_TOKEN=not-for-others",
       "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1", "SLURM_LOCALID=0",
       STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench", "__rank", "srun"},
      "", std::chrono::minutes(1));
  listening.join();
  EXPECT_THAT(result.err, HasSubstr("does not know the token of this group"));
  EXPECT_THAT(heard, AllOf(Not(IsEmpty()), Not(HasSubstr("not-for-others"))));
  EXPECT_FALSE(fs::exists(folder / "started"));
}

TEST(Group, RankAlone_NamesItsCommand) {
  const os::CommandResult result =
      os::run_command({"/usr/bin/env", "-u", "STEPBENCH_GROUP",
                       STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench", "__rank", "srun"},
                      "", std::chrono::minutes(1));
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("this command is started by `stepbench run --ranks`"));
}

}  // namespace
}  // namespace stepbench::testing
