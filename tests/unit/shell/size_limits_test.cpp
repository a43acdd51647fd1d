// SPDX-License-Identifier: Apache-2.0
// Results that would take more than a gigabyte are refused with what to do instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/temporary_folder.h"
#include "tests/unit/shell/program.h"

namespace stepbench {
namespace {

using ::testing::HasSubstr;
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
  folder.write("run.jsonl", results_of(60'001));
  const std::string file = (folder / "run.jsonl").string();
  const auto result = stepbench({"compare", file, file});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("takes at most 120,000 launches at once, and these results "
                                    "have 120,002; compare runs of fewer cases"));
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

}  // namespace
}  // namespace stepbench
