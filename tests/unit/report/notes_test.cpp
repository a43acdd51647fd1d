// SPDX-License-Identifier: Apache-2.0
// Notes on a case whose launches disagree.
#include "harness/report/internal/notes.h"

#include <deque>

#include "harness/record/quality.h"
#include "tests/testing.h"

namespace stepbench::report {
namespace {

using ::testing::MatchesRegex;

struct Said {
  const char* verdict;
  std::int64_t more_steps = 0;
  double change = 0;
  bool first_step_slow = false;
};

std::vector<std::string> notes(const std::vector<Said>& all) {
  std::deque<record::Launch> launches;
  estimate::CaseRow row;
  for (const Said& said : all) {
    record::LaunchReport& report = launches.emplace_back().row.report;
    report.schedule = {{"warmup_verdict", std::string(said.verdict)},
                       {"warmup_more", said.more_steps},
                       {"warmup_change", said.change}};
    if (said.verdict == std::string_view("too_short")) report.flags = {"warmup_too_short"};
    if (said.verdict == std::string_view("drifting")) report.flags = {"drifting"};
    if (said.first_step_slow) report.flags.emplace_back("first_step_slow");
    row.measured.push_back({.launch = &launches.back(), .estimate = {}});
  }
  return document::lines_of(notes_of({row}, {}));
}

TEST(WarmUpNotes, Trend_NeedsMoreThanHalfTheLaunches) {
  EXPECT_THAT(notes({{"too_short", 9, -0.1}, {"too_short", 12, -0.2}, {"ok"}}),
              ElementsAre("warm-up too short, at least 12 more steps: steps became 15.0 % faster "
                          "within the window (2 of 3 launches)"));
  EXPECT_THAT(notes({{"drifting", 0, 0.05}}),
              ElementsAre(HasSubstr("drifting: steps became 5.0 % slower")));
  EXPECT_THAT(notes({{"too_short", 7}}),  // a file without the size of the change
              ElementsAre("warm-up too short, at least 7 more steps (1 of 1 launches)"));
  EXPECT_THAT(notes({{"too_short", 9, -0.1}, {"ok"}}), IsEmpty());
  EXPECT_THAT(notes({{"too_short", 9, -0.1}, {"drifting", 0, 0.1}, {"ok"}}), IsEmpty());
  EXPECT_THAT(notes({{"drowsy"}, {"drowsy"}}), IsEmpty()) << "of a later version";
  EXPECT_THAT(notes({{"ok", 0, 0, true}, {"ok"}, {"drifting", 0, 0.1, true}}),
              ElementsAre("the first measured step alone is slow: one more warm-up step leaves it "
                          "out"));
}

// A launch that waits `waited_ns` of 1000 ns for a CPU, with a share used by others.
void add_waiting(estimate::CaseRow& row, std::deque<record::Launch>& launches,
                 std::int64_t waited_ns, double others) {
  record::LaunchRow& made = launches.emplace_back().row;
  made.machine = {{"window_ns", std::int64_t{1000}},
                  {"window_run_queue_wait_ns", waited_ns},
                  {"others_cpu_share", others}};
  row.measured.push_back({.launch = &launches.back(), .estimate = {}});
}

TEST(BusyMachineNotes, AllCases_ShareOneNote) {
  std::deque<record::Launch> launches;
  std::vector<estimate::CaseRow> rows(3);
  add_waiting(rows[0], launches, 20, 0.4);
  add_waiting(rows[1], launches, 620, 0.81);
  add_waiting(rows[2], launches, 5, 0.3);
  EXPECT_THAT(document::lines_of(notes_of(rows, {})),
              ElementsAre("the machine was busy: the training thread waited 2.0 to 62.0 % of its "
                          "time for a CPU; other programs used 40.0 to 81.0 % of the CPUs (2 of 3 "
                          "cases)"));
  std::vector<estimate::CaseRow> alone(1);
  for (const std::int64_t waited_ns : {11, 0, 0, 16, 0, 0}) {
    add_waiting(alone[0], launches, waited_ns, 0);
  }
  EXPECT_THAT(document::lines_of(notes_of(alone, {})),
              ElementsAre("more threads than CPUs: the training thread waited 1.1 to 1.6 % of its "
                          "time for a CPU, with no other programs running (in 2 of 6 launches)"));
}

TEST(BusyMachineNotes, Levels_AreNoteAndDoubt) {
  std::deque<record::Launch> launches;
  const auto note = [&](std::int64_t waited_ns) {
    std::vector<estimate::CaseRow> rows(1);
    add_waiting(rows[0], launches, waited_ns, 0.4);
    const std::vector<document::Paragraph> notes = notes_of(rows, {});
    return notes.empty() ? "nothing" : notes[0].doubt.empty() ? "told" : "doubted";
  };
  EXPECT_STREQ(note(9), "nothing");
  EXPECT_STREQ(note(10), "told");
  EXPECT_STREQ(note(49), "told");
  EXPECT_STREQ(note(50), "doubted");
}

TEST(ScalingNote, UnequalThreads_AreReported) {
  const auto note = [](std::int64_t of_single, std::int64_t of_rank) {
    std::deque<record::Launch> launches(2);
    std::vector<estimate::CaseRow> rows(2);
    launches[0].row.report.effective["threads.intra_op"] = of_single;
    launches[1].row.report.effective["threads.intra_op"] = of_rank;
    launches[1].row.world = 2;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].scaling_efficiency = 1;
      rows[i].measured = {{.launch = &launches[i], .estimate = {}}};
    }
    return document::lines_of(notes_of(rows, {}));
  };
  EXPECT_THAT(note(8, 1), ElementsAre("scaling: one rank computed with 8 threads, each of several "
                                      "with 1: set threads.intra_op to use the same number for "
                                      "all"));
  EXPECT_THAT(note(1, 1), IsEmpty());
}

