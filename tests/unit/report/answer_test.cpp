// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/answer.h"
#include "harness/document/render.h"

#include "harness/base/error.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/ranking.h"
#include "harness/findings/finding.h"
#include "harness/report/internal/run_title.h"
#include "harness/report/result_tables.h"
#include "tests/testing.h"

namespace stepbench::report {
namespace {

// Two cases of a sweep over batch sizes; samples per step by case, step time by case and launch.
struct SweepMaker {
  std::vector<std::int64_t> samples = {8, 16};
  std::vector<std::int64_t> step_us = {100, 150};
  int launches = 6;

  [[nodiscard]] record::Results make() const {
    constexpr std::int64_t kNs = 1000;
    record::Results results;
    results.runs.push_back({.run_id = "20260131-120000-demo",
                            .name = "demo",
                            .started_utc = "2026-01-31T12:00:00Z",
                            .swept = {"loader.batch_size"}});
    for (std::size_t i = 0; i < samples.size(); ++i) {
      for (int launch = 0; launch < launches; ++launch) {
        record::Launch& made = results.launches.emplace_back();
        made.row.key = {.case_id = std::to_string(i + 1) + "abcdef123456789", .launch = launch};
        made.row.workload = "train_step";
        made.row.options["loader.batch_size"] = samples[i];
        // Launches differ by one percent.
        const std::int64_t step = step_us[i] * kNs + launch * step_us[i] * 2;
        record::CycleSamples part;
        part.steps.names = {"index", "step_ns", "samples"};
        part.steps.columns = {{0, 1}, {step, step}, {samples[i], samples[i]}};
        made.samples.push_back(std::move(part));
      }
    }
    return results;
  }
};

std::string answer_of(const record::Results& results) {
  return answer_line(estimate::case_rows(results), results);
}

void fail_case(char number, record::Results& results) {
  for (record::Launch& launch : results.launches) {
    if (launch.row.key.case_id[0] == number) launch.row.outcome = Outcome::failed("killed");
  }
}

// Asserts that the answer begins with the first part and contains the others.
void expect_answer(const record::Results& results, const std::vector<std::string>& parts) {
  const std::string answer = answer_of(results);
  EXPECT_THAT(answer, StartsWith(parts.front()));
  for (const std::string& part : parts) EXPECT_THAT(answer, HasSubstr(part));
}

TEST(Answer, Sweep_NamesTheBestCaseAndItsLead) {
  expect_answer(SweepMaker().make(),  // different work compares by rate
                {"best: batch_size=16 (*), 106,", " samples/s [",
                 "; 1.33x as fast as the next (batch_size=8) [1.32, 1.35]"});
  expect_answer(SweepMaker{.samples = {8, 8}}.make(),
                {"best: ", "step 100 us [", "1.50x as fast as the next"});
  expect_answer(SweepMaker{.samples = {8, 16, 32}, .step_us = {100, 200, 800}}.make(),
                {"tie of 2 of 3 (*): batch_size=8, 16; 79,", " samples/s ["});
  expect_answer(SweepMaker{.step_us = {100, 200}}.make(),
                {"no winner: the two overlap; fastest so far batch_size=8"});
  record::Results open = SweepMaker{.samples = {8, 8}, .step_us = {100, 100}}.make();
  open.runs[0].argv = {
      "stepbench", "run", "my job.yaml", "--sweep", "batch_size=8,9", "--launches=6", "--set",
      "seed=1",    "--",  "--launches",  "3"};
  expect_answer(open, {"no winner: ",
                       "; more launches tell smaller differences: stepbench run 'my job.yaml' "
                       "--sweep batch_size=8,9 --set seed=1 --launches 12 -- --launches 3; the "
                       "fastest two alone: stepbench ab 'my job.yaml' --set seed=1 --set "
                       "loader.batch_size=8 -- --launches 3"});
  open.running = true;  // it is still running
  EXPECT_THAT(answer_of(open), Not(HasSubstr("stepbench run")));
  const record::Results few = SweepMaker{.launches = 3}.make();
  expect_answer(few, {"fastest so far: batch_size=16, 106,", "(n=3, 6 needed)"});
  EXPECT_THAT(answer_of(few), AllOf(Not(HasSubstr("*")), Not(HasSubstr("[1."))));
  EXPECT_THAT(render_table(few, {}), AllOf(HasSubstr("vs fastest"), Not(HasSubstr("x *"))));
  record::Results unfinished = SweepMaker().make();
  unfinished.end = record::EndRow{.reason = "interrupted"};
  expect_answer(unfinished, {"best so far: "});
}

TEST(Answer, CopiesOfOtherSizes_CompareByRate) {
  record::Results copies =
      SweepMaker{.samples = {64 * 1024, 16 * 1024 * 1024}, .step_us = {15, 312}}.make();
  for (record::Launch& launch : copies.launches) {
    launch.row.workload = "transfer";
    launch.samples.front().steps.names.back() = "bytes";
  }
  expect_answer(copies, {"best: batch_size=16777216 (*), 53.", " GB/s [53."});
  EXPECT_THAT(render_table(copies, {}), HasSubstr("0.0813x"));
}

TEST(Answer, FewCasesOrArms_ShowTheMeasurement) {
  expect_answer(SweepMaker{.samples = {8}}.make(), {"step 100 us [", "], 79,"});
  expect_answer(SweepMaker{.samples = {8}, .launches = 3}.make(),
                {"step ", " samples/s; 3 launches, an interval takes 6"});
  record::Results failed = SweepMaker{.samples = {8, 16, 32}, .step_us = {100, 150, 10}}.make();
  fail_case('3', failed);
  expect_answer(failed, {"best: batch_size=16 (*)"});
  fail_case('2', failed);
  expect_answer(failed, {"only batch_size=8 was measured: step "});
  fail_case('1', failed);
  expect_answer(failed, {"nothing was measured: killed"});
  EXPECT_EQ(run_answer(estimate::case_rows(failed), failed, {}).tone, document::Tone::kBad);
  record::Results arms = SweepMaker().make();
  for (record::Launch& launch : arms.launches) launch.row.key.arm = "a";
  expect_answer(arms, {"", "`stepbench compare` gives their verdict"});
}

// The timed launches have the step time, the profiled one its slowest rank.
TEST(Answer, Group_NamesTheSlowRank) {
  record::Results results = SweepMaker{.samples = {8}, .step_us = {100}}.make();
  record::Launch profiled = results.launches.front();
  profiled.row.key.pass = Pass::kKineto;
  profiled.row.world = 2;
  profiled.row.report.findings.push_back({.id = "ranks.straggler",
                                          .severity = Severity::kProblem,
                                          .text = "rank 1 holds the others up by 40.0 us per step, "
                                                  "loading data: it is the slowest in 8 of 8",
                                          .share = 0.4,
                                          .window = "host_step"});
  results.launches.push_back(std::move(profiled));
  EXPECT_THAT(render_table(results, {.columns = 400}),
              AllOf(HasSubstr("; rank 1 holds the others up by 40.0 us per step, loading data\n"),
                    HasSubstr("problem: rank 1 holds the others up by")));
}

TEST(Answer, AllCasesTie_NameNoBest) {
  const auto best = [](std::vector<std::int64_t> step_us) {
    const record::Results results =
        SweepMaker{.samples = {8, 16, 32}, .step_us = std::move(step_us)}.make();
    std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
    estimate::compare_with_best(rows);
    std::string cases;
    for (const estimate::CaseRow& row : rows) cases += row.is_best ? row.case_id[0] : '-';
    return cases + ' ' + render(results, Format::kJson, {});
  };
  EXPECT_THAT(best({100, 200, 800}),
              AllOf(StartsWith("12- "), HasSubstr(R"("text":"tie of 2 of 3 (*): )")));
  EXPECT_THAT(best({100, 200, 400}), AllOf(StartsWith("--- "), HasSubstr(R"("all_tie":true)"),
                                           HasSubstr(R"("text":"no winner: all 3 overlap)")));
}

TEST(Answer, Ratio_HoldsOneIfIntervalsOverlap) {
  for (std::int64_t step = 190; step < 210; ++step) {
    const record::Results results = SweepMaker{.step_us = {100, step}}.make();
    const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
    const auto ranking = estimate::rank(rows);
    ASSERT_TRUE(ranking);
    const auto ratio = estimate::speed_up(rows[ranking->best], rows[ranking->next], ranking->by);
    ASSERT_TRUE(ratio && ratio->interval);
    EXPECT_GE(ratio->value, 1);
    EXPECT_EQ(ratio->interval->low <= 1, !ranking->ties.empty()) << step;
  }
}

TEST(Answer, SmokeRun_ReportsIfAllCasesRan) {
  record::Results smoke = SweepMaker().make();
  for (record::Launch& launch : smoke.launches) launch.row.smoke = true;
  EXPECT_EQ(answer_of(smoke), "all 2 cases run; a smoke run compares nothing");
  fail_case('1', smoke);
  EXPECT_EQ(answer_of(smoke), "1 of 2 cases did not run");
}

TEST(Answer, FirstLook_NamesTheCommand) {
  const auto first_look = [](SweepMaker maker) {
    record::Results results = maker.make();
    results.runs.front().smoke = true;
    results.runs.front().argv = {"stepbench", "run", "my job.yaml", "--quick"};
    for (record::Launch& launch : results.launches) launch.row.smoke = true;
    return results;
  };
  record::Results look = first_look({.launches = 2});
  EXPECT_THAT(answer_of(look), AllOf(StartsWith("a first look, not for comparison"),
                                     HasSubstr("stepbench run 'my job.yaml'")));
  const std::string one = answer_of(first_look({.samples = {8}, .step_us = {100}, .launches = 2}));
  EXPECT_THAT(one, StartsWith("step 100 us, ")) << "one case alone has its numbers";
  look.launches.front().row.outcome = Outcome::failed("killed");
  const auto answer = [&] {
    return run_answer(estimate::case_rows(look), look, {{.text = "busy", .doubt = "waited"}});
  };
  EXPECT_THAT(answer().doubts, ElementsAre("1 of 4 launches failed", "waited"));
  fail_case('1', look);
  fail_case('2', look);
  EXPECT_EQ(answer().text, "nothing was measured: killed");
  EXPECT_EQ(answer().tone, document::Tone::kBad);
}

TEST(Answer, Doubts_HaveTheirSize) {
  record::Results results = SweepMaker().make();
  for (record::Launch& launch : results.launches) {
    launch.row.machine = {{"window_ns", std::int64_t{1000}},
                          {"window_run_queue_wait_ns", std::int64_t{620}},
                          {"others_cpu_share", 0.81}};
    launch.row.report.flags = {"waited_for_cpu"};
  }
  results.launches.front().row.outcome = Outcome::failed("killed");
  results.launches.back().row.report.flags.push_back("throttled");
  const std::string table = render_table(results, {.columns = 300});
  EXPECT_THAT(table,
              StartsWith(answer_of(results) +
                         "\ndoubts: 1 of 12 launches failed; waited 62.0 % of its time for a "
                         "CPU; others used 81.0 %; in 1 of 11 launches the GPU was slowed "
                         "down\n\ndemo, "));
  for (record::Launch& launch : results.launches) {
    launch.row.machine["window_run_queue_wait_ns"] = std::int64_t{20};
  }
  EXPECT_THAT(render_table(results, {.columns = 300}), Not(HasSubstr("; waited")));
}

TEST(Answer, DifferentScripts_AreADoubt) {
  record::Results results = SweepMaker{.samples = {8, 8}}.make();
  const auto doubts = [&] { return run_answer(estimate::case_rows(results), results, {}).doubts; };
  const auto is_told = Contains("the cases run different scripts, which may not do the same work");
  for (record::Launch& launch : results.launches) {
    launch.row.options["script.path"] = std::string("train.py");
  }
  EXPECT_THAT(doubts(), Not(is_told));
  for (record::Launch& launch : results.launches) {
    if (launch.row.key.case_id.starts_with('1')) {
      launch.row.options["script.path"] = std::string("other.py");
    }
  }
  EXPECT_THAT(doubts(), is_told);
}

TEST(Answer, DecidedSweep_IsInJson) {
  EXPECT_THAT(render(SweepMaker().make(), Format::kJson, {}),
              AllOf(HasSubstr(R"("answer":{"metric":"samples_per_s","decided":true)"),
                    HasSubstr(R"("tied":[])")));
}

TEST(Table, SweepMetric_ComesFirst) {
  const record::Results results = SweepMaker().make();
  const std::string wide = render_table(results, {.columns = 140});
  EXPECT_LT(wide.find("samples/s"), wide.find("step [us]"));
  EXPECT_LT(wide.find("95 % interval"), wide.find("step [us]"));
  EXPECT_THAT(render_table(results, {.columns = 40}),
              AllOf(HasSubstr("case    batch_size  samples/s   vs best\n"),
                    HasSubstr("columns left out: at most slower [%],\n")))
      << "what was cut or left out first came back where there is room for it";
}

TEST(Table, SkippedCases_AreOneNote) {
  record::Results results = SweepMaker{.samples = {8, 16, 32, 64}, .step_us = {1, 2, 4, 8}}.make();
  for (record::Launch& launch : results.launches) {
    if (launch.row.key.case_id[0] > '2') {
      launch.row.outcome = Outcome::skipped("more than the set has");
      launch.samples.clear();
    }
  }
  EXPECT_THAT(render_table(results, {.columns = 140}),
              AllOf(HasSubstr("\nskipped: more than the set has (batch_size=32, 64)\n"),
                    Not(HasSubstr("\n3abcde")), HasSubstr("\n2abcde")));
  EXPECT_THAT(render(results, Format::kCsv, {}), HasSubstr("3abcdef"));
  for (record::Launch& launch : results.launches) {
    launch.row.outcome = Outcome::skipped("no GPU");
    launch.samples.clear();
  }
  EXPECT_THAT(render_table(results, {}), HasSubstr("\n1abcde")) << "nothing else is there";
}

TEST(Baseline, EqualOtherOptions_FindTheRow) {
  record::Results results =
      SweepMaker{.samples = {8, 16, 8, 16}, .step_us = {100, 200, 50, 100}}.make();
  results.runs[0].swept = {"loader.batch_size", "loader.num_workers"};
  for (record::Launch& launch : results.launches) {
    const bool late = launch.row.key.case_id[0] > '2';
    launch.row.options["loader.num_workers"] = std::int64_t{late ? 2 : 0};
  }
  std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  estimate::compare_with_baseline(rows, results, "num_workers=0");
  ASSERT_TRUE(rows[2].vs_baseline && rows[3].vs_baseline && rows[3].vs_baseline_interval);
  EXPECT_NEAR(*rows[0].vs_baseline, 1, 1e-9);
  EXPECT_NEAR(*rows[2].vs_baseline, 2, 1e-9) << "samples/s against batch_size=8 without workers";
  EXPECT_NEAR(*rows[3].vs_baseline, 2, 1e-9);
  EXPECT_NEAR(rows[3].vs_baseline_interval->low, 1.98, 0.005);
  estimate::compare_with_baseline(rows, results, "num_workers=0,batch_size=8");
  EXPECT_NEAR(*rows[3].vs_baseline, 2, 1e-9) << "one row for all";
  estimate::compare_with_baseline(rows, results, "1abc");
  EXPECT_NEAR(*rows[1].vs_baseline, 1, 1e-9);
  EXPECT_THROW(estimate::compare_with_baseline(rows, results, "num_workers=7"), ConfigError);
  EXPECT_THROW(estimate::compare_with_baseline(rows, results, "nothing"), ConfigError);
}

TEST(Filter, AnyOfTheValues_Matches) {
  record::Results results = SweepMaker{.samples = {8, 16, 32}, .step_us = {100, 150, 10}}.make();
  estimate::keep_filtered(results, std::vector<std::string>{"batch_size=8,32.0"});
  EXPECT_EQ(estimate::case_rows(results).size(), 2U);
}

TEST(Columns, Heads_FindThem) {
  record::Results results = SweepMaker().make();
  for (record::Launch& launch : results.launches) {
    launch.row.report.metrics["peak_bytes"] = 1048576;
    launch.row.options["margin.step"] = 0.01;  // `step` for short, but the shown column is meant
  }
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  for (const auto& [head, name] :
       {std::pair{"samples/s", "samples_per_s"}, std::pair{"Data wait", "data_wait_share"},
        std::pair{"data wait [%]", "data_wait_share"}, std::pair{"step", "step_ns"},
        std::pair{"vs best", "vs_best"}, std::pair{"case", "case_id"}}) {
    EXPECT_EQ(estimate::full_name(head, rows, "--sort"), name);
  }
  EXPECT_THAT(render_table(results, {.select = {"batch_size", "samples/s", "peak_bytes"}}),
              AllOf(HasSubstr("batch_size  samples/s  peak_bytes\n"), HasSubstr("1.00 MiB\n"),
                    Not(HasSubstr("step ["))));
  EXPECT_THROW((void)render_table(results, {.select = {"peak_byte"}}), ConfigError);
}

TEST(Columns, ProfiledOnly_AddTheirRows) {
  record::Results results = SweepMaker().make();
  record::Launch profiled = results.launches.front();
  profiled.row.key.pass = Pass::kNative;
  profiled.row.report.metrics["kernels"] = 310;
  results.launches.push_back(profiled);
  EXPECT_THAT(render_table(results, {.select = {"pass", "kernels"}}),
              AllOf(HasSubstr("timing        -\n"), HasSubstr("native      310\n")));
  EXPECT_THAT(render_table(results, {.select = {"pass", "step"}}), Not(HasSubstr("native")));
}

TEST(Runs, SameCase_IsComparedAcrossRuns) {
  record::Results results = SweepMaker().make();
  record::Results second = SweepMaker{.step_us = {50, 75}}.make();
  results.runs.push_back(second.runs[0]);
  results.runs[1].run_id = "20260201-120000-demo";
  for (record::Launch& launch : second.launches) {
    launch.run = 1;
    results.launches.push_back(launch);
  }
  EXPECT_EQ(estimate::case_rows(results).size(), 4U);
  const std::string table =
      render_table(results, {.columns = 200, .baseline = "20260131-120000-demo"});
  EXPECT_THAT(table, AllOf(HasSubstr("20260131-120000  "), HasSubstr("20260201-120000  "),
                           HasSubstr("2.00x [1.98, 2.02]"),
                           HasSubstr("best: batch_size=16 (run 20260201-120000) (*)")));
  results.runs[1].run_id = results.runs[0].run_id;
  EXPECT_EQ(estimate::case_rows(results).size(), 2U) << "files of one resumed run";
}

TEST(Title, OneMachine_IsNamedWithTheRun) {
  record::Results results = SweepMaker().make();
  results.workers.push_back({.worker_id = "w",
                             .environment = {{"cpu.model", "AMD EPYC"},
                                             {"cpu.logical", std::int64_t{2}},
                                             {"gpu.count", std::int64_t{0}},
                                             {"torch", "2.11.0"}}});
  for (record::Launch& launch : results.launches) launch.row.worker_id = "w";
  results.runs[0].config_text = "name: demo\n```\n";
  EXPECT_THAT(run_titles(estimate::case_rows(results), results),
              ElementsAre("demo, 2026-01-31 12:00 UTC, 2x AMD EPYC, no GPU, torch "
                          "2.11.0, 6 launches per case"));
  EXPECT_THAT(render(results, Format::kMarkdown, {}), HasSubstr("````yaml\nname: demo\n"));
}

TEST(Running, RunningLaunch_IsNotUnfinished) {
  record::Results results = SweepMaker{.launches = 2}.make();
  for (record::Launch& launch : results.launches) launch.row.options["launches"] = std::int64_t{6};
  results.unfinished = {
      {.key = {.case_id = "1abcdef123456789", .launch = 2}, .running = true},
      {.key = {.case_id = "3abcdef123456789"}, .running = true},
  };
  results.running = true;
  EXPECT_THAT(render_table(results, {.columns = 140}),
              AllOf(HasSubstr("running now: launch 3 of 6 (batch_size=8)"),
                    HasSubstr("3abcde           -  running now"), HasSubstr(", still running\n"),
                    Not(HasSubstr("unfinished"))));
}

TEST(CasePage, Page_HasPhasesFirstAndOptionsLast) {
  record::Results results = SweepMaker{.samples = {8}}.make();
  for (record::Launch& launch : results.launches) {
    launch.row.options["loader.shuffle"] = true;
    launch.row.report.metrics["loader_occupancy"] = 0.0000235;
    launch.row.report.flags = {"waited_for_cpu", "truncated"};
    launch.samples[0].steps.add("forward_ns", 2) = {1000, 1000};
  }
  results.columns = {{.name = "loader_occupancy", .unit = "ratio", .doc = ""}};
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  const std::string page =
      document::render(case_document(rows[0], results, {{"loader.shuffle", true}}), {});
  EXPECT_THAT(page,
              AllOf(HasSubstr("  train_step  6 launches measured\ndemo, 2026-01-31 12:00 UTC"),
                    HasSubstr("in 6 of 6 launches the window ended before"), HasSubstr("  0.0 %"),
                    Not(HasSubstr("loader.shuffle"))));
  EXPECT_LT(page.find("forward"), page.find("launch  step"));
  EXPECT_LT(page.find("loader_occupancy"), page.find("Options"));
  EXPECT_TRUE(page.ends_with("the other 1 option has its default (--all-options shows them)\n"))
      << page;
  EXPECT_THAT(document::render(case_document(rows[0], results, {}), {}),
              HasSubstr("loader.shuffle"));
}

}  // namespace
}  // namespace stepbench::report
