// SPDX-License-Identifier: Apache-2.0
// Results that would take more than a gigabyte, or tables that are mostly empty, are refused with
// what to do instead.
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/shell/program.h"

namespace stepbench {
namespace {

using testing::stepbench;

// A run with a failed launch of each of so many cases.
std::string results_of(int cases) {
  std::string text = R"({"kind":"run","schema":"stepbench.result","version":"1.9.0","run_id":"r"})"
                     "\n";
  for (int i = 0; i < cases; ++i) {
    text += R"({"kind":"launch","case_id":")" + std::to_string(i) +
            R"(","pass":"timing","launch":0,"outcome":"failed"})"
            "\n";
  }
  return text;
}

TEST(SizeLimits, CompareOfManyLaunches_IsRefused) {
  const test::TemporaryFolder folder;
  folder.write("run.jsonl", results_of(50'001));
  const std::string file = (folder / "run.jsonl").string();
  const auto result = stepbench({"compare", file, file});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("takes at most 100,000 launches at once, and these results "
                                    "have 100,002; compare runs of fewer cases"));
}

TEST(SizeLimits, PageOfManyCases_IsRefused) {
  const test::TemporaryFolder folder;
  folder.write("run.jsonl", results_of(25'001));
  const std::string file = (folder / "run.jsonl").string();
  const auto result = stepbench({"report", file, "--output", (folder / "page.html").string()});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err,
              HasSubstr("run.jsonl: has 25,001 cases; a page holds 25,000. `stepbench export"));
}

TEST(SizeLimits, PageOfManyLaunches_IsRefused) {
  const test::TemporaryFolder folder;
  folder.write("run.jsonl", results_of(50'001));
  const std::string file = (folder / "run.jsonl").string();
  const auto result = stepbench({"report", file, "--output", (folder / "page.html").string()});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("run.jsonl: has 50,001 launches; a page holds 50,000."));
}

// A run with a measured launch of each case, which has a metric and a sample column of its own.
std::string results_of_own_names(int cases) {
  std::string text = results_of(0);
  for (int i = 0; i < cases; ++i) {
    const std::string number = std::to_string(i);
    const std::string key =
        R"("case_id":")" + number + R"(","arm":"","pass":"timing","launch":0,"rank":0)";
    text += R"({"kind":"samples",)" + key + R"(,"cycle":0,"steps":1,)" +
            R"("columns":["index","step_ns","own)" + number + R"("],"values":[[1],[9],[1]]})" +
            "\n" + R"({"kind":"launch",)" + key + R"(,"outcome":"measured","metrics":{"own)" +
            number + "\":1}}\n";
  }
  return text;
}

TEST(SizeLimits, TableOfOwnNames_IsRefused) {
  const test::TemporaryFolder folder;
  folder.write("run.jsonl", results_of_own_names(10'001));
  const std::string file = (folder / "run.jsonl").string();
  const auto cases = stepbench({"show", file, "--format", "csv"});
  EXPECT_EQ(cases.exit_status, 2);
  EXPECT_THAT(cases.err, HasSubstr("columns for 10,001 cases are more than 100,000,000 cells; "
                                   "--columns chooses some"));
  const auto samples = stepbench({"show", file, "--samples", "--format", "csv"});
  EXPECT_EQ(samples.exit_status, 2);
  EXPECT_THAT(samples.err, HasSubstr("10,007 columns, most of them only in a few; --columns"));
}

TEST(SizeLimits, PivotOfManyCells_IsRefused) {
  const test::TemporaryFolder folder;
  std::string text = results_of(0);
  for (int i = 0; i < 1'001; ++i) {
    const std::string number = std::to_string(i);
    text += R"({"kind":"launch","case_id":")" + number +
            R"(","pass":"timing","launch":0,"outcome":"failed","options":{"a":)" + number +
            R"(,"b":)" + number + "}}\n";
  }
  folder.write("run.jsonl", text);
  const auto result = stepbench({"show", (folder / "run.jsonl").string(), "--pivot", "a,b"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err,
              HasSubstr("--pivot: 1,001 rows and 1,001 columns are more than 1,000,000 cells; "));
}

}  // namespace
}  // namespace stepbench