TEST(BusyMachineNotes, Unwatched_IsNotFine) {
  std::deque<record::Launch> launches(1);
  std::vector<estimate::CaseRow> rows(1);
  rows[0].measured = {{.launch = &launches[0], .estimate = {}}};
  const auto notes = [&] { return document::lines_of(notes_of(rows, {})); };
  EXPECT_THAT(notes(), IsEmpty()) << "a file that holds nothing of its machine";
  launches[0].row.machine = {{"samples", std::int64_t{3}}};
  EXPECT_THAT(notes(), ElementsAre("not watched: whether the machine was busy"));
  launches[0].row.report.flags = {"waited_for_cpu"};
  EXPECT_THAT(notes(), ElementsAre("in 1 of 1 launch the program had to wait for a CPU",
                                   "not watched: whether the machine was busy"));
}

TEST(MachineNotes, NoisyLaunches_HaveCountAndRange) {
  std::deque<record::Launch> launches(3);
  std::vector<estimate::CaseRow> rows(1);
  for (record::Launch& launch : launches) {
    launch.row.wall_ns = 2'000'000'000;
    launch.row.machine = {{"run_queue_wait_ns", std::int64_t{0}}};
    rows[0].measured.push_back({.launch = &launch, .estimate = {}});
  }
  EXPECT_THAT(document::lines_of(notes_of(rows, {})), IsEmpty());
  launches[0].row.machine["steal_share"] = 0.02;
  launches[1].row.machine["steal_share"] = 0.03;
  launches[2].row.machine["steal_share"] = 0.009;
  launches[1].row.machine["cgroup_throttled_ns"] = std::int64_t{100'000'000};
  launches[1].row.machine["gpu.throttled"] = std::string("power brake");
  launches[2].row.machine["gpu.lost"] = true;
  launches[2].row.machine["gpu.memory_errors"] = std::int64_t{2};
  launches[0].row.report.flags = {"steal"};
  launches[2].row.report.flags = {"gpu_lost"};
  EXPECT_THAT(
      document::lines_of(notes_of(rows, {})),
      ElementsAre("the GPU had 2 memory errors during a launch that could not be repaired: its "
                  "results may be wrong (stepbench doctor says what to do) (in 1 of 3 launches)",
                  "the GPU was lost while a launch ran: it no longer responds (dmesg names the "
                  "Xid); restart the machine, or take another device (in 1 of 3 launches)",
                  "the GPU was slowed down: power brake (in 1 of 3 launches)",
                  "the control group's CPU quota stopped the worker for 5.0 % of its time (in 1 of "
                  "3 launches)",
                  "the hypervisor took 2.0 to 3.0 % of the machine's CPU time (in 2 of 3 "
                  "launches)"));
}

