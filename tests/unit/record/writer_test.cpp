// SPDX-License-Identifier: Apache-2.0
#include "harness/record/result_file.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/record/sample_rows.h"

namespace stepbench::record {
namespace {

using test::TemporaryFolder;

void write_one_launch(ResultWriter& writer, const LaunchKey& key) {
  writer.write(StartRow{.key = key, .attempt = 0, .started_utc = "2026-01-31T12:00:00Z"});
  writer.write(testing::samples_row(key));
  writer.write(testing::launch_row(key));
}

TEST(ResultWriter, OpenFile_IsSeenByOtherProcesses) {
  const TemporaryFolder folder;
  const auto others_see_it = [&](const fs::path& path) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(is_being_written(path) ? 1 : 0);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status) == 1;
  };
  {
    const ResultWriter writer(folder / "a.jsonl");
    EXPECT_TRUE(is_being_written(folder / "a.jsonl")) << "also by its own process";
    EXPECT_TRUE(others_see_it(folder / "a.jsonl"));
    EXPECT_TRUE(others_see_it(folder.path()));
  }
  EXPECT_FALSE(others_see_it(folder / "a.jsonl"));
  EXPECT_FALSE(others_see_it(folder.path()));
  EXPECT_FALSE(is_being_written(folder / "nowhere"));
}

TEST(ResultWriter, WrittenRun_ReadsBackEqual) {
  const TemporaryFolder folder;
  ResultWriter writer(folder / "a.jsonl");
  writer.write(testing::run_row());
  const ColumnRow columns{{{.name = "step_ns",
                            .unit = "ns",
                            .role = Role::kMetric,
                            .direction = Direction::kLowerIsBetter,
                            .doc = "Step.",
                            .source = Source::kHostClock},
                           {.name = "loss", .unit = "", .doc = "Of an unsaid source."},
                           {.name = "mallocs", .unit = "", .doc = "Calls.", .exact = true},
                           {.name = "tries", .unit = "calls", .doc = "Varies.", .exact = false}}};
  writer.write(columns);
  const WorkerRow worker{
      .worker_id = "w1", .path = "/w", .build_id = "b", .environment = {{"cpu", std::string("x")}}};
  writer.write(worker);
  write_one_launch(writer, testing::key());
  writer.write(
      EndRow{.measured = 1, .skipped = 0, .failed = 0, .reason = "complete", .ended_utc = "z"});

  const Results results = read_results(writer.file());
  ASSERT_EQ(results.runs.size(), 1U);
  EXPECT_EQ(encode(results.runs[0]), encode(testing::run_row()));
  ASSERT_EQ(results.columns.size(), 4U);
  EXPECT_EQ(encode(ColumnRow{results.columns}), encode(columns));
  EXPECT_EQ(results.columns[0].source, Source::kHostClock);
  EXPECT_EQ(results.columns[1].source, Source::kUnknown);
  ASSERT_EQ(results.workers.size(), 1U);
  EXPECT_EQ(encode(results.workers[0]), encode(worker));
  ASSERT_EQ(results.launches.size(), 1U);
  EXPECT_EQ(encode(results.launches[0].row), encode(testing::launch_row()));
  EXPECT_EQ(results.launches[0].row.options, testing::launch_row().options);
  ASSERT_EQ(results.launches[0].samples.size(), 1U);
  EXPECT_EQ(encode(SamplesRow{testing::key(), results.launches[0].samples[0]}),
            encode(testing::samples_row()));
  ASSERT_TRUE(results.end.has_value());
  EXPECT_EQ(results.end->reason, "complete");
  EXPECT_TRUE(results.unfinished.empty());
  EXPECT_TRUE(results.warnings.empty());
}

TEST(ResultWriter, EachLine_IsWrittenImmediately) {
  const TemporaryFolder folder;
  ResultWriter writer(folder / "a.jsonl");
  writer.write(testing::run_row());
  EXPECT_EQ(testing::read_file(writer.file()), encode(testing::run_row()) + '\n');
}

