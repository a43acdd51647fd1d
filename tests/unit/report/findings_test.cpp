// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "harness/estimate/ranking.h"
#include "harness/record/result_file.h"
#include "harness/report/internal/findings.h"
#include "harness/report/result_tables.h"
#include "tests/testing.h"
#include "tests/unit/record/sample_rows.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::report {
namespace {

Finding finding(std::string id, double value, Severity severity = Severity::kWarning,
                double share = 0.1) {
  std::string text = id + " saw " + std::to_string(static_cast<int>(value));
  return {.id = std::move(id),
          .severity = severity,
          .text = std::move(text),
          .value = value,
          .unit = "%",
          .share = share};
}

// One case per list, with one list of findings per launch.
using FoundByLaunch = std::vector<std::vector<Finding>>;

record::Results results_of(const std::vector<FoundByLaunch>& cases) {
  const test::TemporaryFolder folder;
  record::ResultWriter writer(folder / "a.jsonl");
  writer.write(testing::run_row());
  for (std::size_t number = 0; number < cases.size(); ++number) {
    for (std::size_t launch = 0; launch < cases[number].size(); ++launch) {
      const record::LaunchKey key =
          testing::key("000000000000000" + std::to_string(number), static_cast<int>(launch));
      writer.write(
          record::StartRow{.key = key, .attempt = 0, .started_utc = "2026-01-31T12:00:00Z"});
      record::SamplesRow samples = testing::samples_row(key);
      samples.samples.steps.columns[2] = {0, 0, 0};  // no wait for data
      samples.samples.steps.columns[3] = samples.samples.steps.columns[1];
      writer.write(samples);
      record::LaunchRow row = testing::launch_row(key);
      row.options["loader.num_workers"] = static_cast<std::int64_t>(number);
      row.report.findings = cases[number][launch];
      writer.write(row);
    }
  }
  return record::read_results(folder.path());
}

TEST(Findings, HalfOfTheLaunches_MakeACaseFinding) {
  const record::Results results = results_of(
      {{{finding("often", 1)}, {finding("often", 2)}, {}, {}}, {{finding("once", 1)}, {}, {}}});
  const auto rows = estimate::case_rows(results);
  const estimate::Proposals proposals(rows, results);
  EXPECT_EQ(findings_of(rows[0], proposals).size(), 1U);
  EXPECT_THAT(findings_of(rows[1], proposals), IsEmpty());
}

TEST(Findings, BusyMachine_MarksSome) {
  record::Results results =
      results_of({{{finding("loader.uneven", 1), finding("loader.core_bound", 1),
                    finding("loader.page_faults", 1, Severity::kWarning, 0)}}});
  results.launches[0].row.machine = {{"window_ns", std::int64_t{1000}},
                                     {"window_run_queue_wait_ns", std::int64_t{9}},
                                     {"others_cpu_share", 0.81}};
  results.launches[0].row.report.findings.all()[2].share.reset();
  const auto marked = [&] {
    const auto rows = estimate::case_rows(results);
    std::vector<std::string> ids;
    for (const CaseFinding& each : findings_of(rows[0], estimate::Proposals(rows, results))) {
      if (each.finding.text.ends_with("possible reason: the machine was busy"))
        ids.push_back(each.finding.id);
    }
    return ids;
  };
  EXPECT_THAT(marked(), IsEmpty()) << "the launch did not wait";
  results.launches[0].row.machine["window_run_queue_wait_ns"] = std::int64_t{50};
  EXPECT_THAT(marked(), ElementsAre("loader.uneven"));
  results.launches[0].row.machine["others_cpu_share"] = 0.10;
  EXPECT_THAT(marked(), ElementsAre("loader.uneven"));
  results.launches[0].row.machine["others_cpu_share"] = 0.099;
  EXPECT_THAT(marked(), IsEmpty()) << "nothing else ran";
  results.launches[0].row.machine.erase("others_cpu_share");
  EXPECT_THAT(marked(), IsEmpty()) << "who else ran was not watched";
}

TEST(Findings, SlowLine_NeedsAWaitingStep) {
  const record::Results results = results_of({{{finding("loader.slow_line", 1)}}});
  auto rows = estimate::case_rows(results);
  const estimate::Proposals proposals(rows, results);
  rows[0].data_wait_share = 0.04;
  EXPECT_THAT(findings_of(rows[0], proposals), IsEmpty());
  rows[0].data_wait_share = 0.06;
  EXPECT_EQ(findings_of(rows[0], proposals).size(), 1U);
}

TEST(Findings, MedianLaunch_GivesTheText) {
  const record::Results results =
      results_of({{{finding("a", 90)}, {finding("a", 10)}, {finding("a", 40)}}});
  const auto rows = estimate::case_rows(results);
  const auto found = findings_of(rows[0], estimate::Proposals(rows, results));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].finding.text, "a saw 40");
  EXPECT_EQ(found[0].launches, 3U);
}

