// SPDX-License-Identifier: Apache-2.0
// Files that the programs themselves wrote: pytest-benchmark 5.2, Google Benchmark 1.7, asv 0.6;
// tables, their dates, numbers and units.
#include <gmock/gmock.h>

#include <functional>

#include "harness/base/error.h"
#include "harness/foreign/as_history.h"
#include "harness/foreign/read_foreign.h"
#include "harness/foreign/table.h"
#include "harness/foreign/time_text.h"
#include "harness/foreign/units.h"

namespace stepbench::foreign {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

struct Read {
  const char* file;
  ForeignOptions options;
  std::string first_run;            // "date commit host experiment"
  std::vector<std::string> series;  // "metric unit value launches steps: options"
};

std::string described(const track::TrackedRun& run) {
  return run.started_utc + ' ' + run.git_sha.substr(0, 4) + ' ' + run.host + ' ' + run.experiment;
}

std::vector<std::string> described(const track::History& history) {
  std::vector<std::string> all;
  for (const track::SeriesHistory& one : history.series) {
    const track::TrackedPoint& point = one.points.at(0);
    std::string text = one.series.metric + ' ' + one.series.unit + ' ' +
                       std::to_string(static_cast<std::int64_t>(point.value)) + ' ' +
                       std::to_string(point.launches) + ' ' + std::to_string(point.steps) + ':';
    for (const auto& [option, value] : one.series.options) {
      text += ' ' + option + '=' + to_text(value);
    }
    all.push_back(text);
  }
  return all;
}

TEST(ForeignFiles, BenchmarksOfOtherPrograms_AreRunsAndSeries) {
  for (const auto& [file, options, first_run, series] : std::vector<Read>{
           {"/pytest_benchmark.json",
            {},
            "2026-11-23T09:47:35Z 4e50 box pytest-benchmark",
            {"time_ns ns 86 1 531200: benchmark=test_step.py::test_sum n=10",
             "time_ns ns 7991 1 5554: benchmark=test_step.py::test_sum n=1000",
             "time_ns ns 457 1 21: benchmark=test_step.py::test_list"}},
           {"/pytest_benchmark.json",
            {.value_columns = {"min"}},
            "2026-11-23T09:47:35Z 4e50 box pytest-benchmark",
            {"time_min_ns ns 84 1 531200: benchmark=test_step.py::test_sum n=10",
             "time_min_ns ns 7761 1 5554: benchmark=test_step.py::test_sum n=1000",
             "time_min_ns ns 394 1 21: benchmark=test_step.py::test_list"}},
           // Repetitions are launches; aggregates are left out.
           {"/google_benchmark.json",
            {},
            "2026-11-23T09:48:06Z  box benchmark_recorder",
            {"time_ns ns 48 3 65620: benchmark=host_clock",
             "time_ns ns 46 3 30768: benchmark=phase_mark"}},
           {"/google_benchmark.json",
            {.value_columns = {"cpu_time"}},
            "2026-11-23T09:48:06Z  box benchmark_recorder",
            {"cpu_time_ns ns 22 3 65620: benchmark=host_clock",
             "cpu_time_ns ns 46 3 30768: benchmark=phase_mark"}},
           // The last parameter is fastest; units are those of benchmarks.json.
           {"/asv/box/4e507d11-existing-py3.11.json",
            {},
            "2026-11-23T09:47:06Z 4e50 box asv",
            {"time_ns ns 1983 1 1: benchmark=b.Suite.time_sum env=existing-py3.11 kind=a n=10",
             "time_ns ns 1843 1 1: benchmark=b.Suite.time_sum env=existing-py3.11 kind=b n=10",
             "time_ns ns 11116 1 1: benchmark=b.Suite.time_sum env=existing-py3.11 kind=a n=1000",
             "time_ns ns 11416 1 1: benchmark=b.Suite.time_sum env=existing-py3.11 kind=b n=1000",
             "memory_bytes bytes 24776704 1 1: benchmark=b.peakmem_list env=existing-py3.11",
             "value rows 5 1 1: benchmark=b.track_size env=existing-py3.11"}}}) {
    SCOPED_TRACE(file);
    const track::Import import = read_foreign(std::string(FOREIGN_DATA) + file, options);
    ASSERT_THAT(import.runs, SizeIs(1));
    EXPECT_EQ(described(import.runs[0].run), first_run);
    EXPECT_THAT(described(as_history(import)), UnorderedElementsAreArray(series));
  }
}

TEST(ForeignFiles, WhatIsNotInThem_IsSaid) {
  const auto wrong = [](const std::string& file, const char* column) {
    return error_of([&] { (void)read_foreign(FOREIGN_DATA + file, {.value_columns = {column}}); });
  };
  EXPECT_NE(wrong("/pytest_benchmark.json", "avg"), "no error");
  EXPECT_THAT(wrong("/google_benchmark.json", "items_per_second"),
              HasSubstr("benchmarks[0]: has no number 'items_per_second'"));
  const track::Import machine = read_foreign(FOREIGN_DATA "/asv/box/machine.json", {});
  EXPECT_THAT(machine.runs, SizeIs(0));
  EXPECT_THAT(machine.notes, ElementsAre(HasSubstr("has no results")));
  EXPECT_THAT(read_foreign(FOREIGN_DATA "/asv/benchmarks.json", {}).notes, SizeIs(1));
  EXPECT_THAT(read_foreign(FOREIGN_DATA "/asv/box/4e507d11-existing-py3.11.json", {}).left_out,
              ElementsAre(std::pair<std::string, std::size_t>("without a value", 1)));
}

TEST(ForeignTable, CellsOfCsvAndJson_AreReadOrTheLineIsNamed) {
  const ForeignTable table =
      csv_table("\xEF\xBB\xBFtime; name ;ms\r\n1;\"a;\"\"b\"\"\";2\r\n\n2;c;3\n", "n.csv");
  EXPECT_THAT(table.columns, ElementsAre("time", "name", "ms"));
  EXPECT_THAT(table.rows.at(0).cells, ElementsAre("1", "a;\"b\"", "2"));
  EXPECT_EQ(table.rows.at(1).where, "n.csv:4");
  EXPECT_EQ(csv_table("a,b\n\"x\ny\",2\n3,4\n", "n").rows[1].where, "n:4");
  EXPECT_EQ(error_of([&] { (void)table.column("nam", "--value-column"); }),
            "--value-column: n.csv:1 has no column 'nam' (did you mean 'name'?); there are time, "
            "name, ms");
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"a,b\n1,2\n3\n", "n.csv:3: has 1 cell, and the head (n.csv:1) has 2"},
           {"a,b\n1,\"2\n3\n", "n.csv:2: a quotation mark that opens a cell is never closed"},
           {"a,b\n\"1\"x,2\n", "n.csv:2: text stands behind the quotation mark"},
           {"\n\n", "is empty"}}) {
    EXPECT_THAT(error_of([&, cells = text] { (void)csv_table(cells, "n.csv"); }), HasSubstr(why));
  }
  const ForeignTable rows = json_table(R"([{"time": "2026", "ms": 1.5}, {"ms": NaN}])", "n", {});
  EXPECT_THAT(rows.rows.at(0).cells, ElementsAre("1.5", "2026"));
  EXPECT_THAT(rows.rows.at(1).cells, ElementsAre("", ""));
  EXPECT_THAT(json_table("[1, null, 3]", "n", {}).rows, SizeIs(3));
  const std::vector<std::string> wanted = {"series"};
  const ForeignTable columns =
      json_table(R"({"n": 3, "series": [1, 2, 3], "who": ["a", "b", "c"], "x": [1]})", "n", wanted);
  EXPECT_THAT(columns.columns, ElementsAre("series", "who"));
  EXPECT_THAT(columns.rows.at(2).cells, ElementsAre("3", "c"));
  EXPECT_THAT(error_of([] { (void)json_table("[1,\n 2,\n }", "n.json", {}); }),
              HasSubstr("n.json:3:2: is no JSON"));
  EXPECT_THAT(error_of([] { (void)json_table("[[1]]", "n.json", {}); }),
              HasSubstr("is JSON of no known form"));
  for (const char* gap : {"", "-", "NaN", "null", "N/A"}) EXPECT_TRUE(is_gap(gap)) << gap;
  EXPECT_FALSE(is_gap("0"));
  EXPECT_EQ(cell_number("+1.5e3"), 1500);
  for (const char* text : {"1,5", "1.5q", "inf", "0x10", ""}) {
    EXPECT_EQ(cell_number(text), std::nullopt) << text;
  }
}