TEST(MachineNotes, Growth_IsThatOfMostLaunches) {
  std::deque<record::Launch> launches(4);
  std::vector<estimate::CaseRow> rows(1);
  const auto notes_with = [&](std::size_t growing) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      record::LaunchRow& row = launches[i].row;
      row.wall_ns = 2'000'000'000;
      row.machine = {{"run_queue_wait_ns", std::int64_t{0}},
                     {"window_growth_bytes", std::int64_t{i < growing ? 40'000'000 : 0}}};
      row.report.schedule = {{"active", std::int64_t{40}}};
      row.report.metrics = {{std::string(record::kJobPeak), 1e9}};
      row.report.flags = {};
      if (i < growing) row.report.flags = {"memory_grew"};
    }
    return document::lines_of(notes_of(rows, {}));
  };
  for (const record::Launch& launch : launches)
    rows[0].measured.push_back({.launch = &launch, .estimate = {}});
  EXPECT_THAT(notes_with(3), ElementsAre("memory grew within the windows by 977 KiB a step, up to "
                                         "their end: a long run would fill the machine's memory "
                                         "(in 3 of 4 launches)"));
  EXPECT_THAT(notes_with(2), IsEmpty());
  rows[0].measured.resize(1);
  EXPECT_THAT(notes_with(1), SizeIs(1));
}

// Launches of 60 steps of 1 ms, the first 12 of them longer by `excess`, each launch with its own
// ripple of up to `ripple` of the step.
record::Results windows(double excess, double ripple) {
  record::Results results;
  for (int k = 0; k < 6; ++k) {
    record::Launch launch;
    launch.row.key = {.case_id = "00112233aabbccdd", .launch = k};
    launch.row.outcome = Outcome::measured();
    launch.row.options["schedule.warmup"] = std::int64_t{5};
    std::vector<std::int64_t> times(60);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double own = ripple * static_cast<double>((i * i + 11 * std::size_t(k) * i) % 7) / 6;
      times[i] = std::llround(1e6 * (1 + own) * (i < 12 ? 1 + excess : 1));
    }
    launch.samples.push_back(
        {.cycle = 0, .steps = {.names = {"step_ns"}, .columns = {std::move(times)}}});
    results.launches.push_back(std::move(launch));
  }
  return results;
}

TEST(WarmUpNotes, Effect_IsShownWithARemedy) {
  const record::Results warming = windows(0.09, 0.002);
  EXPECT_THAT(document::lines_of(notes_of(estimate::case_rows(warming), warming)),
              ElementsAre(MatchesRegex(
                  "warm-up is \\+1\\.[789]. % \\[\\+1\\.[78]., \\+1\\.[89].\\] of this step, "
                  "over 6 launches; drop (9|10) steps \\(schedule.warmup: 1[45]\\)")));
  const record::Results steady = windows(0, 0.002);
  EXPECT_THAT(document::lines_of(notes_of(estimate::case_rows(steady), steady)), IsEmpty());
  EXPECT_EQ(unseen_warmup(estimate::case_rows(steady).front()), "");
  const record::Results noisy = windows(0, 0.5);
  EXPECT_THAT(unseen_warmup(estimate::case_rows(noisy).front()),
              MatchesRegex("no warm-up is visible in the windows; one of less than .* % .*"));
}