TEST(Findings, WaitingCase_ShowsItsColumnsNumber) {
  Finding waits = finding("loader.no_workers", 0.984);
  waits.text = "no workers: the step waits 98.4 % of its time for data; decoding takes all of it";
  const record::Results results = results_of({{{waits}}});
  auto rows = estimate::case_rows(results);
  rows[0].data_wait_share = 0.974;
  const auto text_of = [&] {
    return findings_of(rows[0], estimate::Proposals(rows, results)).at(0).finding.text;
  };
  EXPECT_THAT(text_of(), AllOf(HasSubstr("waits 97.4 % of its time for data; decoding"),
                               Not(HasSubstr("98.4"))));
  rows[0].step_host_ns = 1000;
  rows[0].epoch_gap_per_step_ns = 74;
  EXPECT_THAT(text_of(), HasSubstr("waits 90.0 % of its time for data, without epoch borders"));
}

TEST(Findings, SeveralCases_SortBySeverity) {
  const auto lines = [](const std::vector<FoundByLaunch>& cases) {
    const record::Results results = results_of(cases);
    return document::lines_of(finding_paragraphs(estimate::case_rows(results), results));
  };
  EXPECT_THAT(lines({{{finding("small", 1, Severity::kWarning, 0.1),
                       finding("large", 2, Severity::kWarning, 0.6),
                       finding("note", 3, Severity::kInfo, 0.9),
                       finding("grave", 4, Severity::kProblem, 0.0)}}}),
              ElementsAre("problem: grave saw 4", "warning: large saw 2", "warning: small saw 1",
                          "info: note saw 3"));
  EXPECT_THAT(lines({{{finding("a", 10, Severity::kWarning, 0.1)}},
                     {{finding("a", 70, Severity::kWarning, 0.7)}},
                     {{}}}),
              ElementsAre("warning: a saw 70 (num_workers=1, 0)"));
}

TEST(Findings, Remedy_IsWrittenAsTyped) {
  Finding with = finding("a", 10);
  with.remedy = "Use more.";
  with.set = {{.option = "loader.num_workers", .value = "2"},
              {.option = "loader.prefetch_factor", .value = "4"}};
  const record::Results results = results_of({{{with}}});
  const std::string table = render_table(results, {.columns = 40});
  EXPECT_THAT(
      table,
      AllOf(HasSubstr("  Use more.\n"),
            HasSubstr("  try: --set loader.num_workers=2 --set loader.prefetch_factor=4\n")));
}

TEST(Findings, Json_HasTheirLaunches) {
  EXPECT_THAT(render(results_of({{{finding("a", 10)}, {}}}), Format::kJson, {}),
              AllOf(HasSubstr(R"("findings":[{"id":"a","severity":"warning")"),
                    HasSubstr(R"("launches":1}])")));
}

struct Case {
  std::int64_t workers = 0;
  std::int64_t batch_size = 8;
  std::vector<std::int64_t> step_ns = {};  // one per launch; empty: it failed
  std::vector<Finding> findings = {};
};

