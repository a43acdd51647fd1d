// SPDX-License-Identifier: Apache-2.0
// `stepbench report` and --report as a shell sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/temporary_folder.h"
#include "tests/unit/shell/program.h"

namespace stepbench {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::stepbench;

const std::string kReportedRun = STEPBENCH_SOURCE_DIR "/results/sample";

std::string html_in(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(Report, LiesInTheFolderOfItsRunAndIsReplacedByTheNextOne) {
  const test::TemporaryFolder folder;
  const std::filesystem::path run = folder / "20260101-000000-sample";
  std::filesystem::copy(kReportedRun, run);
  for (int i = 0; i < 2; ++i) {
    const os::CommandResult done = stepbench({"report", run.string(), "--plotly", "none"});
    EXPECT_EQ(done.exit_status, 0) << done.err;
    EXPECT_THAT(done.out, AllOf(StartsWith("3 cases, 9 launches, 180 steps"),
                                EndsWith((run / "report.html").string() + '\n')));
  }
  EXPECT_THAT(html_in(run / "report.html"), HasSubstr("<h1>quickstart</h1>"));
  EXPECT_EQ(stepbench({"show", run.string()}).exit_status, 0) << "it is none of the results";
}

TEST(Report, WritesOverNothingButAReport) {
  const test::TemporaryFolder folder;
  const std::string mine = (folder / "mine.html").string();
  std::ofstream(mine) << "<p>mine</p>";
  const auto report = [&](const std::string& output) {
    return stepbench({"report", kReportedRun, "--plotly", "none", "--output", output});
  };
  EXPECT_EQ(report(mine).exit_status, 2);
  EXPECT_THAT(report(mine).err, HasSubstr("is no report of stepbench"));
  EXPECT_EQ(html_in(mine), "<p>mine</p>");
  const auto input = std::filesystem::directory_iterator(kReportedRun)->path().string();
  EXPECT_THAT(report(input).err, HasSubstr("among the results of a run"));
  EXPECT_THAT(report((folder / "no" / "x.html").string()).err, HasSubstr("there is no folder"));
}

TEST(Report, TellsWhatASourceIsByItsContent) {
  const test::TemporaryFolder folder;
  const std::string verdict = (folder / "odd name").string();
  const std::string page = (folder / "page.html").string();
  const os::CommandResult compared =
      stepbench({"compare", kReportedRun, kReportedRun, "--verdict", verdict});
  EXPECT_EQ(compared.exit_status, 3) << compared.err;
  const auto report = [&](std::vector<std::string> sources) {
    sources.insert(sources.begin(), "report");
    sources.insert(sources.end(), {"--plotly", "none", "--output", page});
    return stepbench(sources);
  };
  EXPECT_EQ(report({verdict}).exit_status, 0);
  EXPECT_THAT(html_in(page), AllOf(HasSubstr("verdict: inconclusive"), HasSubstr("num_workers=2")));
  EXPECT_THAT(report({kReportedRun, verdict}).err, HasSubstr("write a report for each"));
  EXPECT_THAT(report({(folder / "nothing").string()}).err, HasSubstr("no such file"));
  std::ofstream(folder / "text.txt") << "hello\n";
  EXPECT_EQ(report({(folder / "text.txt").string()}).exit_status, 2);
  const os::CommandResult experiment = report({STEPBENCH_SOURCE_DIR "/configs/quickstart.yaml"});
  EXPECT_EQ(experiment.exit_status, 2);
  EXPECT_THAT(experiment.err, HasSubstr("is an experiment"));
}

TEST(Report, OfFailuresAloneIsWrittenAndSaysSo) {
  const test::TemporaryFolder folder;
  const auto sample = std::filesystem::directory_iterator(kReportedRun)->path();
  std::string text = html_in(sample);
  const std::string measured = R"("outcome":"measured")";
  const std::string failed = R"("outcome":"failed")";
  ASSERT_NE(text.find(measured), std::string::npos);
  for (std::size_t at = 0; (at = text.find(measured, at)) != std::string::npos;) {
    text.replace(at, measured.size(), failed);
  }
  std::ofstream(folder / "failed.jsonl") << text;
  const std::string page = (folder / "page.html").string();
  const os::CommandResult done = stepbench(
      {"report", (folder / "failed.jsonl").string(), "--plotly", "none", "--output", page});
  EXPECT_EQ(done.exit_status, 4) << done.err;
  EXPECT_THAT(html_in(page), HasSubstr("<strong>nothing was measured"));
}

TEST(Report, IsWrittenBesideAVerdictAndOfAFailure) {
  const std::filesystem::path program = testing::stepbench_program();
  if (!std::filesystem::exists(program.parent_path() / "plotly.min.js")) {
    GTEST_SKIP() << "plotly is not installed: tools/setup downloads it";
  }
  const test::TemporaryFolder folder;
  const std::string page = (folder / "page.html").string();
  const os::CommandResult done =
      stepbench({"compare", kReportedRun, kReportedRun, "--report", page, "--format", "json"});
  EXPECT_EQ(done.exit_status, 3) << done.err;
  EXPECT_THAT(done.out, StartsWith("{"));
  EXPECT_THAT(done.err, HasSubstr(page));
  EXPECT_THAT(html_in(page), HasSubstr("verdict: inconclusive"));
  const os::CommandResult broken =
      stepbench({"compare", kReportedRun, (folder / "nothing").string(), "--report", page});
  EXPECT_EQ(broken.exit_status, 2);
  EXPECT_THAT(html_in(page), HasSubstr("<h1>stepbench compare failed</h1>"));
}

TEST(Report, WithoutItsScriptSaysWhereItLooked) {
  const os::CommandResult asked =
      stepbench({"report", kReportedRun, "--plotly", "/nowhere/plotly.js"});
  EXPECT_EQ(asked.exit_status, 2);
  EXPECT_THAT(asked.err,
              AllOf(HasSubstr("/nowhere/plotly.js is not there"), HasSubstr("--plotly none")));
}

}  // namespace
}  // namespace stepbench
