// SPDX-License-Identifier: Apache-2.0
#include "harness/report/findings.h"

#include <gmock/gmock.h>

#include "harness/record/writer.h"
#include "harness/report/table.h"
#include "tests/unit/record/sample_rows.h"

namespace stepbench::report {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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

// One case per list; of each, one list of findings per launch.
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

TEST(Findings, AreOfACaseWhenHalfOfItsLaunchesHaveThem) {
  const record::Results results = results_of(
      {{{finding("often", 1)}, {finding("often", 2)}, {}, {}}, {{finding("once", 1)}, {}, {}}});
  const auto rows = estimate::case_rows(results);
  const estimate::Proposals proposals(rows, results);
  EXPECT_EQ(findings_of(rows[0], proposals).size(), 1U);
  EXPECT_THAT(findings_of(rows[1], proposals), IsEmpty());
}

TEST(Findings, ThatABusyMachineMayExplainAreMarkedSo) {
  record::Results results =
      results_of({{{finding("loader.uneven", 1), finding("loader.core_bound", 1),
                    finding("loader.page_faults", 1, Severity::kWarning, 0)}}});
  results.launches[0].row.machine = {{"window_ns", std::int64_t{1000}},
                                     {"window_run_queue_wait_ns", std::int64_t{620}},
                                     {"others_cpu_share", 0.81}};
  results.launches[0].row.report.findings.all()[2].share.reset();
  const auto marked = [&] {
    const auto rows = estimate::case_rows(results);
    std::vector<std::string> ids;
    for (const CaseFinding& each : findings_of(rows[0], estimate::Proposals(rows, results))) {
      if (each.finding.text.ends_with("which may be why")) ids.push_back(each.finding.id);
    }
    return ids;
  };
  EXPECT_THAT(marked(), IsEmpty()) << "the launch did not say that it waited";
  results.launches[0].row.report.flags = {"waited_for_cpu"};
  EXPECT_THAT(marked(), ElementsAre("loader.uneven"));
  results.launches[0].row.machine["others_cpu_share"] = 0.0;
  EXPECT_THAT(marked(), IsEmpty()) << "nothing else ran";
}

TEST(Findings, OfASlowLineAreSaidOnlyWhereTheStepWaits) {
  const record::Results results = results_of({{{finding("loader.slow_line", 1)}}});
  auto rows = estimate::case_rows(results);
  const estimate::Proposals proposals(rows, results);
  rows[0].data_wait_share = 0.04;
  EXPECT_THAT(findings_of(rows[0], proposals), IsEmpty());
  rows[0].data_wait_share = 0.06;
  EXPECT_EQ(findings_of(rows[0], proposals).size(), 1U);
}

TEST(Findings, AreToldInTheWordsOfTheMedianLaunch) {
  const record::Results results =
      results_of({{{finding("a", 90)}, {finding("a", 10)}, {finding("a", 40)}}});
  const auto rows = estimate::case_rows(results);
  const auto found = findings_of(rows[0], estimate::Proposals(rows, results));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].finding.text, "a saw 40");
  EXPECT_EQ(found[0].launches, 3U);
}

TEST(Findings, OfACaseThatWaitsNameTheNumberOfItsColumn) {
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
  EXPECT_THAT(text_of(), HasSubstr("waits 90.0 % of its time for data, borders of epochs apart"));
}

TEST(Findings, TheGravestStandsFirstThenTheOneWithMostToWin) {
  const record::Results results = results_of(
      {{{finding("small", 1, Severity::kWarning, 0.1), finding("large", 2, Severity::kWarning, 0.6),
         finding("note", 3, Severity::kInfo, 0.9), finding("grave", 4, Severity::kProblem, 0.0)}}});
  EXPECT_THAT(document::lines_of(finding_paragraphs(estimate::case_rows(results), results)),
              ElementsAre("problem: grave saw 4", "warning: large saw 2", "warning: small saw 1",
                          "info: note saw 3"));
}

TEST(Findings, OfSeveralCasesStandOnceInTheWordsOfTheWorst) {
  const record::Results results = results_of({{{finding("a", 10, Severity::kWarning, 0.1)}},
                                              {{finding("a", 70, Severity::kWarning, 0.7)}},
                                              {{}}});
  EXPECT_THAT(document::lines_of(finding_paragraphs(estimate::case_rows(results), results)),
              ElementsAre("warning: a saw 70 (num_workers=1; num_workers=0)"));
}

TEST(Findings, TheRemedyIsWrittenAsItIsTyped) {
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

TEST(Findings, AreInEveryFormatForPeopleAndInJson) {
  const record::Results results = results_of({{{finding("a", 10)}, {}}});
  EXPECT_THAT(render(results, Format::kMarkdown, {}), HasSubstr("- warning: a saw 10\n"));
  EXPECT_THAT(render(results, Format::kJson, {}),
              AllOf(HasSubstr(R"("findings":[{"id":"a","severity":"warning")"),
                    HasSubstr(R"("launches":1}])")));
  const record::Results none = results_of({{{}}});
  EXPECT_THAT(render_table(none, {}), Not(HasSubstr("warning")));
}

}  // namespace
}  // namespace stepbench::report