record::Results swept_results(const std::vector<Case>& cases) {
  record::Results results;
  record::RunRow run = testing::run_row();
  run.swept = {"loader.num_workers", "loader.batch_size"};
  results.runs.push_back(run);
  for (std::size_t number = 0; number < cases.size(); ++number) {
    const Case& each = cases[number];
    const std::string id = std::to_string(number) + "00000000000000000";
    for (std::size_t at = 0; at < std::max<std::size_t>(each.step_ns.size(), 1); ++at) {
      record::Launch launch;
      launch.row = testing::launch_row(testing::key(id.substr(0, 16), static_cast<int>(at)));
      launch.row.options = {
          {"loader.num_workers", each.workers},
          {"loader.batch_size", each.batch_size},
          {"loader.engine", std::string(each.workers == 0 ? "inline" : "fork")},
          {"loader.prefetch_factor", each.workers == 0 ? Value() : Value(std::int64_t{2})}};
      launch.row.report.findings = each.findings;
      if (each.step_ns.empty()) {
        launch.row.outcome = {.kind = Outcome::Kind::kFailed, .reason = "out of memory"};
      } else {
        const std::int64_t step_ns = each.step_ns[at];
        launch.samples.push_back(
            {.cycle = 0,
             .steps = {.names = {"index", "step_ns", "data_wait_ns", "other_ns", "samples"},
                       .columns = {{11, 12},
                                   {step_ns, step_ns},
                                   {0, 0},
                                   {step_ns, step_ns},
                                   {each.batch_size, each.batch_size}}}});
      }
      results.launches.push_back(std::move(launch));
    }
  }
  return results;
}

Finding no_workers(const std::string& proposed, std::optional<double> share = 0.5) {
  return {.id = "loader.no_workers",
          .severity = Severity::kProblem,
          .text = "no workers",
          .value = 0.5,
          .unit = "ratio",
          .share = share,
          .remedy = "Workers read ahead.",
          .set = {{.option = "loader.num_workers", .value = proposed}}};
}

std::vector<std::string> lines_of(const record::Results& results) {
  return document::lines_of(finding_paragraphs(estimate::case_rows(results), results));
}

// Findings of two cases: one without workers with the proposal `proposed`, one with two.
std::vector<std::string> reported(std::vector<std::int64_t> without, std::vector<std::int64_t> with,
                                  const Finding& finding) {
  return lines_of(swept_results({{.step_ns = std::move(without), .findings = {finding}},
                                 {.workers = 2, .step_ns = std::move(with)}}));
}

constexpr const char* kHeader = "info: no workers (num_workers=0 batch_size=8)";

TEST(Proposals, SweptOption_ShowsItsMeasurement) {
  EXPECT_THAT(reported({100, 101, 102}, {398, 400, 402}, no_workers("2")),
              ElementsAre(kHeader, "  num_workers=2 was measured: 0.25x the samples/s"));
  EXPECT_THAT(reported({400, 402, 404}, {200, 201, 202}, no_workers("2")),
              ElementsAre(kHeader, "  Workers read ahead.",
                          "  num_workers=2 was measured: 2x the samples/s, case 100000"));
  EXPECT_THAT(reported({400, 430, 380}, {200, 215, 190}, no_workers("2")),
              Contains(HasSubstr("was measured: 2x")))
      << "despite their noise";
  EXPECT_THAT(
      reported({400, 402, 404}, {390, 400, 403}, no_workers("2")),
      ElementsAre(kHeader,
                  "  num_workers=2 was measured: no clear difference (1.01x the samples/s)"));
  EXPECT_THAT(reported({400, 600}, {200, 330}, no_workers("2")),
              Contains("  num_workers=2 was measured: 1.89x the samples/s, but 2 launches of each "
                       "are too few to tell"));
  EXPECT_THAT(reported({400, 402, 404}, {390, 400, 403}, no_workers("2", std::nullopt)),
              Contains("  Workers read ahead."))
      << "what costs nothing is still worth saying";
  EXPECT_THAT(reported({400, 402, 404}, {}, no_workers("2")),
              Contains("  num_workers=2 failed: out of memory"));
}

// By chance, ranges of two launches are disjoint in 33 of 100 tries, of three in 10, of four in 3.
TEST(Proposals, EqualLaunches_AreSeldomSeparated) {
  Noise noise(90210);
  const auto drawn = [&](std::size_t launches) {
    std::vector<std::int64_t> steps(launches);
    for (std::int64_t& step : steps) step = std::llround(1e6 * std::exp(0.05 * noise.normal()));
    return steps;
  };
  for (const std::size_t launches : {2, 3, 4, 8}) {
    int apart = 0;
    for (int i = 0; i < 500; ++i) {
      const record::Results results =
          swept_results({{.step_ns = drawn(launches), .findings = {no_workers("2")}},
                         {.workers = 2, .step_ns = drawn(launches)}});
      const std::vector<std::string> lines = lines_of(results);
      apart += std::none_of(lines.begin(), lines.end(), [](const std::string& line) {
        return line.find("no clear difference") != std::string::npos ||
               line.ends_with("too few to tell") || line.ends_with("as many samples/s");
      });
    }
    EXPECT_LE(apart, 10) << launches << ": 1 % is what the interval allows";
  }
}

