// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/proposals.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "harness/report/findings.h"
#include "harness/report/table.h"
#include "tests/unit/record/sample_rows.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::report {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Case {
  std::int64_t workers = 0;
  std::int64_t batch_size = 8;
  std::vector<std::int64_t> step_ns = {};  // one per launch; none: it failed
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

TEST(Proposals, AChangeThatTheRunMeasuredAsSlowerIsNotProposed) {
  const record::Results results =
      swept_results({{.step_ns = {100, 101, 102}, .findings = {no_workers("2")}},
                     {.workers = 2, .step_ns = {398, 400, 402}}});
  EXPECT_THAT(lines_of(results), ElementsAre("info: no workers (num_workers=0 batch_size=8)",
                                             "  num_workers=2 was measured: 0.25x the samples/s"));
}

TEST(Proposals, AChangeThatTheRunMeasuredAsFasterNamesTheCase) {
  const record::Results results =
      swept_results({{.step_ns = {400, 402, 404}, .findings = {no_workers("2")}},
                     {.workers = 2, .step_ns = {200, 201, 202}}});
  EXPECT_THAT(lines_of(results),
              ElementsAre("info: no workers (num_workers=0 batch_size=8)", "  Workers read ahead.",
                          "  num_workers=2 was measured: 2x the samples/s, case 100000"));
}

TEST(Proposals, AChangeWithinTheNoiseMadeNoDifference) {
  const record::Results results =
      swept_results({{.step_ns = {400, 402, 404}, .findings = {no_workers("2")}},
                     {.workers = 2, .step_ns = {390, 400, 403}}});
  EXPECT_THAT(
      lines_of(results),
      ElementsAre("info: no workers (num_workers=0 batch_size=8)",
                  "  num_workers=2 was measured: no clear difference (1.01x the samples/s)"));
}

TEST(Proposals, TwoLaunchesThatTellNothingAreNotSaidToTellNoDifference) {
  const record::Results results =
      swept_results({{.step_ns = {400, 600}, .findings = {no_workers("2")}},
                     {.workers = 2, .step_ns = {200, 330}}});
  EXPECT_THAT(lines_of(results),
              Contains("  num_workers=2 was measured: 1.89x the samples/s, but 2 launches of each "
                       "are too few to tell"));
}

TEST(Proposals, WhatCostsNothingIsStillWorthSayingWhereItMadeNoDifference) {
  const record::Results results =
      swept_results({{.step_ns = {400, 402, 404}, .findings = {no_workers("2", std::nullopt)}},
                     {.workers = 2, .step_ns = {390, 400, 403}}});
  EXPECT_THAT(lines_of(results), Contains("  Workers read ahead."));
}