TEST(TimeText, DatesOfManyPrograms_AreOneFormOrNone) {
  for (const auto& [text, utc] : std::vector<std::pair<std::string, std::string>>{
           {"2026-01-31", "2026-01-31T00:00:00Z"},
           {"2026.01.01 3:00:00 +0100", "2026-01-01T02:00:00Z"},
           {"2026/01/31 12:30", "2026-01-31T12:30:00Z"},
           {"2026-11-23T09:47:35.282397+00:00", "2026-11-23T09:47:35Z"},
           {" 2026-01-01 01:30 -05:30 ", "2026-01-01T07:00:00Z"},
           {"2026-01-01 01:30 UTC", "2026-01-01T01:30:00Z"},
           {"1769860800.75", "2026-01-31T12:00:00Z"},
           {"1769860800000", "2026-01-31T12:00:00Z"},
           {"1769860800000000", "2026-01-31T12:00:00Z"},
           {"1769860800000000000", "2026-01-31T12:00:00Z"}}) {
    EXPECT_EQ(utc_of(text), utc) << text;
  }
  for (const char* text :
       {"", "yesterday", "12", "2026-02-30", "2026-13-01", "31.01.2026", "2026-01-31 25:00",
        "2026-01-31T12:00:00+99:00", "2026-01-31 noon", "4052-01-31", "1026-01-31T02:00:00Z"}) {
    EXPECT_EQ(utc_of(text), std::nullopt) << text;
  }
}

TEST(Units, SayTheFactorAndWhatIsBetter) {
  EXPECT_EQ(unit_of("ms").name, "ns");
  EXPECT_EQ(unit_of("ms").factor, 1e6);
  EXPECT_EQ(unit_of("MiB").name, "bytes");
  EXPECT_EQ(unit_of("MiB").factor, 1024 * 1024);
  EXPECT_EQ(unit_of("ops/s").name, "ops/s");
  EXPECT_EQ(direction_of("", unit_of("ms"), "step"), Direction::kLowerIsBetter);
  EXPECT_EQ(direction_of("", unit_of("ops/s"), "load"), Direction::kHigherIsBetter);
  EXPECT_EQ(direction_of("", unit_of(""), "items_per_second"), Direction::kHigherIsBetter);
  EXPECT_EQ(direction_of("lower", unit_of("ops/s"), "load"), Direction::kLowerIsBetter);
  EXPECT_THROW((void)direction_of("", unit_of("rows"), "metric1"), ConfigError);
}

}  // namespace
}  // namespace stepbench::foreign
