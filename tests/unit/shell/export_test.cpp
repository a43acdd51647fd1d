// SPDX-License-Identifier: Apache-2.0
// `stepbench export`, --junit, --openmetrics and --format github as a shell sees them.
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
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using testing::stepbench;

const std::string kExportedRun = STEPBENCH_SOURCE_DIR "/results/sample";

std::string text_in(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(Export, AFormatFollowsFromTheEndingAndAFileIsReplacedAsAWhole) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "report.xml") << "old";
  const os::CommandResult done =
      stepbench({"export", kExportedRun, "--output", (folder / "report.xml").string()});
  EXPECT_EQ(done.exit_status, 0) << done.err;
  EXPECT_THAT(text_in(folder / "report.xml"), StartsWith("<?xml"));
  const auto files = std::filesystem::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "nothing is left beside it";
  EXPECT_THAT(stepbench({"export", kExportedRun}).err, HasSubstr("--format: is missing"));
  EXPECT_THAT(stepbench({"export", kExportedRun, "--output", (folder / "x.y").string()}).err,
              HasSubstr("give --format"));
}

TEST(Export, AVerdictIsToldByItsContentAndEqualsWhatCompareWrote) {
  const test::TemporaryFolder folder;
  const std::string verdict = (folder / "odd name").string();
  const std::string report = (folder / "report.xml").string();
  const os::CommandResult compared =
      stepbench({"compare", kExportedRun, kExportedRun, "--verdict", verdict, "--junit", report,
                 "--openmetrics", (folder / "v.prom").string(), "--format", "github"});
  EXPECT_EQ(compared.exit_status, 3) << compared.err;
  EXPECT_THAT(compared.out, AllOf(StartsWith("::warning title=inconclusive"),
                                  HasSubstr("\n::notice title=stepbench ")));
  EXPECT_EQ(stepbench({"export", verdict, "--format", "junit"}).out, text_in(report));
  EXPECT_EQ(stepbench({"export", verdict, "--format", "json"}).out, text_in(verdict));
  EXPECT_THAT(text_in(folder / "v.prom"), HasSubstr("stepbench_exit_code{"));
  EXPECT_THAT(stepbench({"export", verdict, "--format", "gbench"}).err,
              HasSubstr("gbench has no place for a verdict, which comes as junit"));
  EXPECT_THAT(stepbench({"export", kExportedRun, verdict, "--format", "csv"}).err,
              HasSubstr("export it by itself"));
}

TEST(Export, WhatCannotBeComparedLeavesNoOldReport) {
  const test::TemporaryFolder folder;
  const std::string report = (folder / "report.xml").string();
  std::ofstream(report) << "old";
  EXPECT_EQ(stepbench({"compare", kExportedRun, "/no/such/run", "--junit", report}).exit_status, 2);
  EXPECT_THAT(text_in(report), AllOf(HasSubstr("errors=\"1\""), HasSubstr("/no/such/run")));
}

TEST(Export, ARunThatFailsIsTheReportsFailure) {
  const test::TemporaryFolder folder;
  const std::string report = (folder / "report.xml").string();
  const std::string file = (folder / "x.yaml").string();
  std::ofstream(file) << "name: x\nworkload: scripted\nnonsense: {}\n";
  const os::CommandResult done = stepbench(
      {"run", file, "--worker", testing::stub_worker(), "--junit", report, "--format", "github"});
  EXPECT_EQ(done.exit_status, 2);
  EXPECT_THAT(text_in(report), AllOf(HasSubstr("<error "), HasSubstr("nonsense")));
}

TEST(Export, AnInputIsNeverOverwrittenAndAFullDiskIsSaid) {
  const test::TemporaryFolder folder;
  const std::string copy = (folder / "run.jsonl").string();
  std::filesystem::copy_file(kExportedRun + "/vm-1of1-16067.jsonl", copy);
  const auto size = std::filesystem::file_size(copy);
  EXPECT_THAT(stepbench({"export", copy, "--format", "csv", "--output", copy}).err,
              HasSubstr("--output: "));
  EXPECT_EQ(std::filesystem::file_size(copy), size);
  const std::string unwritten = (folder / "run.csv").string();
  const os::CommandResult full = os::run_command(
      {"sh", "-c",
       "trap '' XFSZ; ulimit -f 0; exec \"$0\" export \"$1\" --format csv --output \"$2\"",
       testing::stepbench_program(), copy, unwritten},
      "", std::chrono::minutes(10));
  EXPECT_EQ(full.exit_status, 2);
  EXPECT_THAT(full.err, HasSubstr("cannot be written: File too large"));
  EXPECT_FALSE(std::filesystem::exists(unwritten));
  const std::string same = (folder / "same").string();
  EXPECT_THAT(stepbench({"compare", copy, copy, "--junit", same, "--openmetrics", same}).err,
              HasSubstr("is the file of --junit, too"));
}

TEST(Export, TooManySeriesAreRefusedByTheirNumber) {
  const os::CommandResult done =
      stepbench({"export", kExportedRun, "--format", "openmetrics", "--max-series", "5"});
  EXPECT_EQ(done.exit_status, 2);
  EXPECT_THAT(done.out, IsEmpty());
  EXPECT_THAT(done.err, HasSubstr("at most 5 were asked for"));
}

}  // namespace
}  // namespace stepbench