// Ranges of two launches lie apart by chance in 33 of 100 tries, of three in 10, of four in 3.
TEST(Proposals, LaunchesOfOneSpeedAreSeldomToldApart) {
  testing_noise::Noise noise(90210);
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

TEST(Proposals, ThreeLaunchesTellWhatIsTwiceAsFastDespiteTheirNoise) {
  const record::Results results =
      swept_results({{.step_ns = {400, 430, 380}, .findings = {no_workers("2")}},
                     {.workers = 2, .step_ns = {200, 215, 190}}});
  EXPECT_THAT(lines_of(results), Contains(HasSubstr("was measured: 2x")));
}

TEST(Proposals, AChangeThatFailedSaysWhy) {
  const record::Results results = swept_results(
      {{.step_ns = {400, 402, 404}, .findings = {no_workers("2")}}, {.workers = 2, .step_ns = {}}});
  EXPECT_THAT(lines_of(results), Contains("  num_workers=2 failed: out of memory"));
}

TEST(Proposals, OnlyRowsThatAreEqualInAllElseAnswer) {
  const record::Results results =
      swept_results({{.step_ns = {400, 402, 404}, .findings = {no_workers("2")}},
                     {.workers = 2, .batch_size = 16, .step_ns = {200, 201, 202}}});
  EXPECT_THAT(lines_of(results), Contains("  try: --sweep loader.num_workers=0,2"));
}

TEST(Proposals, RowsOfAnotherRunDoNotAnswer) {
  record::Results results =
      swept_results({{.step_ns = {100, 101, 102}, .findings = {no_workers("2")}},
                     {.workers = 2, .step_ns = {398, 400, 402}}});
  results.runs[0].context["shard"] = std::string("1of1");
  results.runs.push_back(results.runs[0]);
  results.runs[1].run_id = "20260201-120000-demo";
  for (record::Launch& launch : results.launches) {
    launch.run = launch.row.key.case_id.starts_with('1') ? 1 : 0;
  }
  EXPECT_THAT(lines_of(results), Contains("  try: --sweep loader.num_workers=0,2"));
}

TEST(Proposals, ASweptOptionIsProposedAsASweepAndAnyOtherAsASetting) {
  Finding finding = no_workers("4");
  finding.set.push_back({.option = "data.decode", .value = "fast"});
  const record::Results results = swept_results({{.step_ns = {400}, .findings = {finding}}});
  EXPECT_THAT(lines_of(results),
              Contains("  try: --sweep loader.num_workers=0,4 --set data.decode=fast"));
}

TEST(Proposals, AStepInTheProposedDirectionThatWasSlowerAnswersToo) {
  const record::Results slower =
      swept_results({{.step_ns = {100, 101, 102}, .findings = {no_workers("4")}},
                     {.workers = 2, .step_ns = {398, 400, 402}}});
  EXPECT_THAT(lines_of(slower), Contains("  num_workers=2 was measured: 0.25x the samples/s"));
  EXPECT_THAT(lines_of(slower), Not(Contains(HasSubstr("try:"))));
  const record::Results faster =
      swept_results({{.step_ns = {400, 402, 404}, .findings = {no_workers("4")}},
                     {.workers = 2, .step_ns = {200, 201, 202}}});
  EXPECT_THAT(lines_of(faster),
              AllOf(Contains("  num_workers=2 was measured: 2x the samples/s, case 100000"),
                    Contains("  try: --sweep loader.num_workers=0,4")));
}

TEST(Proposals, OfTheBestCaseAreNoProblems) {
  const record::Results results = swept_results(
      {{.step_ns = {100}, .findings = {no_workers("2")}}, {.batch_size = 4, .step_ns = {400}}});
  EXPECT_THAT(lines_of(results).front(), HasSubstr("warning: no workers"));
}

TEST(Proposals, OfASmokeRunProposeNothing) {
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

TEST(Proposals, OfAllCasesSayHowMany) {
  const record::Results results =
      swept_results({{.step_ns = {100}, .findings = {no_workers("4")}},
                     {.batch_size = 4, .step_ns = {100}, .findings = {no_workers("4", 0.9)}}});
  EXPECT_THAT(lines_of(results).front(),
              HasSubstr("no workers (all 2 cases; worst: num_workers=0 batch_size=4)"));
}

TEST(Proposals, AWorkerThatExplainsNothingIsToldOfItsWaitForData) {
  record::Results results = swept_results({{.step_ns = {1000}}});
  results.launches[0].samples[0].steps.columns[2] = {840, 840};
  EXPECT_THAT(
      lines_of(results),
      ElementsAre("problem: the step waits 84.0 % of its time for data",
                  "  Read the next batches while this one is used, or do less per sample."));
  results.launches[0].row.report.findings = {no_workers("2")};
  EXPECT_THAT(lines_of(results), Not(Contains(HasSubstr("waits 84.0 %"))));
}

TEST(Proposals, BatchesThatAreAllThatIsMeasuredAreNoWait) {
  record::Results results = swept_results({{.step_ns = {1000}}});
  results.launches[0].samples[0].steps.columns[2] = {1000, 1000};
  EXPECT_THAT(lines_of(results), IsEmpty());
}

TEST(Proposals, APrecisionThatIsSlowerThanFp32IsSaidToBe) {
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

TEST(Proposals, InJsonSayWhatWasMeasured) {
  const record::Results results =
      swept_results({{.step_ns = {100, 101, 102}, .findings = {no_workers("2")}},
                     {.workers = 2, .step_ns = {398, 400, 402}}});
  EXPECT_THAT(render(results, Format::kJson, {}),
              AllOf(HasSubstr(R"("measured":{"case_id":"1000000000000000","result":"worse")"),
                    Not(HasSubstr(R"("set":)"))));
}

// Whatever was measured and found.
TEST(Proposals, NeverContradictTheRowsOfTheirRun) {
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