TEST(ResultWriter, ExistingFile_IsNotTouched) {
  const TemporaryFolder folder;
  const auto file = testing::write_file(folder / "a.jsonl", "precious");
  EXPECT_THAT([&] { ResultWriter writer(file); },
              ThrowsMessage<Error>(AllOf(HasSubstr(file.string()), HasSubstr("File exists"))));
  EXPECT_EQ(testing::read_file(file), "precious");
  EXPECT_THROW(ResultWriter(folder / "missing/a.jsonl"), Error);
}

TEST(ResultWriter, SpecialNumbersAndText_AreKept) {
  LaunchRow row = testing::launch_row();
  row.report.fingerprint = {{"loss", std::numeric_limits<double>::infinity()},
                            {"gradient_norm", 0.1}};
  row.report.metrics = {{"big", 1e300}, {"whole", 5.0}, {"none", std::nullopt}};
  row.options["seed"] = std::numeric_limits<std::int64_t>::min();
  row.options[""] = std::string("an empty key");
  row.output = std::string("nul \0 and \x1b[31m and ", 20) + "\xFF\xC3";
  const TemporaryFolder folder;
  ResultWriter writer(folder / "a.jsonl");
  SamplesRow extreme = testing::samples_row();
  extreme.samples.steps.columns[1] = {std::numeric_limits<std::int64_t>::min(),
                                      std::numeric_limits<std::int64_t>::max(), -1};
  writer.write(testing::run_row());
  writer.write(extreme);
  writer.write(row);
  const Results results = read_results(writer.file());
  EXPECT_EQ(results.launches.at(0).samples.at(0).steps, extreme.samples.steps);
  const LaunchRow& read = results.launches.at(0).row;
  EXPECT_EQ(read.report.fingerprint, row.report.fingerprint);
  EXPECT_EQ(read.report.metrics, row.report.metrics);
  EXPECT_EQ(read.options, row.options);
  EXPECT_EQ(read.output, std::string("nul \0 and \x1b[31m and ", 20) + "\xEF\xBF\xBD\xEF\xBF\xBD");
}

// The disk is full in the middle of a line: a short write followed by an error.
TEST(ResultWriter, FullDisk_KeepsFinishedLines) {
  const TemporaryFolder folder;
  const auto file = folder / "a.jsonl";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    constexpr rlim_t kBytes = 5000;
    const rlimit limit{kBytes, kBytes};
    std::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(1);
    try {
      ResultWriter writer(file);
      writer.write(testing::run_row());
      for (int launch = 0; launch < 1000; ++launch)
        write_one_launch(writer, testing::key("c", launch));
    } catch (const Error& error) {
      const std::string what = error.what();
      const bool named = what.find(file.string()) != std::string::npos &&
                         what.find("File too large") != std::string::npos;
      ::_exit(named ? 42 : 2);
    }
    ::_exit(3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_TRUE(testing::read_file(file).ends_with("}\n"));
  const Results results = read_results(file);
  EXPECT_GE(results.launches.size(), 1U);
  EXPECT_TRUE(results.warnings.empty());
}

TEST(Writer, OpenFile_HasARunningLaunch) {
  const TemporaryFolder folder;
  const auto file = folder / "live.jsonl";
  {
    ResultWriter writer(file);
    writer.write(testing::run_row());
    writer.write(StartRow{.key = testing::key("a", 2)});
    const Results results = read_results(file);
    EXPECT_TRUE(results.running);
    ASSERT_EQ(results.unfinished.size(), 1U);
    EXPECT_TRUE(results.unfinished[0].running);
  }
  const Results results = read_results(file);
  EXPECT_FALSE(results.running);
  ASSERT_EQ(results.unfinished.size(), 1U);
  EXPECT_FALSE(results.unfinished[0].running);
}

}  // namespace
}  // namespace stepbench::record
