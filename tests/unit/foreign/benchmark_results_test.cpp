// SPDX-License-Identifier: Apache-2.0
// Files that the programs themselves wrote: pytest-benchmark 5.2, Google Benchmark 1.7, asv 0.6.
#include <gmock/gmock.h>

#include <cmath>

#include "harness/base/error.h"
#include "harness/foreign/as_history.h"
#include "harness/foreign/read_foreign.h"

namespace stepbench::foreign {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr const char* kAsv = FOREIGN_DATA "/asv/box/4e507d11-existing-py3.11.json";

track::Import read(const std::string& file, const ForeignOptions& options = {}) {
  return read_foreign(file, options);
}

std::vector<std::string> names(const track::History& history) {
  std::vector<std::string> all;
  for (const track::SeriesHistory& one : history.series) {
    std::string name = one.series.metric;
    for (const auto& [option, value] : one.series.options)
      name += ' ' + option + '=' + to_text(value);
    all.push_back(name);
  }
  return all;
}

const track::SeriesHistory& series(const track::History& history, const std::string& word) {
  for (const track::SeriesHistory& one : history.series) {
    for (const auto& [option, value] : one.series.options) {
      if (to_text(value) == word) return one;
    }
  }
  throw Error("no series of " + word);
}

TEST(PytestBenchmark, ABenchmarkIsASeriesByItsParameters) {
  const track::Import import = read(FOREIGN_DATA "/pytest_benchmark.json");
  ASSERT_THAT(import.runs, SizeIs(1));
  const track::TrackedRun& run = import.runs[0].run;
  EXPECT_EQ(run.started_utc, "2026-11-23T09:47:35Z");
  EXPECT_EQ(run.git_sha, "4e507d112112f2d9c003447ef1c0aca4f58d023e");
  EXPECT_EQ(run.git_branch, "master");
  EXPECT_EQ(run.host, "box");
  EXPECT_EQ(run.experiment, "pytest-benchmark");
  const track::History history = as_history(import);
  EXPECT_THAT(names(history),
              UnorderedElementsAre("time_ns benchmark=test_step.py::test_sum n=10",
                                   "time_ns benchmark=test_step.py::test_sum n=1000",
                                   "time_ns benchmark=test_step.py::test_list"));
  const track::SeriesHistory& list = series(history, "test_step.py::test_list");
  ASSERT_THAT(list.points, SizeIs(1));
  EXPECT_EQ(list.points[0].launches, 1) << "rounds of one process are one launch";
  EXPECT_EQ(list.points[0].steps, 7 * 3);
  EXPECT_GT(list.points[0].value, 100);
  EXPECT_LT(list.points[0].value, 1e5);
}

TEST(PytestBenchmark, AnotherStatisticIsAnotherSeries) {
  const track::History history =
      as_history(read(FOREIGN_DATA "/pytest_benchmark.json", {.value_columns = {"min"}}));
  EXPECT_EQ(history.series.front().series.metric, "time_min_ns");
  EXPECT_THROW((void)read(FOREIGN_DATA "/pytest_benchmark.json", {.value_columns = {"avg"}}),
               ConfigError);
}

TEST(GoogleBenchmark, RepetitionsAreLaunchesAndAggregatesAreLeftOut) {
  const track::Import import = read(FOREIGN_DATA "/google_benchmark.json");
  ASSERT_THAT(import.runs, SizeIs(1));
  EXPECT_EQ(import.runs[0].run.experiment, "benchmark_recorder");
  EXPECT_EQ(import.runs[0].run.host, "box");
  const track::History history = as_history(import);
  EXPECT_THAT(names(history),
              UnorderedElementsAre("time_ns benchmark=host_clock", "time_ns benchmark=phase_mark"));
  for (const track::SeriesHistory& one : history.series) {
    EXPECT_EQ(one.points[0].launches, 3);
    EXPECT_EQ(one.series.unit, "ns");
  }
}

TEST(GoogleBenchmark, AnotherFieldIsReadByName) {
  const track::History history =
      as_history(read(FOREIGN_DATA "/google_benchmark.json", {.value_columns = {"cpu_time"}}));
  EXPECT_EQ(history.series.front().series.metric, "cpu_time_ns");
  try {
    (void)read(FOREIGN_DATA "/google_benchmark.json", {.value_columns = {"items_per_second"}});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("benchmarks[0]: has no number 'items_per_second'"));
  }
}

TEST(Asv, ResultsHaveTheUnitsOfBenchmarksJson) {
  const track::Import import = read(kAsv);
  ASSERT_THAT(import.runs, SizeIs(1));
  EXPECT_EQ(import.runs[0].run.started_utc, "2026-11-23T09:47:06Z") << "the commit's date";
  EXPECT_EQ(import.runs[0].run.git_sha, "4e507d112112f2d9c003447ef1c0aca4f58d023e");
  const track::History history = as_history(import);
  EXPECT_THAT(
      names(history),
      UnorderedElementsAre("time_ns benchmark=b.Suite.time_sum env=existing-py3.11 kind=a n=10",
                           "time_ns benchmark=b.Suite.time_sum env=existing-py3.11 kind=b n=10",
                           "time_ns benchmark=b.Suite.time_sum env=existing-py3.11 kind=a n=1000",
                           "time_ns benchmark=b.Suite.time_sum env=existing-py3.11 kind=b n=1000",
                           "memory_bytes benchmark=b.peakmem_list env=existing-py3.11",
                           "value benchmark=b.track_size env=existing-py3.11"));
  EXPECT_EQ(series(history, "b.peakmem_list").points[0].value, 24776704);
  EXPECT_EQ(series(history, "b.track_size").series.unit, "rows");
  EXPECT_NEAR(series(history, "1000").points[0].value, 11117, 1) << "the last parameter is fastest";
  EXPECT_THAT(import.left_out,
              ElementsAre(std::pair<std::string, std::size_t>("without a value", 1)))
      << "what failed is a gap";
}

TEST(Asv, ItsDescriptionsAreNoResults) {
  const track::Import import = read(FOREIGN_DATA "/asv/box/machine.json");
  EXPECT_THAT(import.runs, SizeIs(0));
  EXPECT_THAT(import.notes, ElementsAre(HasSubstr("has no results")));
  EXPECT_THAT(read(FOREIGN_DATA "/asv/benchmarks.json").notes, SizeIs(1));
}

}  // namespace
}  // namespace stepbench::foreign
