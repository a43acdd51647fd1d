// SPDX-License-Identifier: Apache-2.0
// Selection, ranking and fitting of result tables; tests/corpus has their texts.
#include "harness/report/result_tables.h"

#include "harness/base/error.h"
#include "harness/report/exports.h"
#include "harness/text/printable.h"
#include "tests/testing.h"

namespace stepbench::report {
namespace {

const fs::path kData = fs::path(STEPBENCH_SOURCE_DIR) / "tests/unit/report/data";

record::Results sweep() { return record::read_results(kData / "sweep.jsonl"); }

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("repeat: ") == std::string::npos) widest = std::max(widest, text::width(line));
  }
  return widest;
}

TEST(Table, TerminalWidth_IsKept) {
  for (const int columns : {60, 80, 100, 120, 200}) {
    EXPECT_LE(widest_line(render_table(sweep(), {.columns = columns})),
              static_cast<std::size_t>(columns));
  }
}

TEST(Table, FewLaunches_HaveARange) {
  const std::string table =
      render_table(record::read_results(kData / "few_launches.jsonl"), {.columns = 140});
  EXPECT_THAT(table, AllOf(HasSubstr("range (n=3)"), Not(HasSubstr("95 % interval"))));
}

TEST(Table, InterruptedSweep_NamesSweptOptions) {
  const std::string workers = "loader.num_workers";
  record::Results results = sweep();
  results.launches.resize(1);
  results.launches[0].row.options[workers] = std::int64_t{3};
  results.runs[0].swept = {workers};
  results.unfinished = {
      {.key = {.case_id = "feed"}, .options = {{workers, std::int64_t{8}}}},
      {.key = {.case_id = "of older files"}},
  };
  const std::string table = render_table(results, {.columns = 140});
  EXPECT_THAT(table, AllOf(HasSubstr("num_workers"), HasSubstr("          3"),
                           HasSubstr("feed              8  unfinished"),
                           HasSubstr("(num_workers=8; case of older files)")));
}

TEST(Table, Colours_AreOptional) {
  EXPECT_THAT(render_table(sweep(), {.columns = 140}), Not(HasSubstr("\x1b")));
  std::string coloured = render_table(sweep(), {.colour = true, .columns = 140});
  EXPECT_THAT(coloured, AllOf(HasSubstr("\x1b[31m"), HasSubstr("\x1b[32m")));
}

// The cases of the rows in the colour of the best.
std::vector<std::string> best_cases(const record::Results& results) {
  std::vector<std::string> cases;
  std::istringstream lines(render_table(results, {.colour = true, .columns = 140}));
  for (std::string line; std::getline(lines, line);) {
    const bool is_answer =
        line.starts_with("\x1b[32mbest: ") || line.starts_with("\x1b[32mtie of ");
    if (line.starts_with("\x1b[32m") && !is_answer) cases.push_back(line.substr(5, 6));
  }
  return cases;
}

TEST(Table, BestCases_IncludeTies) {
  EXPECT_THAT(best_cases(sweep()), ElementsAre("35dcaa", "13995f", "3d1fb2"));
  record::Results slower = sweep();
  for (record::Launch& launch : slower.launches) {
    if (!launch.row.key.case_id.starts_with("35dcaa")) continue;
    for (record::CycleSamples& part : launch.samples) {
      for (std::int64_t& step : part.steps.columns[1]) step += step / 10;
    }
  }
  EXPECT_THAT(best_cases(slower), ElementsAre("13995f", "3d1fb2"));
  EXPECT_THAT(best_cases(record::read_results(kData / "few_launches.jsonl")), IsEmpty())
      << "a range of few launches tells no winner";
}

// A recorded run of configs/dataloader_sweep.yaml on 512 JPEG files, two busy cores.
TEST(Table, RecordedSweep_RanksByRawSamples) {
  const record::Results results = record::read_results(kData / "dataloader_sweep.jsonl");
  std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  ASSERT_EQ(rows.size(), 3U);
  for (const estimate::CaseRow& row : rows) {
    std::vector<double> steps;
    for (const record::Launch& launch : results.launches) {
      if (launch.row.key.case_id != row.case_id) continue;
      const record::CycleSamples& part = launch.samples.at(0);
      const auto& times = part.steps.columns.at(1);
      steps.push_back(
          static_cast<double>(std::accumulate(times.begin(), times.end(), std::int64_t{0})) /
          static_cast<double>(times.size()));
      EXPECT_THAT(part.steps.columns.at(4), Each(32)) << "joined epochs have full batches only";
    }
    ASSERT_EQ(steps.size(), 6U);
    std::sort(steps.begin(), steps.end());
    EXPECT_DOUBLE_EQ(row.step_ns.value(), (steps[2] + steps[3]) / 2);
    EXPECT_NEAR(row.samples_per_s.value(), 32e9 / *row.step_ns, 1e-9);
    if (to_text(row.options().at("loader.num_workers")) == "1") continue;
    EXPECT_LT(row.p50_ns.value(), 0.9 * *row.step_ns) << "most steps found their batch ready";
  }
  EXPECT_THAT(best_cases(results), ElementsAre("0992dd", "15ceab"))
      << "2 and 4 workers are not told apart; 1 worker is slower";
}

TEST(Table, Sort_PutsEmptyRowsLast) {
  const std::string csv = render(
      sweep(), Format::kCsv, {.sort = "-samples_per_s", .select = {"num_workers", "pin_memory"}});
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "loader.num_workers,loader.pin_memory");
  EXPECT_EQ(csv.rfind("8,false\n"), csv.size() - 8) << csv;
}

TEST(Table, UnknownName_SuggestsTheNearest) {
  EXPECT_THAT(test::error_of<ConfigError>(
                  [] { (void)render(sweep(), Format::kCsv, {.sort = "num_worker"}); }),
              AllOf(StartsWith("--sort: "), HasSubstr("did you mean 'loader.num_workers'")));
  EXPECT_THROW((void)render(sweep(), Format::kCsv, {.select = {"nothing_like_it"}}), ConfigError);
}

TEST(Table, NoLaunches_AreStated) {
  EXPECT_EQ(render_table(record::Results{}, {}), "No launches in these results.\n");
}

TEST(Samples, SelectedColumns_AreShown) {
  const record::Results results = record::read_results(kData / "smoke.jsonl");
  const auto rows = estimate::case_rows(results);
  EXPECT_THAT(samples_json(sample_table(rows, {"step_ns"})),
              HasSubstr("\"columns\":{\"case\":[0,0,1,1,"));
  EXPECT_THROW((void)sample_table(rows, {"stepns"}), ConfigError);
}

}  // namespace
}  // namespace stepbench::report
