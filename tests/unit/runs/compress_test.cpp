// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/base/error.h"
#include "harness/record/input.h"
#include "harness/record/pack.h"
#include "harness/record/writer.h"
#include "harness/runs/compress_run.h"
#include "harness/runs/run_summary.h"
#include "tests/unit/runs/made_runs.h"
#include "tests/unit/shell/program.h"

namespace stepbench::runs {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::stepbench;
using ::testing::ThrowsMessage;
using testing_runs::make_run;

class Compress : public ::testing::Test {
 protected:
  void SetUp() override { run_ = make_run(results_, {}); }

  [[nodiscard]] static std::vector<std::string> names(const fs::path& folder) {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) found.push_back(entry.path().filename());
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  [[nodiscard]] fs::path file() const { return run_ / "box-1of1-7.jsonl"; }
  [[nodiscard]] fs::path packed() const { return run_ / "box-1of1-7.jsonl.gz"; }

  test::TemporaryFolder results_;
  fs::path run_;
};

TEST_F(Compress, KeepsContentTimeAndPermissions) {
  fs::permissions(file(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  const auto then = fs::last_write_time(file()) - std::chrono::hours{48};
  fs::last_write_time(file(), then);
  const std::string text{record::Input::read(file()).text()};
  const record::PackedSizes sizes = record::pack_file(file());
  EXPECT_THAT(names(run_), ElementsAre("box-1of1-7.jsonl.gz"));
  EXPECT_EQ(record::Input::read(packed()).text(), text);
  EXPECT_EQ(fs::last_write_time(packed()), then);
  EXPECT_EQ(fs::status(packed()).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  EXPECT_EQ(sizes.before, text.size());
  EXPECT_EQ(sizes.after, fs::file_size(packed()));
  EXPECT_LT(sizes.after, sizes.before);
}

TEST_F(Compress, TheRunReadsAsBefore) {
  const RunSummary before = summarise_run(run_);
  const std::string shown = stepbench({"show", run_.string(), "--format", "json"}).out;
  results_.write("20260131-120000-demo/traces/box_1.2.pt.trace.json", "{\"traceEvents\":[]}");
  results_.write("20260131-120000-demo/verdict.json", "{}");
  const Compressed done = compress_run(run_);
  EXPECT_EQ(done.files, 2U);
  EXPECT_TRUE(done.problems.empty());
  EXPECT_THAT(names(run_),
              ElementsAre("box-1of1-7.jsonl.gz", "box_1.2.pt.trace.json.gz", "verdict.json"));
  EXPECT_EQ(summarise_run(run_).launches, before.launches);
  EXPECT_EQ(stepbench({"show", run_.string(), "--format", "json"}).out, shown);
  EXPECT_EQ(compress_run(run_).files, 0U) << "there is nothing left to pack";
}

TEST_F(Compress, WithBothFormsThere_ReadsTheSameAndFinishes) {
  const auto shown = [&] {
    return stepbench({"show", run_.string(), "--samples", "--format", "csv"}).out;
  };
  const std::string before = shown();
  results_.write("20260131-120000-demo/box-1of1-7.jsonl.gz",
                 record::gzip_text(record::Input::read(file()).text()));
  results_.write("20260131-120000-demo/box-1of1-7.jsonl.gz.tmp", "half");
  EXPECT_EQ(shown(), before);
  EXPECT_EQ(summarise_run(run_).launches, 6);
  record::pack_file(file());
  EXPECT_FALSE(fs::exists(file()));
  EXPECT_TRUE(fs::exists(packed()));
}

TEST_F(Compress, KeepsBothWhereAPackedFileHoldsSomethingElse) {
  results_.write("20260131-120000-demo/box-1of1-7.jsonl.gz", record::gzip_text("{}\n"));
  EXPECT_THAT([&] { record::pack_file(file()); },
              ThrowsMessage<ConfigError>(HasSubstr("holds something else")));
  EXPECT_TRUE(fs::exists(file()));
  EXPECT_EQ(record::Input::read(packed()).text(), "{}\n");
  const os::CommandResult refused = stepbench({"runs", "compress", run_.string()});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.err, HasSubstr("box-1of1-7.jsonl.gz: lies there already"));
}

TEST_F(Compress, RefusesARunThatIsRunningAndWhatIsNone) {
  const auto refuses = [](const fs::path& folder, const std::string& why) {
    EXPECT_THAT([&] { (void)compress_run(folder); }, ThrowsMessage<ConfigError>(HasSubstr(why)));
  };
  record::ResultWriter writer(run_ / "more.jsonl");
  refuses(run_, "is running");
  EXPECT_THAT([&] { record::pack_file(run_ / "more.jsonl"); },
              ThrowsMessage<ConfigError>(HasSubstr("is being written now")));
  refuses(results_.path(), "holds no result file");
  refuses(results_ / "absent", "no such file");
  EXPECT_THAT(stepbench({"runs", "compress"}).err, HasSubstr("says not what to pack"));
  EXPECT_THAT(stepbench({"runs", "compress", run_.string(), "--name", "x"}).err,
              HasSubstr("not by both"));
}

TEST_F(Compress, RefusesAFileThatIsNoResultAndNoTrace) {
  for (const char* name : {"key.pem", "settings.json", "events.jsonl", "table.csv"}) {
    results_.write(name, "{\"user\": \"me\"}\n");
    const os::CommandResult result = stepbench({"runs", "compress", results_ / name});
    EXPECT_EQ(result.exit_status, 2) << name;
    EXPECT_THAT(result.err, HasSubstr("is no result file and no trace")) << name;
    EXPECT_TRUE(fs::exists(results_ / name)) << name;
  }
  results_.write("trace.json", "{\"schemaVersion\": 1, \"traceEvents\": []}\n");
  EXPECT_EQ(stepbench({"runs", "compress", results_ / "trace.json"}).exit_status, 0);
  EXPECT_TRUE(fs::exists(results_ / "trace.json.gz"));
}

TEST_F(Compress, TakesRunsByAge) {
  const auto compress = [&](const std::string& age, bool dry) {
    std::vector<std::string> words = {"runs",          "compress",     "--results",
                                      results_.path(), "--older-than", age};
    if (dry) words.push_back("--dry-run");
    return stepbench(words).out;
  };
  EXPECT_EQ(compress("9999w", false), "nothing to pack\n");
  EXPECT_THAT(compress("1s", true), HasSubstr("nothing was changed (--dry-run)"));
  EXPECT_TRUE(fs::exists(file()));
  EXPECT_THAT(compress("1s", false), HasSubstr("1 file, "));
  EXPECT_FALSE(fs::exists(file()));
}

}  // namespace
}  // namespace stepbench::runs