TEST(Proposals, OtherRunsAndOptions_DoNotCount) {
  record::Results results =
      swept_results({{.step_ns = {400, 402, 404}, .findings = {no_workers("2")}},
                     {.workers = 2, .batch_size = 16, .step_ns = {200, 201, 202}}});
  EXPECT_THAT(lines_of(results), Contains("  try: --sweep loader.num_workers=0,2"));
  results = swept_results({{.step_ns = {100, 101, 102}, .findings = {no_workers("2")}},
                           {.workers = 2, .step_ns = {398, 400, 402}}});
  results.runs[0].context["shard"] = std::string("1of1");
  results.runs.push_back(results.runs[0]);
  results.runs[1].run_id = "20260201-120000-demo";
  for (record::Launch& launch : results.launches) {
    launch.run = launch.row.key.case_id.starts_with('1') ? 1 : 0;
  }
  EXPECT_THAT(lines_of(results), Contains("  try: --sweep loader.num_workers=0,2"));
}

TEST(Proposals, SweptOption_IsProposedAsASweep) {
  Finding finding = no_workers("4");
  finding.set.push_back({.option = "data.decode", .value = "fast"});
  EXPECT_THAT(lines_of(swept_results({{.step_ns = {400}, .findings = {finding}}})),
              Contains("  try: --sweep loader.num_workers=0,4 --set data.decode=fast"));
}

TEST(Proposals, StepInTheirDirection_Counts) {
  const auto slower = reported({100, 101, 102}, {398, 400, 402}, no_workers("4"));
  EXPECT_THAT(slower, Contains("  num_workers=2 was measured: 0.25x the samples/s"));
  EXPECT_THAT(slower, Not(Contains(HasSubstr("try:"))));
  EXPECT_THAT(reported({400, 402, 404}, {200, 201, 202}, no_workers("4")),
              AllOf(Contains("  num_workers=2 was measured: 2x the samples/s, case 100000"),
                    Contains("  try: --sweep loader.num_workers=0,4")));
}

