// SPDX-License-Identifier: Apache-2.0
// `stepbench ab` in a shell, on the scripted worker.
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/testing.h"
#include "tests/unit/run/run_program.h"
#include "tests/unit/stats/noise.h"
#include "tests/unit/verdict/stored_noise.h"

namespace stepbench::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kOneCase =
    "name: ab\n"
    "workload: stub\n"
    "schedule: {wait: 0, warmup: 1, active: 5}\n"
    "stub: {jitter: 0.01}\n";

class AbCommand : public ::testing::Test {
 protected:
  AbCommand() {
    program_.ab = true;
    program_.config(kOneCase);
  }

  // Memory varies by a page or two, which is much for a small program, and is not tested here.
  [[nodiscard]] os::CommandResult ab(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--margin", "peak_bytes=50%"});
    return program_.run(arguments);
  }
  [[nodiscard]] Json verdict() const {
    std::ifstream file(program_.run_dir() / "verdict.json");
    return Json::parse(file);
  }
  void forget() const { fs::remove_all(program_.folder / "results"); }
  [[nodiscard]] static Json step_of(const Json& verdict) {
    return verdict.at("cases").at(0).at("metrics").at(0);
  }

  RunProgram program_;
};

TEST_F(AbCommand, SlowerArm_IsARegressionWithItsPhase) {
  const os::CommandResult result = ab({"--b-set", "stub.step_us=1100", "--pairs", "10"});
  EXPECT_EQ(result.exit_status, 1) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("regression"), HasSubstr("measured in turns"),
                                HasSubstr("A/A self-check: too few launches")));
  const Json file = verdict();
  EXPECT_EQ(file.at("exit_code"), 1);
  EXPECT_EQ(file.at("verdict"), "regression");
  EXPECT_NEAR(step_of(file).at("change").get<double>(), 0.1, 0.002);
  // Far above the threshold of ten such pairs, so that the correction is small.
  EXPECT_NEAR(step_of(file).at("corrected_change").get<double>(), 0.1, 0.002);
  EXPECT_THAT(result.out, HasSubstr(" corrected  "));
  // Where its line breaks depends on whether the memory of the two arms happens to need a legend.
  EXPECT_THAT(result.out,
              ::testing::ContainsRegex("corrected:\\s+without\\s+the\\s+selection\\s+bias"));
  EXPECT_EQ(file.at("cases").at(0).at("ended_at_pairs"), 10);
  EXPECT_FALSE(file.at("cases").at(0).at("cause").empty());
}

TEST_F(AbCommand, Group_NamesItsRanks) {
  program_.config(std::string(kOneCase) + "distributed: {ranks: 2}\n");
  const os::CommandResult slow = ab({"--b-set", "stub.slow_rank=1", "--pairs", "7"});
  EXPECT_EQ(slow.exit_status, 1) << slow.err;
  EXPECT_NEAR(step_of(verdict()).at("change").get<double>(), 0.1, 0.005);
  EXPECT_THAT(slow.out, HasSubstr("forward on rank 1 +100 us per step"));
  forget();
  const os::CommandResult all = ab({"--b-set", "stub.slow_rank=-2", "--pairs", "7"});
  EXPECT_EQ(all.exit_status, 1) << all.err;
  EXPECT_THAT(all.out, HasSubstr("forward on all ranks +100 us per step"));
  forget();
  const os::CommandResult same = ab({"--b-set", "stub.slow_rank_us=50", "--pairs", "7"});
  EXPECT_EQ(verdict().at("cases").at(0).at("cause").size(), 0) << same.out;
  EXPECT_NE(verdict().at("verdict"), "regression");
}

// Four pairs decide nothing, so the machine's noise is quoted.
TEST_F(AbCommand, Inconclusive_QuotesTheMachineNoise) {
  keep_noise(program_.folder / "state");
  EXPECT_EQ(ab({"--b-set", "stub.step_us=1100", "--pairs", "4"}).exit_status, 3);
  EXPECT_EQ(verdict().at("machine"), kKeptQuote);
  forget();
  EXPECT_EQ(ab({"--b-set", "stub.step_us=1100", "--pairs", "10"}).exit_status, 1);
  EXPECT_FALSE(verdict().contains("machine"));
}

