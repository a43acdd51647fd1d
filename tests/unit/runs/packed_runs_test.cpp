// SPDX-License-Identifier: Apache-2.0
// Runs whose files are packed with gzip.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/record/input.h"
#include "harness/runs/run_summary.h"
#include "tests/unit/runs/made_runs.h"
#include "tests/unit/shell/program.h"

namespace stepbench::runs {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::stepbench;
using testing_runs::make_run;

class PackedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    run_ = make_run(results_, {});
    shown_ = shown();
    results_.write("20260131-120000-demo/box-1of1-7.jsonl.gz",
                   record::gzip_text(record::Input::read(file()).text()));
  }

  [[nodiscard]] fs::path file() const { return run_ / "box-1of1-7.jsonl"; }
  [[nodiscard]] std::string shown() const {
    return stepbench({"show", run_.string(), "--samples", "--format", "csv"}).out;
  }

  test::TemporaryFolder results_;
  fs::path run_;
  std::string shown_;
};

TEST_F(PackedRun, ReadsAsBefore) {
  const RunSummary before = summarise_run(run_);
  fs::remove(file());
  EXPECT_EQ(summarise_run(run_).launches, before.launches);
  EXPECT_EQ(shown(), shown_);
}

TEST_F(PackedRun, PlainAndPacked_AreReadOnce) {
  results_.write("20260131-120000-demo/box-1of1-7.jsonl.gz.tmp", "half");
  EXPECT_EQ(shown(), shown_);
  EXPECT_EQ(summarise_run(run_).launches, 6);
}

TEST(RemovedCommands, UnderRuns_NameTheReplacement) {
  for (const auto& [words, use] :
       {std::pair{std::vector<std::string>{"runs", "compress"}, "use `gzip`"},
        std::pair{std::vector<std::string>{"runs", "redact", "results/x", "--output", "y"},
                  "use `export --format json --no-text`"}}) {
    const os::CommandResult result = stepbench(words);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_THAT(result.err, HasSubstr(std::string("removed in 0.2: ") + use)) << result.err;
  }
}

}  // namespace
}  // namespace stepbench::runs