// A row without an option may equal any row in it: the rows of a table are not compared in pairs.
TEST(Proposals, VeryManyAlike_FirstAreCompared) {
  const auto is_answered = [](std::size_t rows_before) {
    record::Results results = swept_results(std::vector<Case>(
        rows_before + 1, Case{.workers = 1, .step_ns = {100}, .findings = {no_workers("2")}}));
    for (std::size_t i = 0; i < results.launches.size(); ++i) {
      record::LaunchRow& row = results.launches[i].row;
      row.key.case_id = std::to_string(i);
      row.options["loader.batch_size"] = static_cast<std::int64_t>(i);
    }
    results.launches.front().row.options.erase("loader.batch_size");
    results.launches.back().row.options["loader.num_workers"] = std::int64_t{2};
    const auto rows = estimate::case_rows(results);
    Finding finding = no_workers("2");
    finding.set.push_back({.option = "loader.engine", .value = "fork"});
    return estimate::Proposals(rows, results).answer(rows.front(), finding).has_value();
  };
  EXPECT_TRUE(is_answered(1'000));
  EXPECT_FALSE(is_answered(12'000));
}

TEST(Proposals, BestCase_HasNoProblems) {
  EXPECT_THAT(lines_of(swept_results({{.step_ns = {100}, .findings = {no_workers("2")}},
                                      {.batch_size = 4, .step_ns = {400}}}))
                  .front(),
              HasSubstr("warning: no workers"));
  EXPECT_THAT(
      lines_of(
          swept_results({{.step_ns = {100}, .findings = {no_workers("4")}},
                         {.batch_size = 4, .step_ns = {100}, .findings = {no_workers("4", 0.9)}}}))
          .front(),
      HasSubstr("no workers (all 2 cases; worst: num_workers=0 batch_size=4)"));
}

TEST(Proposals, SmokeRun_ProposesNothing) {
  record::Results results = swept_results({{.step_ns = {100}, .findings = {no_workers("2")}}});
  results.launches[0].row.smoke = true;
  EXPECT_THAT(lines_of(results), IsEmpty());
  Finding lost = no_workers("2");
  lost.text = "3 samples never came";
  lost.set.clear();
  lost.share.reset();
  results.launches[0].row.report.findings = {lost};
  EXPECT_THAT(lines_of(results), Contains("problem: 3 samples never came"));
}

TEST(Proposals, UnexplainedWait_IsReported) {
  record::Results results = swept_results({{.step_ns = {1000}}});
  results.launches[0].samples[0].steps.columns[2] = {840, 840};
  EXPECT_THAT(
      lines_of(results),
      ElementsAre("problem: the step waits 84.0 % of its time for data",
                  "  Read the next batches while this one is used, or do less per sample."));
  results.launches[0].row.report.findings = {no_workers("2")};
  EXPECT_THAT(lines_of(results), Not(Contains(HasSubstr("waits 84.0 %"))));
  results.launches[0].row.report.findings = std::vector<Finding>();
  results.launches[0].samples[0].steps.columns[2] = {1000, 1000};
  EXPECT_THAT(lines_of(results), IsEmpty()) << "batches are all that is measured";
}

TEST(Proposals, SlowerPrecision_IsReported) {
  record::Results results = swept_results({{.step_ns = {500}}, {.step_ns = {100}}});
  results.runs[0].swept = {"model.precision"};
  results.launches[0].row.options["model.precision"] = std::string("bf16");
  results.launches[1].row.options["model.precision"] = std::string("fp32");
  EXPECT_THAT(lines_of(results),
              ElementsAre("info: bf16 is slower than fp32 here (precision=bf16)",
                          "  precision=fp32 was measured: 5x the samples/s, case 100000"));
  results.launches[0].samples[0].steps.columns[1] = {50, 50};
  EXPECT_THAT(lines_of(results), IsEmpty());
}

// For any measurements and findings.
TEST(Proposals, AnyRun_IsNotContradicted) {
  std::mt19937 random(7);
  const auto below = [&](std::int64_t end) {
    return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random);
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<Case> cases;
    for (std::int64_t workers = 0; workers < 5; ++workers) {
      for (const std::int64_t batch_size : {8, 16}) {
        if (below(3) == 0) continue;
        Case each{.workers = workers, .batch_size = batch_size};
        const std::int64_t step_ns = 100 + below(400);
        for (std::int64_t launch = below(4); launch >= 0; --launch) {
          each.step_ns.push_back(step_ns + below(20));
        }
        if (below(8) == 0) each.step_ns.clear();
        if (below(2) == 0) each.findings = {no_workers(std::to_string(below(6)))};
        cases.push_back(std::move(each));
      }
    }
    const record::Results results = swept_results(cases);
    const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
    const estimate::Proposals proposals(rows, results);
    for (const estimate::CaseRow& row : rows) {
      for (const CaseFinding& each : findings_of(row, proposals)) {
        for (const estimate::CaseRow& other : rows) {
          const auto equal = [&](const char* option, const std::string& value) {
            return to_text(other.options().at(option)) == value;
          };
          if (&other == &row ||
              other.options().at("loader.batch_size") != row.options().at("loader.batch_size")) {
            continue;
          }
          for (const Finding::Set& set : each.finding.set) {
            EXPECT_FALSE(equal("loader.num_workers", set.value)) << each.arguments;
          }
        }
        if (!each.answer || each.answer->kind == estimate::Difference::kNoNumbers) continue;
        const double rate = *each.answer->row->samples_per_s / *row.samples_per_s;
        EXPECT_DOUBLE_EQ(each.answer->ratio, rate);
        if (rate < 1) {
          EXPECT_NE(each.answer->kind, estimate::Difference::kBetter);
        }
        if (each.answer->kind == estimate::Difference::kWorse) {
          EXPECT_THAT(each.arguments, IsEmpty());
          EXPECT_THAT(each.finding.remedy, IsEmpty());
          EXPECT_EQ(each.finding.severity, Severity::kInfo);
        }
      }
    }
  }
}

}  // namespace
}  // namespace stepbench::report