// Every fiftieth step is slow: 2 % of the steps, which affects p99 but hardly the step.
constexpr const char* kWithTail =
    "name: ab\n"
    "workload: stub\n"
    "schedule: {wait: 0, warmup: 1, active: 400}\n"
    "stub: {jitter: 0.01, tail_every: 50}\n";

TEST_F(AbCommand, SlowerTail_IsFoundByItsPercentile) {
  program_.config(kWithTail);
  const os::CommandResult by_step = ab({"--b-set", "stub.tail_us=2200", "--pairs", "10"});
  EXPECT_EQ(by_step.exit_status, 0) << by_step.out;
  forget();
  const os::CommandResult by_tail =
      program_.run({"--b-set", "stub.tail_us=2200", "--pairs", "10", "--metric", "step_p99"});
  EXPECT_EQ(by_tail.exit_status, 1) << by_tail.out << by_tail.err;
  EXPECT_THAT(by_tail.out, Not(HasSubstr("step_p99 of ")));
  const Json metrics = verdict().at("cases").at(0).at("metrics");
  ASSERT_EQ(metrics.size(), 1U);
  EXPECT_EQ(metrics.at(0).at("metric"), "step_p99_ns");
  EXPECT_NEAR(metrics.at(0).at("change").get<double>(), 0.1, 0.01);
}

TEST_F(AbCommand, FasterPhase_IsFoundByItsName) {
  const std::string faster = "stub.phases=data_wait=20,forward=27,backward=40,optimizer=5";
  const os::CommandResult result = program_.run(
      {"--b-set", faster, "--pairs", "10", "--metric", "forward,step", "--margin", "forward=2%"});
  EXPECT_EQ(result.exit_status, 0) << result.out << result.err;
  const Json metrics = verdict().at("cases").at(0).at("metrics");
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics.at(0).at("name"), "forward");
  EXPECT_EQ(metrics.at(0).at("verdict"), "improvement");
  EXPECT_NEAR(metrics.at(0).at("change").get<double>(), -0.1, 0.01);
  EXPECT_EQ(metrics.at(1).at("verdict"), "ok");
}

TEST_F(AbCommand, FallingRate_IsARegression) {
  const os::CommandResult result = program_.run(
      {"--b-set", "stub.step_us=1100", "--pairs", "10", "--metric", "samples/s", "--profile"});
  EXPECT_EQ(result.exit_status, 1) << result.out << result.err;
  const Json rate = step_of(verdict());
  EXPECT_EQ(rate.at("metric"), "samples_per_s");
  EXPECT_NEAR(rate.at("change").get<double>(), -1 / 11.0, 0.01);
  EXPECT_FALSE(verdict().at("cases").at(0).at("cause").empty());
}

TEST_F(AbCommand, Undecidable_IsRejectedUpFront) {
  const auto refuses = [&](const std::vector<std::string>& arguments, const char* words) {
    const os::CommandResult result = program_.run(arguments);
    EXPECT_EQ(result.exit_status, 2) << words;
    EXPECT_THAT(result.err, HasSubstr(words));
  };
  refuses({"--metric", "step_p999"}, "unknown metric 'step_p999' (did you mean 'step_p99'?)");
  refuses({"--metric", "samples"}, "has no better or worse direction");
  refuses({"--smoke"}, "--smoke: measures nothing");
  refuses({"--set", "schedule.active=auto"}, "`auto` is refused");
  refuses({"--b-set", "schedule.active=7"}, "is 5 in arm A and 7 in arm B");
  refuses({"--verdict", (program_.folder / "absent" / "x.json").string()}, "there is no folder");
  EXPECT_FALSE(fs::exists(program_.folder / "results"));
  refuses({"--metric", "tokens_per_s"}, "gives 'tokens_per_s'");
  EXPECT_EQ(program_.results().launches.size(), 2U) << "after a pair";
  program_.config(std::string(kOneCase) + "sweep: {matrix: {stub.samples: [1, 2]}}\n");
  refuses({"--b-set", "stub.samples=3"}, "the sweep sets stub.samples");
}