TEST(Notes, DifferingNumbers_ShareOneNote) {
  std::deque<record::Launch> launches;
  std::vector<estimate::CaseRow> rows;
  record::Results results;
  results.runs.push_back({.swept = {"loader.num_workers"}});
  for (const std::int64_t workers : {0, 1, 2}) {
    estimate::CaseRow& row = rows.emplace_back();
    row.case_id = std::to_string(workers);
    for (const char* ms : {"2.279", "6.411"}) {
      if (workers == 2) break;
      record::Launch& launch = launches.emplace_back();
      launch.row.options["loader.num_workers"] = workers;
      launch.row.report.notes = {"of `other`, per step: get_batch " + std::string(ms) + " ms"};
      row.measured.push_back({.launch = &launch, .estimate = {}});
    }
    record::Launch& failed = launches.emplace_back();
    failed.row.options["loader.num_workers"] = workers;
    failed.row.outcome = Outcome::failed("no room for " + std::to_string(workers + 1) + " GiB");
    row.asked = &failed.row.options;
    if (workers > 0) row.failed = {&failed, &failed};
  }
  EXPECT_THAT(document::lines_of(notes_of(rows, results)),
              ElementsAre("failed: no room for 2 GiB; others alike, with other numbers (4 "
                          "launches) (num_workers=1, 2)",
                          "of `other`, per step: get_batch 2.279 to 6.411 ms (num_workers=0, 1)"));
}

TEST(BusyMachineNotes, CasesAndLaunches_ShareOneNote) {
  std::deque<record::Launch> launches;
  std::vector<estimate::CaseRow> rows(2);
  add_waiting(rows[0], launches, 91, 0.4);
  for (const std::int64_t waited_ns : {18, 0, 0}) {
    add_waiting(rows[1], launches, waited_ns, 0.2);
  }
  const std::vector<document::Paragraph> notes = notes_of(rows, {});
  EXPECT_THAT(document::lines_of(notes),
              ElementsAre("the machine was busy: the training thread waited 1.8 to 9.1 % of its "
                          "time for a CPU; other programs used 20.0 to 40.0 % of the CPUs (1 of 2 "
                          "cases, 1 of 3 other launches)"));
  EXPECT_THAT(notes.front().doubt, HasSubstr("waited 1.8 to 9.1 %"));
}

TEST(Notes, FailuresOfOtherProcesses_ShareOneNote) {
  const auto lines = [](const char* one, const char* other) {
    std::deque<record::Launch> launches(2);
    std::vector<estimate::CaseRow> rows(1);
    launches[0].row.outcome = Outcome::failed(one);
    launches[1].row.outcome = Outcome::failed(other);
    rows[0].failed = {&launches[0], &launches[1]};
    return document::lines_of(notes_of(rows, {}));
  };
  EXPECT_THAT(
      lines("DataLoader worker (pid 29003) is gone", "DataLoader worker (pid 31007) is gone"),
      SizeIs(1));
  EXPECT_THAT(lines("no <Model at 0x7f3a91>", "no <Model at 0x7ec055>"), SizeIs(1));
  EXPECT_THAT(lines("no '/tmp/tmpab12/x'", "no '/tmp/tmpq_34/x'"), SizeIs(1));
  EXPECT_THAT(lines("exit code 1", "exit code 2"), SizeIs(2));
}

TEST(Notes, FailureInEachCase_IsShownOnce) {
  std::deque<record::Launch> launches;
  std::vector<estimate::CaseRow> rows;
  record::Results results;
  results.runs.push_back({.swept = {"loader.num_workers"}});
  for (const std::int64_t workers : {0, 2}) {
    record::Launch& launch = launches.emplace_back();
    launch.row.outcome = Outcome::failed("no such file");
    launch.row.options["loader.num_workers"] = workers;
    launch.row.repeat_command = "stepbench run --case " + std::to_string(workers);
    estimate::CaseRow& row = rows.emplace_back();
    row.case_id = std::to_string(workers);
    row.failed = {&launch};
  }
  const std::vector<document::Paragraph> said = notes_of(rows, results);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said.front().text, "failed: no such file (all cases)");
  ASSERT_EQ(said.front().below.size(), 1U);
  EXPECT_EQ(said.front().below.front().text, "repeat: stepbench run --case 0");
}

}  // namespace
}  // namespace stepbench::report