TEST_F(AbCommand, UnwritableVerdict_IsAnError) {
  // Its folder disappears after the measurement has started.
  const fs::path gone = program_.folder / "gone";
  fs::create_directory(gone);
  const fs::path worker = program_.folder / "worker.sh";
  std::ofstream(worker) << "#!/bin/sh\ncase $1 in describe|check) ;; *) rm -rf '" << gone.string()
                        << "' ;; esac\nexec '"
                        << STEPBENCH_BINARY_DIR "/tests/stub_worker/stub-worker' \"$@\"\n";
  fs::permissions(worker, fs::perms::owner_all);
  program_.worker = worker;
  const os::CommandResult result = ab({"--pairs", "2", "--verdict", gone / "v.json"});
  EXPECT_EQ(result.exit_status, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("v.json: cannot be written: No such file or directory"));
  EXPECT_EQ(verdict().at("exit_code"), 2);
}

TEST_F(AbCommand, ClosedOutput_IsAnErrorNotASignal) {
  // The reader exits before the program starts.
  program_.prefix = {"bash", "-c", R"(exec 5> >(:); wait $!; "$@" >&5)", "bash"};
  const os::CommandResult result = ab({"--pairs", "2"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("standard output"));
  EXPECT_EQ(verdict().at("exit_code"), 2);
}

TEST_F(AbCommand, EachVerdict_ReachesAShellPipeline) {
  program_.prefix = {"/bin/bash", "-c", "set -o pipefail; \"$@\" | cat", "bash"};
  const auto ends = [&](const std::vector<std::string>& arguments, int code, const char* said) {
    EXPECT_EQ(ab(arguments).exit_status, code) << said;
    if (code != 2) {
      EXPECT_EQ(verdict().at("verdict"), said);
    }
    forget();
  };
  ends({"--pairs", "10"}, 0, "ok");
  ends({"--pairs", "10", "--b-set", "stub.step_us=900"}, 0, "improvement");
  ends({"--pairs", "8", "--b-set", "stub.step_us=1100"}, 1, "regression");
  ends({"--pairs", "8", "--b-set", "stub.step=1100"}, 2, "a mistake");
  ends({"--pairs", "4", "--b-set", "stub.step_us=1100"}, 3, "inconclusive");
  ends({"--pairs", "4", "--b-set", "stub.step_us=1100", "--allow-inconclusive"}, 0, "inconclusive");
  ends({"--pairs", "8", "--b-set", "stub.behaviour=exit_3"}, 4, "no-data");
}

TEST_F(AbCommand, OnlyCase_IsNamedByItsWorkload) {
  EXPECT_THAT(ab({"--b-set", "stub.step_us=1100"}).err,
              HasSubstr("decided after 10 pairs: stub: step regression"));
}

TEST_F(AbCommand, DecidedCase_EndsAtItsLook) {
  program_.config(std::string(kOneCase) + "sweep: {matrix: {stub.samples: [1, 2]}}\n");
  const os::CommandResult result = ab({"--b-set", "stub.step_us=1100"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("decided after 10 pairs: samples=1: step regression, +10"));
  EXPECT_EQ(program_.results().launches.size(), 40U);
  EXPECT_EQ(verdict().at("looks"), (Json{10, 20, 40}));
  EXPECT_DOUBLE_EQ(verdict().at("confidence").get<double>(), 0.98);
}

TEST_F(AbCommand, Launches_CarryArmBlockAndPosition) {
  EXPECT_EQ(ab({"--pairs", "4", "--seed", "7"}).exit_status, 3);
  const record::Results results = program_.results();
  ASSERT_EQ(results.launches.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    const record::LaunchRow& row = results.launches[i].row;
    EXPECT_EQ(row.position, static_cast<int>(i));
    EXPECT_EQ(row.block, static_cast<int>(i / 4));
    EXPECT_EQ(row.key.launch, static_cast<int>(i / 2));
    EXPECT_THAT(row.key.arm, ::testing::AnyOf("a", "b"));
  }
  EXPECT_EQ(std::get<std::int64_t>(results.runs.at(0).context.at("ab_seed")), 7);
}

TEST_F(AbCommand, Arms_MayDifferByEnvironment) {
  // Enough for two tests: whether the peak of memory repeats to the byte depends on the allocator.
  const os::CommandResult result = ab({"--pairs", "7", "--a-env", "STUB_SLOWER=1.2"});
  EXPECT_EQ(result.exit_status, 0) << result.out;
  EXPECT_EQ(step_of(verdict()).at("verdict"), "improvement") << "a variable of A is none of B";
  const record::Results results = program_.results();
  std::set<std::string> points;
  std::set<std::string> cases;
  for (const record::Launch& launch : results.launches) {
    points.insert(launch.row.point_id);
    cases.insert(launch.row.key.case_id);
  }
  EXPECT_EQ(points.size(), 1U);
  EXPECT_EQ(cases.size(), 2U);
}

TEST_F(AbCommand, ArmsWithOtherResults_AreFlagged) {
  const os::CommandResult result = ab({"--pairs", "6", "--b-set", "stub.loss=0.5001"});
  EXPECT_THAT(result.out, HasSubstr("do not compute the same: loss"));
  const Json difference = verdict().at("cases").at(0).at("fingerprint_difference");
  EXPECT_EQ(difference.at("name"), "loss");
  EXPECT_DOUBLE_EQ(difference.at("limit").get<double>(), 1e-4);
}

// Factors per launch: a drift, others that sometimes use a core, and bursts that use all of it.
std::string busy_machine(const fs::path& folder) {
  std::ofstream factors(folder / "factors");
  Noise noise(57);
  for (int launch = 0; launch < 80; ++launch) {
    const double met = noise.unit() < .25 ? 1.6 : launch % 20 < 3 ? 2.1 : 1;
    factors << met * std::exp(.02 * noise.normal() + .9 * launch / 80) << '\n';
  }
  const std::string at = folder.string();
  return "case \"$1\" in --control*) echo x >> '" + at + "/launches'\n" +
         "export STUB_SLOWER=$(sed -n \"$(wc -l < '" + at + "/launches')p\" '" + at +
         "/factors');; esac";
}

TEST_F(AbCommand, BusyMachine_DecidesAClearInterval) {
  program_.worker = program_.stub_after(busy_machine(program_.folder));
  const os::CommandResult faster = ab({"--pairs", "40", "--seed", "3", "--b-set", "step_us=750"});
  EXPECT_EQ(faster.exit_status, 0) << faster.out << faster.err;
  const Json file = verdict();
  const Json step = step_of(file);
  EXPECT_EQ(step.at("verdict"), "improvement");
  EXPECT_LT(step.at("change_low"), -.25);
  EXPECT_GT(step.at("change_high"), -.25);
  EXPECT_GT(step.at("change_high").get<double>() - step.at("change_low").get<double>(), .05);
  EXPECT_THAT(faster.out,
              AllOf(HasSubstr(": arm A's own launches differ by "),
                    HasSubstr("warning: the machine drifted"), Not(HasSubstr("invalid"))));
  const os::CommandResult allowed =
      program_.resume({"--pairs", "40", "--seed", "3", "--b-set", "step_us=750", "--margin",
                       "peak_bytes=50%", "--allow", "noise", "--allow", "drift"});
  EXPECT_EQ(allowed.exit_status, 0) << allowed.err;
  EXPECT_EQ(verdict().at("gates"), file.at("gates")) << "accepted and without effect";
}

TEST_F(AbCommand, BusyMachine_LeavesEqualArmsUndecided) {
  program_.worker = program_.stub_after(busy_machine(program_.folder));
  const os::CommandResult equal = ab({"--pairs", "40", "--seed", "3", "--b-set", "samples=31"});
  EXPECT_EQ(equal.exit_status, 3) << equal.out << equal.err;
  const Json step = step_of(verdict());
  EXPECT_EQ(step.at("verdict"), "inconclusive");
  EXPECT_LT(step.at("change_low"), 0);
  EXPECT_GT(step.at("change_high"), 0);
}

TEST_F(AbCommand, Header_NamesTheArmsDifference) {
  program_.config(std::string(kOneCase) + "seed: 4\n");
  EXPECT_THAT(ab({"--dry-run", "--b-set", "samples=16", "--b-env", "SPEED=1"}).out,
              HasSubstr("A stub.samples=32 (default) env.SPEED unset   B stub.samples=16 "
                        "env.SPEED=1\n"));
  EXPECT_THAT(ab({"--dry-run", "--b-set", "seed=5"}).out,
              HasSubstr("A seed=4 (from the file)   B seed=5\n"));
}

TEST_F(AbCommand, EqualArms_AreReportedEvenQuietly) {
  for (const char* same : {"stub.samples=32", "stub.jitter=0.01"}) {
    const os::CommandResult result = ab({"--pairs", "1", "--quiet", "--b-set", same});
    const std::string reported = std::string(same) + " changes nothing)";
    EXPECT_THAT(result.err, HasSubstr(reported));
    EXPECT_THAT(verdict().at("warnings").dump(), HasSubstr(reported));
    forget();
  }
  EXPECT_THAT(ab({"--dry-run", "--b-set", "stub.samples=31"}).err, Not(HasSubstr("the same")));
}

TEST_F(AbCommand, DryRun_ListsPairsAndMeasuresNothing) {
  program_.config(std::string(kOneCase) + "sweep: {matrix: {stub.samples: [1, 2]}}\n");
  const std::string file = (program_.folder / "v.json").string();
  const os::CommandResult looks = ab({"--b-set", "stub.step_us=900", "--dry-run", "--verdict", file,
                                      "--metric", "p99,peak_bytes"});
  EXPECT_EQ(looks.exit_status, 0) << looks.err;
  EXPECT_THAT(looks.out,
              AllOf(HasSubstr("A stub.step_us=1000 (default)   B stub.step_us=900"),
                    HasSubstr("#  case A  case B  samples"),
                    HasSubstr("2 cases in both arms; tested: step_p99, peak_bytes; 4 tests"),
                    HasSubstr("interim results after 10, 20 and 40 pairs: 40 to 160 launches")));
  EXPECT_THAT(ab({"--pairs", "4", "--dry-run"}).out,
              AllOf(HasSubstr("judged after 4 pairs: 16 launches"), HasSubstr("at most 2 h 40 min"),
                    HasSubstr("note: both arms are the same"), HasSubstr("fewer than 6 pairs")));
  EXPECT_EQ(ab({"--dry-run", "--metric", "nonsense"}).exit_status, 2);
  EXPECT_FALSE(fs::exists(program_.folder / "results"));
  EXPECT_FALSE(fs::exists(file));
}

// The verdict file without the parts that may differ between two campaigns with the same samples:
// the memory counted by the operating system, other load of the machine, and names.
Json comparable(Json verdict) {
  Json& gates = verdict.at("gates");
  gates.erase(std::remove_if(gates.begin(), gates.end(),
                             [](const Json& gate) { return gate.at("name") != "drift"; }),
              gates.end());
  for (const char* field : {"warnings", "rejected_slower", "rejected_faster"}) verdict.erase(field);
  for (Json& one : verdict.at("cases")) {
    one.erase("notes");
    one.at("metrics").erase(1);
    one.at("metrics").at(0).erase("p_adjusted");  // corrected together with the test of memory
  }
  return verdict;
}

void cut_off_and_resume(int signal, int lines) {
  SCOPED_TRACE("after line " + std::to_string(lines));
  const std::vector<std::string> arguments = {
      "--pairs", "8", "--seed", "3", "--b-set", "stub.step_us=1100", "--margin", "peak_bytes=50%"};
  RunProgram whole;
  whole.ab = true;
  whole.config(kOneCase);
  EXPECT_EQ(whole.run(arguments).exit_status, 1);

  RunProgram cut;
  cut.ab = true;
  cut.config(kOneCase);
  StartedRun run = cut.start(arguments);
  std::string line;
  for (int count = 0; count < lines && run.read_line(line); ++count) {
  }
  run.signal(signal);
  const int status = run.wait();
  EXPECT_TRUE(status == 128 + signal || status == 1) << status;
  EXPECT_THAT(cut.leftovers(), IsEmpty());
  const os::CommandResult resumed = cut.resume(arguments);
  EXPECT_EQ(resumed.exit_status, 1) << resumed.err;
  const auto read = [](const RunProgram& program) {
    std::ifstream file(program.run_dir() / "verdict.json");
    return Json::parse(file);
  };
  EXPECT_EQ(comparable(read(cut)), comparable(read(whole)));
  EXPECT_EQ(cut.results().launches.size(), 16U);
}

TEST_F(AbCommand, ResumedInterrupt_HasTheSameVerdict) {
  for (const int lines : {4, 7, 12}) cut_off_and_resume(SIGINT, lines);
}

TEST_F(AbCommand, ResumedKill_HasTheSameVerdict) {
  for (const int lines : {5, 10}) cut_off_and_resume(SIGKILL, lines);
}

}  // namespace
}  // namespace stepbench::testing
